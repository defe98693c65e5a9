import { readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { parseAst } from 'rolldown/parseAst';

/** A node of the syntax tree: what all kinds have, and whatever else this one has. */
export interface Syntax {
  type: string;
  start: number;
  end: number;
  [field: string]: unknown;
}

/** Where something exported is declared; a function once for each of its overloads. */
export interface Declared {
  name: string;
  file: SourceText;
  nodes: Syntax[];
  /** Of each node, the comment above it; empty where there is none. */
  docs: string[];
}

export interface SourceText {
  path: string;
  text: string;
  body: Syntax[];
}

export interface ExportReader {
  /** Every name that the file exports, with its declaration, followed through other files and packages. */
  exportsOf(path: string): Declared[];
}

/** Reads declarations as they are written: what a person sees in the source, not what a compiler makes of it. */
export function createExportReader(root: string): ExportReader {
  const sources = new Map<string, SourceText>();

  function read(path: string): SourceText {
    const known = sources.get(path);
    if (known) return known;
    const text = readFileSync(path, 'utf8');
    const { body } = parseAst(text, { lang: 'ts' }, path) as unknown as { body: Syntax[] };
    const source = { path, text, body };
    sources.set(path, source);
    return source;
  }

  function fileOf(specifier: string, from: string): string | undefined {
    if (specifier.startsWith('.')) return resolve(dirname(from), specifier);
    const [, name, below = ''] = /^@webfarer\/([a-z]+)(?:\/(.+))?$/.exec(specifier) ?? [];
    if (name === undefined) return undefined;
    const folder = join(root, 'packages', name);
    const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      exports: Record<string, string>;
    };
    const entry = exports[below === '' ? '.' : `./${below}`];
    return entry === undefined ? undefined : join(folder, entry);
  }

  /** Where a name of a file is declared: there, or where that file has it from. */
  function find(path: string, name: string): Declared | undefined {
    const source = read(path);
    const own = source.body.filter((node) => declaredIn(node)?.name === name);
    if (own.length > 0) {
      const signatures = own.filter((node) => declaredIn(node)?.node.type === 'TSDeclareFunction');
      const shown = signatures.length > 0 ? signatures : own;
      return {
        name,
        file: source,
        nodes: shown.map((node) => declaredIn(node)?.node as Syntax),
        docs: shown.map((node) => docBefore(source.text, node.start)),
      };
    }
    for (const node of source.body) {
      const from = (node['source'] as { value: string } | null | undefined)?.value;
      if (from === undefined) continue;
      const original = originalName(node, name);
      const file = original === undefined ? undefined : fileOf(from, path);
      if (file !== undefined && original !== undefined) return find(file, original);
    }
    return undefined;
  }

  return {
    exportsOf(path) {
      const names = read(path).body.flatMap((node) => {
        const own = node.type === 'ExportNamedDeclaration' ? declaredIn(node)?.name : undefined;
        const passed = ((node['specifiers'] ?? []) as { exported?: { name: string } }[]).flatMap(
          ({ exported }) => exported?.name ?? [],
        );
        return own === undefined ? passed : [own];
      });
      return [...new Set(names)].map((name) => {
        const found = find(path, name);
        if (!found) throw new Error(`${path} exports ${name}, which is declared nowhere`);
        return found;
      });
    },
  };
}

/** A declaration of a file and its name, exported or not. */
function declaredIn(node: Syntax): { name: string; node: Syntax } | undefined {
  const inner = (node['declaration'] ?? node) as Syntax;
  if (inner.type === 'VariableDeclaration') {
    const [first] = inner['declarations'] as { id: { name: string } }[];
    return first && { name: first.id.name, node: inner };
  }
  const isDeclaration =
    /^(?:TS(?:Interface|TypeAlias)Declaration|TSDeclareFunction|(?:Function|Class)Declaration)$/;
  const { name } = (inner['id'] ?? {}) as { name?: string };
  return isDeclaration.test(inner.type) && name !== undefined ? { name, node: inner } : undefined;
}

/** What a file that imports or passes on `name` calls it where it has it from. */
function originalName(node: Syntax, name: string): string | undefined {
  const specifiers = (node['specifiers'] ?? []) as Record<string, { name?: string } | undefined>[];
  const isExport = node.type === 'ExportNamedDeclaration';
  const found = specifiers.find((one) => (isExport ? one['exported'] : one['local'])?.name === name);
  return isExport ? found?.['local']?.name : found?.['imported']?.name;
}

/** The doc comment that ends right above a place; empty where there is none. */
export function docBefore(text: string, start: number): string {
  const before = text.slice(0, start).replace(/(?:\n[ \t]*\/\/[^\n]*)+\s*$/, '\n');
  const [, comment] = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*$/.exec(before) ?? [];
  if (comment === undefined) return '';
  return comment
    .split('\n')
    .map((line) => line.replace(/^\s*\*? ?/, '').trim())
    .join(' ')
    .trim()
    .replaceAll('*\\/', '*/');
}
