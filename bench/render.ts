// watches: packages/worker/src/browser
// misses: the comparison with Playwright no longer runs
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import { type BrowserWeb, type Seen, startBrowserWeb } from '../test/browser-web/browser-web.ts';
import { truthOf } from '../test/browser-web/judge-finds.ts';
import { argument, commandPath, workFolder, writeJob } from '../test/prove/lab.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { ratioOf } from './broad/statistics.ts';
import { hasCrawlee, installCrawlee } from './render/install-crawlee.ts';
import type { PeerTask } from './render/peer-task.ts';
import { watchCpu } from './render/tree-cpu.ts';

/** As many pages at once as a worker shows. */
const concurrency = 4;
/** `auto` is held against what it could reach at best: the share of pages that need no browser is free. */
const bars = { alwaysToBare: 0.9, alwaysToCrawlee: 1, autoToAlways: 5, firstPageMs: 3_000 };
type Contender = 'always' | 'auto' | 'bare' | 'crawlee';

interface Finished {
  /** Pages that were asked for. */
  pages: number;
  /** Of the whole process tree. */
  cpuMs: number;
  /** What pages asked their own sites for, and how often. */
  work: string;
  log: Seen[];
}

/**
 * The web that needs a browser, in pages per second of CPU of the whole process tree, in turns: our `always` against
 * Playwright alone and Crawlee's PlaywrightCrawler, and `auto` against `always`. The web's log says that all were sent the
 * same pages, data and pictures. The quick form shows that it runs, without bars. `--rounds N`, `--pages N`.
 */
export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const rounds = Number(argument(args, '--rounds') ?? (quick ? 1 : 5));
  const pages = Number(argument(args, '--pages') ?? (quick ? 24 : 400));
  const sites = quick ? 3 : 8;
  const isThere = quick ? hasCrawlee() : await installCrawlee();
  const names: Contender[] = ['always', 'bare', 'auto', ...(isThere ? ['crawlee' as const] : [])];
  const work = workFolder('bench-render');
  const web = await startBrowserWeb({ pages, sites });
  const measured: Partial<Record<Contender, Finished>>[] = [];
  const firstPageMs: Record<'always' | 'bare', number[]> = { always: [], bare: [] };
  try {
    for (let n = 0; n < (quick ? 1 : 5); n++)
      for (const name of ['bare', 'always'] as const)
        firstPageMs[name].push(await firstPage(name, web, join(work.path, `first-${name}-${n}`)));
    console.error(`  first pages after ${JSON.stringify(firstPageMs)} ms`);
    for (let n = 0; n < rounds; n++) {
      const round: Partial<Record<Contender, Finished>> = {};
      for (let i = 0; i < names.length; i++) {
        const name = names[(i + n) % names.length] as Contender;
        round[name] = await contend(name, web, join(work.path, `${name}-${n}`));
      }
      measured.push(round);
      console.error(
        `  round ${n + 1}: ${names.map((name) => `${name} ${speed(round[name])}`).join(', ')} pages per CPU second`,
      );
    }
  } finally {
    await web.stop();
    work.remove();
  }
  const { needed } = truthOf(web);
  const ratio = (a: Contender, b: Contender) =>
    ratioOf(measured.flatMap((round) => (round[a] && round[b] ? [speed(round[a]) / speed(round[b])] : [])));
  const shown = ['always', 'bare', 'crawlee'] as const;
  const same = measured.every(
    (round) => new Set(shown.flatMap((name) => round[name]?.work ?? [])).size === 1,
  );
  const figures = {
    alwaysToBare: ratio('always', 'bare'),
    alwaysToCrawlee: ratio('always', 'crawlee'),
    autoToAlways: ratio('auto', 'always'),
    firstPageMs: ratioOf(firstPageMs.always).median,
    firstPageMsOfBare: ratioOf(firstPageMs.bare).median,
  };
  const reached =
    (figures.alwaysToBare.median ?? 0) >= bars.alwaysToBare &&
    (figures.alwaysToCrawlee.median ?? 0) > bars.alwaysToCrawlee &&
    (figures.autoToAlways.median ?? 0) >= bars.autoToAlways &&
    (figures.firstPageMs ?? Number.POSITIVE_INFINITY) <= bars.firstPageMs;
  return {
    ok: same && (quick || reached),
    result: {
      ...figures,
      bars,
      // With `auto` every page that needs a browser is shown, so it cannot be faster than this.
      autoAtBest: Math.round((web.pages.size / needed) * 100) / 100,
      sameWork: same,
      cpuMsPerPage: Object.fromEntries(
        names.map((name) => [
          name,
          ratioOf(measured.flatMap((round) => (round[name] ? [round[name].cpuMs / round[name].pages] : [])))
            .median,
        ]),
      ),
      load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
      sizes: { pages: web.pages.size, needed, sites, rounds, concurrency, cores: cpus().length, quick },
    },
  };
}

