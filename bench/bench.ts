import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { docCommentOf } from '../test/doc-comment.ts';

/**
 * `npm run bench -- NAME [--quick] [...]`: measures one ratio against a bare engine, both in the same run.
 * What people read goes to stderr; the last line of stdout is one line of JSON. Exits 1 below the bar.
 */
export interface BenchOptions {
  quick: boolean;
  args: string[];
}

export interface BenchResult {
  ok: boolean;
  /** Has `sizes`, so that a figure is never read without what it was measured on. */
  result: { sizes: Record<string, unknown> } & Record<string, unknown>;
}

type Bench = (options: BenchOptions) => Promise<BenchResult>;

const folder = import.meta.dirname;

async function load(name: string): Promise<Bench | undefined> {
  const file = join(folder, `${name}.ts`);
  if (!/^[a-z0-9-]+$/.test(name) || name === 'bench' || !existsSync(file)) return undefined;
  const found = (await import(pathToFileURL(file).href)) as { bench?: unknown };
  return typeof found.bench === 'function' ? (found.bench as Bench) : undefined;
}

async function names(): Promise<string[]> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.ts'));
  const loaded = await Promise.all(files.map((file) => load(file.slice(0, -3))));
  return files.filter((_, n) => loaded[n] !== undefined).map((file) => file.slice(0, -3));
}

async function run([name = '', ...args]: string[]): Promise<void> {
  const bench = await load(name);
  if (!bench) {
    console.error(
      `usage: npm run bench -- NAME [--quick] [...]\nnames: ${(await names()).toSorted().join(' ')}`,
    );
    process.exitCode = 2;
    return;
  }
  if (args.includes('--help')) {
    console.error(docCommentOf(join(folder, `${name}.ts`), 'bench'));
    return;
  }
  const quick = args.includes('--quick');
  const started = performance.now();
  const { ok, result } = await bench({ quick, args: args.filter((arg) => arg !== '--quick') });
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  console.error(`${name}: ${ok ? 'reaches its bars' : 'FALLS SHORT'} (${seconds} s)`);
  // Written before exit even where stdout is a pipe.
  await new Promise<void>((done) => {
    process.stdout.write(`${JSON.stringify({ name, ok, quick, ...result, seconds })}\n`, () => done());
  });
  if (!ok) process.exitCode = 1;
}

await run(process.argv.slice(2));
// A client of another project that still tries to connect must not hang the run.
process.exit();
