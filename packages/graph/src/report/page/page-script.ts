import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '../browser');
/** Sources run as they are during development; a published package has compiled files. */
const extension = import.meta.filename.endsWith('.ts') ? '.ts' : '.js';

/**
 * The script of a page: a module of `browser/` with everything it imports, as one text without imports, because a
 * page that is a single file has nothing to import from. Each module keeps a scope of its own.
 */
export function pageScript(entry: string): string {
  const names = new Map<string, string>();
  const parts: string[] = [];

  function add(module: string): string {
    const known = names.get(module);
    if (known !== undefined) return known;
    const { imports, body, exported } = readModule(module);
    const opened = imports.map(({ from, bindings }) => `const { ${bindings} } = ${add(from)};`);
    const name = `module${names.size}`;
    names.set(module, name);
    parts.push(
      `const ${name} = (() => {\n${opened.join('\n')}\n${body}\nreturn { ${exported.join(', ')} };\n})();`,
    );
    return name;
  }

  add(entry);
  return `\n'use strict';\n(() => {\n${parts.join('\n')}\n})();\n`;
}

interface BrowserModule {
  imports: { from: string; bindings: string }[];
  body: string;
  exported: string[];
}

/** Browser modules import and export by name only, from and for their own folder. */
function readModule(module: string): BrowserModule {
  const source = readFileSync(join(folder, module + extension), 'utf8');
  const code = extension === '.ts' ? withoutTypes(source) : source;
  const imports: BrowserModule['imports'] = [];
  const exported: string[] = [];
  const body = code
    .replace(/^import \{([^}]*)\} from '\.\/([\w-]+)\.[jt]s';$/gm, (_, names: string, from: string) => {
      imports.push({
        from,
        bindings: names
          .split(/[\s,]+/)
          .filter(Boolean)
          .join(', '),
      });
      return '';
    })
    .replace(/^export (?=(?:async )?(?:function|const) (\w+))/gm, (_, name: string) => {
      exported.push(name);
      return '';
    })
    .replace(/^export \{\s*\};$/gm, '')
    .replace(/^\/\/# sourceMappingURL=.*$/gm, '');
  const left = /^(?:import|export)\b.*/m.exec(body);
  if (left)
    throw new Error(`${module} uses a form of import or export that cannot be put into a page: ${left[0]}`);
  return { imports, body, exported };
}

/** Node announces that stripping types is experimental; during development that line only hides others. */
function withoutTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = ((warning: string | Error, ...rest: never[]) => {
    if (!String(warning).includes('stripTypeScriptTypes')) emitWarning.call(process, warning, ...rest);
  }) as typeof emitWarning;
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