function speed(finished: Finished | undefined): number {
  return finished ? Math.round((finished.pages / finished.cpuMs) * 100_000) / 100 : 0;
}

/** From the start of the program to the request for data that a page makes, where it is the only page. */
async function firstPage(name: 'always' | 'bare', web: BrowserWeb, folder: string): Promise<number> {
  const [url = ''] = [...web.pages].find(([, { kind }]) => kind === 'api') ?? [];
  const startedAtMs = performance.now();
  const { log } = await contend(name, { ...web, seeds: [url] }, folder, { onlySeeds: true });
  const asked = log.find(({ path }) => path.startsWith('/api/'));
  return asked ? Math.round(asked.startMs - startedAtMs) : Number.POSITIVE_INFINITY;
}

async function contend(
  name: Contender,
  web: BrowserWeb,
  folder: string,
  { onlySeeds } = { onlySeeds: false },
): Promise<Finished> {
  mkdirSync(folder);
  const words =
    name === 'always' || name === 'auto'
      ? await ourWords(web, name, folder, onlySeeds)
      : peerWords(web, name, folder, onlySeeds);
  web.takeLog();
  const child = spawn(process.execPath, words, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: folder,
    env: { ...process.env, NODE_ENV: 'production', WEBFARER_STATE: join(folder, 'state') },
  });
  const watch = watchCpu(child.pid as number);
  let told = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (told = (told + String(chunk)).slice(-3_000)));
  const code = await new Promise<number | null>((resolve) => child.once('exit', resolve));
  const cpuMs = watch.stop();
  if (code !== 0) throw new Error(`${name} ended with ${code}: ${told}`);
  const log = web.takeLog();
  return {
    pages: new Set(log.filter((seen) => isPage(web, seen)).map(({ host, path }) => `${host}${path}`)).size,
    cpuMs,
    work: workOf(web, log),
    log,
  };
}

function isPage(web: BrowserWeb, { host, path }: Seen): boolean {
  return web.isSite(host) && web.pages.has(web.urlOf({ site: Number(/\d+/.exec(host)?.[0]) }, path));
}

/** Pages, data and pictures of sites; what may be kept between pages, and what only we refuse, is left out. */
function workOf(web: BrowserWeb, log: readonly Seen[]): string {
  const kinds = log.flatMap(({ host, path, method }) =>
    web.isSite(host) && method === 'GET' && !/^\/(?:static\/|robots\.txt|privacy|frame\/)/.test(path)
      ? [`${host}${path}`]
      : [],
  );
  return JSON.stringify([...new Set(kinds)].toSorted());
}

const unlimited = {
  pages: 'none',
  perHost: { pages: 'none' },
  perSite: { pages: 'none' },
  minFree: '50MB',
} as const;

async function ourWords(
  web: BrowserWeb,
  render: 'always' | 'auto',
  folder: string,
  onlySeeds: boolean,
): Promise<string[]> {
  const job: JobInput = {
    name: 'render',
    seeds: web.seeds,
    contact: 'https://lab.test/crawler',
    scope: { stay: 'host' },
    limits: { ...unlimited, ...(onlySeeds ? { depth: 0 } : {}) },
    politeness: { gap: '0s', slowFactor: 0 },
    fetch: { ...web.fetch, timeout: '60s' },
    save: ['none'],
    render,
  };
  await writeJob(join(folder, 'job.json'), job);
  return [commandPath, 'run', join(folder, 'job.json'), '--out', join(folder, 'out.crawl'), '--quiet'];
}

function peerWords(web: BrowserWeb, name: 'bare' | 'crawlee', folder: string, onlySeeds: boolean): string[] {
  const task: PeerTask = { seeds: web.seeds, concurrency, onlySeeds, folder };
  return [join(import.meta.dirname, 'render', `${name}.ts`), JSON.stringify(task)];
}
