// watches: packages/cli/src, scripts/package
// misses: the measurement of a start no longer runs
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { BenchOptions, BenchResult } from './bench.ts';
import {
  cpuToListening,
  modulesToListening,
  openSite,
  type Start,
  type Started,
  wholeCpu,
  wholeModules,
} from './start/measure.ts';
import { installPacked, sourceBin } from './start/trees.ts';

/**
 * What a command costs before it does anything: CPU and modules of the command as it runs from the sources and as it
 * is installed from the packed tarballs, beside Node with an empty module. The least of all rounds counts, the trees in
 * turns. `--only source`, as `--quick` does, packs nothing.
 */
const full = { rounds: 9 };
const small = { rounds: 2 };

/** Of the installed command, in times of the CPU that Node itself takes. 40 ms of it on a quiet machine. */
const bars: Partial<Record<CaseName, number>> = { version: 2.5, help: 5, crawl: 10 };

type CaseName = 'version' | 'help' | 'crawlHelp' | 'validate' | 'status' | 'crawl' | 'coordinator';
type Tree = 'source' | 'packed';

interface Case {
  cpu(bin: string): Promise<number>;
  modules(bin: string): Promise<number>;
}

export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const { rounds } = quick ? small : full;
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-start-'));
  const site = await openSite();
  try {
    const bins: Partial<Record<Tree, string>> = { source: sourceBin };
    if (!quick && !args.includes('source')) bins.packed = await installPacked(join(folder, 'installed'));
    const cases = casesIn(folder, site, await freePort());
    const empty = join(folder, 'empty.mjs');
    writeFileSync(empty, '');
    const nodes: number[] = [];
    const figures: Partial<Record<Tree, Record<CaseName, Start>>> = {};
    for (let round = 0; round < rounds; round++) {
      nodes.push(await wholeCpu({ words: [empty], env: {}, cwd: folder }));
      for (const [tree, bin] of Object.entries(bins) as [Tree, string][]) {
        const of = (figures[tree] ??= {} as Record<CaseName, Start>);
        for (const [name, { cpu, modules }] of Object.entries(cases) as [CaseName, Case][]) {
          const known = of[name] ?? { cpuMs: Number.POSITIVE_INFINITY, modules: await modules(bin) };
          of[name] = { ...known, cpuMs: Math.min(known.cpuMs, Math.round(await cpu(bin))) };
        }
      }
    }
    const nodeMs = Math.round(Math.min(...nodes));
    const shown = Object.fromEntries(
      Object.entries(figures).map(([tree, of]) => [tree, withTimes(of, nodeMs)]),
    );
    for (const [tree, of] of Object.entries(shown)) show(tree, of);
    const { packed } = shown;
    const missed = Object.entries(bars).filter(([name, bar]) => packed && (packed[name]?.times ?? 0) > bar);
    for (const [name, bar] of missed) console.error(`  ✗ ${name}: more than ${bar} times Node itself`);
    return { ok: missed.length === 0, result: { nodeMs, ...shown, bars, sizes: { rounds } } };
  } finally {
    site.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

function casesIn(
  folder: string,
  site: Awaited<ReturnType<typeof openSite>>,
  port: number,
): Record<CaseName, Case> {
  const cwd = join(folder, 'work');
  mkdirSync(cwd);
  // What a first start leaves for the next one is kept between rounds, in a place of its own.
  const env = { XDG_STATE_HOME: join(folder, 'state'), NODE_COMPILE_CACHE: join(folder, 'compiled') };
  const started = (bin: string, ...words: string[]): Started => ({ words: [bin, ...words], env, cwd });
  const whole = (...words: string[]): Case => ({
    cpu: (bin) => wholeCpu(started(bin, ...words)),
    modules: (bin) => wholeModules(started(bin, ...words)),
  });
  const fresh = (name: string): string => {
    rmSync(join(cwd, name), { recursive: true, force: true });
    return name;
  };
  const address = `http://127.0.0.1:${site.port}/`;
  const crawl = (bin: string) =>
    started(bin, 'crawl', address, '--allow-private', '127.0.0.1', '--out', fresh('site.crawl'));
  const coordinator = (bin: string) =>
    started(bin, 'coordinator', '--listen', `127.0.0.1:${port}`, '--data', fresh('coordinator'));
  const job = resolve(import.meta.dirname, '../examples/titles.yml');
  return {
    version: whole('--version'),
    help: whole('--help'),
    crawlHelp: whole('crawl', '--help'),
    validate: whole('validate', job),
    crawl: {
      cpu: (bin) => site.cpuToFirstRequest(crawl(bin)),
      modules: (bin) => site.modulesToFirstRequest(crawl(bin)),
    },
    status: whole('status', 'site.crawl'),
    coordinator: {
      cpu: (bin) => cpuToListening(coordinator(bin), port),
      modules: (bin) => modulesToListening(coordinator(bin), port),
    },
  };
}

const withTimes = (of: Record<CaseName, Start>, nodeMs: number) =>
  Object.fromEntries(
    Object.entries(of).map(([name, start]) => [
      name,
      { ...start, times: Math.round((start.cpuMs / nodeMs) * 10) / 10 },
    ]),
  );

function show(tree: string, of: Record<string, Start & { times: number }>): void {
  for (const [name, { cpuMs, modules, times }] of Object.entries(of))
    console.error(`  ${tree.padEnd(7)} ${name.padEnd(12)} ${cpuMs} ms  ${times} × Node  ${modules} modules`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}
