// watches: packages/worker/src/markdown, packages/worker/src/save
// misses: the comparison with Crawl4AI no longer runs
import { execFile } from 'node:child_process';
import { rmSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { argument, workFolder } from '../test/prove/lab.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { crawl4aiPython, hasCrawl4ai, installCrawl4ai } from './broad/peers.ts';
import { ratioOf } from './broad/statistics.ts';
import type { Finished, Task } from './broad/work.ts';
import { startArticleWeb } from './markdown/article-web.ts';

const concurrency = 32;
/** At least this many times Crawl4AI's pages per second of CPU. */
const bar = 4;
const run = promisify(execFile);
const here = (file: string) => join(import.meta.dirname, 'markdown', file);

const contenders = {
  ours: () => [process.execPath, here('ours.ts')],
  oursWholePage: () => [process.execPath, here('ours.ts'), 'whole'],
  crawl4ai: () => [crawl4aiPython(), here('crawl4ai_pages.py')],
} satisfies Record<string, () => string[]>;
type Contender = keyof typeof contenders;
type Round = Partial<Record<Contender, Finished>>;

/**
 * Pages of the article corpus as Markdown files, in pages per second of CPU of the whole process tree: a crawl with
 * `save: markdown` against the HTTP strategy of Crawl4AI with its default Markdown, in turns. The web's own log says
 * that all were sent the same pages. The quick form shows that it runs; it takes Crawl4AI along only where it is
 * installed. `--rounds N`, `--copies N` of the corpus.
 */
export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const corpora = process.env.WEBFARER_CORPORA ?? join(import.meta.dirname, '../../shared/corpora');
  const rounds = Number(argument(args, '--rounds') ?? (quick ? 1 : 5));
  const isThere = quick ? await hasCrawl4ai() : (await installCrawl4ai()) !== undefined;
  const names: Contender[] = [
    'ours',
    ...(quick ? [] : ['oursWholePage' as const]),
    ...(isThere ? ['crawl4ai' as const] : []),
  ];
  const work = workFolder('markdown');
  const copies = Number(argument(args, '--copies') ?? 4);
  const size = quick ? { hosts: 8, copies: 1, every: 20 } : { hosts: 32, copies, every: 1 };
  const web = await startArticleWeb(corpora, size);
  const task: Task = { seeds: web.urls, inside: '', concurrency, folder: work.path };
  const measured: Round[] = [];
  let same = true;
  try {
    for (let n = 0; n < rounds; n++) {
      const round: Round = {};
      for (let i = 0; i < names.length; i++) {
        const name = names[(i + n) % names.length] as Contender;
        const finished = await contend(name, task);
        round[name] = finished;
        const log = web.takeLog();
        const all = log.length === web.urls.length && new Set(log).size === log.length;
        if (!all || finished.pages !== log.length) {
          same = false;
          console.error(`  ${name}: ${log.length} of ${web.urls.length} pages sent, ${finished.pages} files`);
        }
      }
      measured.push(round);
      const told = names.map((name) => `${name} ${speed(round[name])?.toFixed(1)}`).join(', ');
      console.error(`  round ${n + 1}: ${told} pages per CPU second`);
    }
  } finally {
    await web.stop();
    work.remove();
  }
  const ratio = (ours: Contender, other: Contender) =>
    ratioOf(
      measured.flatMap((round) => {
        const [a, b] = [speed(round[ours]), speed(round[other])];
        return a === undefined || b === undefined ? [] : [a / b];
      }),
    );
  const figures = {
    oursToCrawl4ai: ratio('ours', 'crawl4ai'),
    wholePageToCrawl4ai: ratio('oursWholePage', 'crawl4ai'),
  };
  const each = (figure: (finished: Finished) => number) =>
    Object.fromEntries(
      names.map((name) => [
        name,
        ratioOf(measured.flatMap((round) => (round[name] ? [figure(round[name])] : []))).median,
      ]),
    );
  return {
    ok: same && (quick || (figures.oursToCrawl4ai.median ?? 0) >= bar),
    result: {
      ...figures,
      bar,
      samePages: same,
      pagesPerCpuSecond: each((finished) => Math.round((speed(finished) ?? 0) * 10) / 10),
      cpuMsPerPage: each(({ cpuMs, pages }) => Math.round((cpuMs / pages) * 100) / 100),
      startCpuMs: each(({ startCpuMs }) => startCpuMs),
      rssMiB: each(({ rssMiB }) => rssMiB),
      load: Math.round((loadavg()[0] ?? 0) * 10) / 10,
      sizes: {
        pages: web.urls.length,
        meanBytes: web.meanBytes,
        rounds,
        concurrency,
        cores: cpus().length,
        quick,
      },
    },
  };
}

/** In a process of its own, with nothing left from the one before. */
async function contend(name: Contender, task: Task): Promise<Finished> {
  for (const left of ['ours.crawl', 'hosts.db', 'crawl4ai'])
    rmSync(join(task.folder, left), { recursive: true, force: true });
  const [command = '', file = '', ...more] = contenders[name]() as string[];
  const { stdout, stderr } = await run(command, [file, JSON.stringify(task), ...more], {
    timeout: 900_000,
    cwd: task.folder,
    maxBuffer: 1e8,
    env: { ...process.env, NODE_ENV: 'production', HOME: task.folder },
  });
  if (stderr !== '') console.error(stderr.slice(-2_000));
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '{}') as Finished;
}

function speed(finished: Finished | undefined): number | undefined {
  return finished && (finished.pages / finished.cpuMs) * 1_000;
}
