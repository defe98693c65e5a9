import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { build } from 'vite';
import { folderOf, root } from '../package/workspace.ts';

const browser = join(folderOf('console'), 'browser');

export interface BuiltConsole {
  /** Holds the files as they are served, each compressed with brotli: `index.html.br`, `assets/…`. */
  folder: string;
  /** The files of others that became part of it. */
  modules: string[];
}

/**
 * The console, built from the sources as they are now. What was built before from the same sources is used again, so that
 * tests may ask for it at any time; several processes may build at once, and the last one to finish is in vain.
 */
export async function builtConsole(): Promise<BuiltConsole> {
  const kept = join(root, 'build/console', digestOfSources());
  if (!existsSync(kept)) await buildInto(kept);
  const modules = JSON.parse(readFileSync(join(kept, 'modules.json'), 'utf8')) as string[];
  return { folder: join(kept, 'files'), modules: modules.map((path) => join(root, path)) };
}

/** Puts the built console where a coordinator that runs from this checkout finds it. */
export async function placeConsole(): Promise<BuiltConsole> {
  const built = await builtConsole();
  const place = join(folderOf('console'), 'dist/files');
  rmSync(place, { recursive: true, force: true });
  cpSync(built.folder, place, { recursive: true });
  return built;
}

async function buildInto(kept: string): Promise<void> {
  mkdirSync(join(root, 'build/console'), { recursive: true });
  const work = mkdtempSync(join(root, 'build/console/.making-'));
  try {
    const modules = await bundle(join(work, 'files'));
    compress(join(work, 'files'));
    writeFileSync(join(work, 'modules.json'), JSON.stringify(modules));
    renameSync(work, kept);
  } catch (error) {
    // Another process was faster with the same sources.
    if (!existsSync(kept)) throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

async function bundle(outDir: string): Promise<string[]> {
  const made = await build({
    root: browser,
    configFile: false,
    envDir: false,
    logLevel: 'error',
    mode: 'production',
    build: {
      outDir,
      emptyOutDir: true,
      target: 'es2022',
      // Everything is a file of its own: the content security policy allows no data: URL.
      assetsInlineLimit: 0,
      modulePreload: { polyfill: false },
      reportCompressedSize: false,
      rolldownOptions: {
        output: {
          // In one file: zod is told to make no code before any other file can define a schema.
          codeSplitting: { groups: [{ name: 'zod', test: /node_modules\/zod\/|without-eval/ }] },
        },
      },
    },
  });
  const outputs = Array.isArray(made) ? made : 'output' in made ? [made] : [];
  const ids = outputs.flatMap(({ output }) =>
    output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])),
  );
  const own = ids
    .filter((id) => id.includes('/node_modules/'))
    .map((id) => id.slice(id.indexOf('node_modules/')).replace(/\?.*$/, ''));
  return [...new Set(own)].toSorted();
}

/** Only the compressed form is kept: a coordinator expands it for the few clients that cannot read it. */
function compress(folder: string): void {
  for (const path of filesBelow(folder)) {
    const packed = brotliCompressSync(readFileSync(path), {
      params: { [constants.BROTLI_PARAM_QUALITY]: constants.BROTLI_MAX_QUALITY },
    });
    writeFileSync(`${path}.br`, packed);
    rmSync(path);
  }
}

/** Of everything that can change the result: the console, the packages that it imports, the versions of all others. */
function digestOfSources(): string {
  const digest = createHash('sha256');
  const sources = [
    ...filesBelow(browser),
    ...filesBelow(join(folderOf('protocol'), 'src')),
    ...filesBelow(import.meta.dirname),
    join(folderOf('console'), 'package.json'),
    join(root, 'package-lock.json'),
  ];
  for (const path of sources.toSorted())
    if (!path.endsWith('.test.ts'))
      digest.update(path.slice(root.length)).update('\0').update(readFileSync(path));
  return digest.digest('hex').slice(0, 20);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}
