import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { JobInput, PageRecord } from '@webfarer/protocol';
import { type NetworkProcess, networkProcess } from '../network/process.ts';

/** The pause between two requests to a host. */
export const gapMs = 500;
/** A process that starts computes without a pause, whatever it is given. */
export const loadingMs = 10_000;

/** How long a process computed without a pause. */
export interface Block {
  process: string;
  pid: number;
  blockMs: number;
  atMs: number;
}

/** A coordinator and a worker, each a process of its own. */
export interface Network {
  start(): Promise<void>;
  create(name: string, job: Partial<JobInput>): Promise<void>;
  /** What a job is refused with; undefined: it is accepted. */
  refusal(job: unknown): Promise<string | undefined>;
  previewScope(crawl: string, changes: unknown): Promise<void>;
  records(crawl: string): Promise<PageRecord[]>;
  /** Of the larger of the two processes. */
  memoryMiB(): number;
  /** What is measured from here on counts. */
  watch(): void;
  topMiB(): number;
  /** The longest first, without those of the time in which a process loads its code. */
  blocks(whileLoadingMs: number): Block[];
  /** The longest of that time: how much longer it was after a restart than at the first start, which has nothing to resume. */
  longerAtRestart(whileLoadingMs: number): Omit<Block, 'atMs' | 'pid'>[];
  kill(): Promise<void>;
  stop(): Promise<void>;
}

const listening = /^Listening on (http:\/\/\S+)$/m;

export function openNetwork(under: string): Network {
  const loop = (name: string) => join(under, `${name}.loop`);
  const env = (name: string) => ({
    NODE_OPTIONS: `--import=${join(import.meta.dirname, 'watch-loop.ts')}`,
    BOUNDED_LOOP_FILE: loop(name),
  });
  const data = join(under, 'data');
  let port = '0';
  const coordinator = networkProcess({
    name: 'coordinator',
    folder: data,
    env: env('coordinator'),
    words: () => ['coordinator', '--data', data, '--listen', `127.0.0.1:${port}`],
    atWork: (printed) => listening.test(printed),
  });
  const url = () => [...coordinator.output().matchAll(new RegExp(listening, 'gm'))].at(-1)?.[1] ?? '';
  const folder = join(under, 'worker');
  const worker = networkProcess({
    name: 'worker',
    folder,
    env: env('worker'),
    words: () => {
      const own = ['--token-file', join(data, 'worker.token'), '--out', folder];
      return ['worker', url(), ...own, '--allow-private', '127.0.0.0/8'];
    },
    atWork: () => true,
  });
  const processes = [coordinator, worker];
  let fromMs = Number.POSITIVE_INFINITY;
  let topMiB = 0;
  const looking = setInterval(() => {
    topMiB = Math.max(topMiB, ...processes.map(residentMiB));
  }, 200);
  const ask = async (method: string, path: string, body?: unknown): Promise<string> => {
    const token = (await readFile(join(data, 'operator.token'), 'utf8')).trim();
    const answer = await fetch(url() + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return text;
  };
  /** With the time since their process began to run. */
  const allBlocks = (): (Block & { sinceStartMs: number })[] =>
    ['coordinator', 'worker']
      .filter((name) => existsSync(loop(name)))
      .flatMap((name) => {
        const its = readFileSync(loop(name), 'utf8')
          .trim()
          .split('\n')
          .map((line) => ({ ...(JSON.parse(line) as Block), process: name }));
        const startedMs = new Map(its.toReversed().map(({ pid, atMs }) => [pid, atMs]));
        return its.map((block) => ({ ...block, sinceStartMs: block.atMs - (startedMs.get(block.pid) ?? 0) }));
      });
  return {
    async start() {
      await coordinator.start();
      port = /:(\d+)$/.exec(url())?.[1] ?? port;
      await worker.start();
    },
    async create(name, more) {
      const job = {
        name,
        team: name === 'good' ? 'blue' : 'red',
        contact: 'https://lab.test/crawler',
        save: ['none'],
        politeness: { gap: `${gapMs}ms`, slowFactor: 0 },
        robots: { sitemaps: false },
        ...more,
        fetch: { allowPrivate: ['127.0.0.0/8'], retries: { count: 1 }, ...more.fetch },
      };
      await ask('POST', '/v1/crawls', { job });
    },
    async refusal(more) {
      const job = { name: 'refused', seeds: ['http://127.4.0.1/'], ...(more as object) };
      return await ask('POST', '/v1/crawls', { job }).then(
        () => undefined,
        (error: unknown) => (error as Error).message,
      );
    },
    async previewScope(crawl, changes) {
      await ask('POST', `/v1/crawls/${crawl}/scope-preview`, { changes });
    },
    async records(crawl) {
      const text = await ask('GET', `/v1/crawls/${crawl}/results?limit=10000`);
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { record?: PageRecord })
        .flatMap(({ record }) => record ?? []);
    },
    memoryMiB: () => Math.max(...processes.map(residentMiB)),
    watch() {
      fromMs = Date.now();
      topMiB = 0;
    },
    topMiB: () => topMiB,
    blocks: (whileLoadingMs) =>
      allBlocks()
        .filter(({ atMs, sinceStartMs }) => atMs >= fromMs && sinceStartMs > whileLoadingMs)
        .toSorted((one, other) => other.blockMs - one.blockMs),
    longerAtRestart: (whileLoadingMs) =>
      ['coordinator', 'worker'].map((process) => {
        const its = allBlocks().filter(
          (block) => block.process === process && block.sinceStartMs <= whileLoadingMs,
        );
        const longest = [...Map.groupBy(its, ({ pid }) => pid).values()].map((each) =>
          Math.max(...each.map(({ blockMs }) => blockMs)),
        );
        const [first = 0, ...again] = longest;
        return { process, blockMs: Math.max(0, ...again) - first };
      }),
    async kill() {
      await Promise.all(processes.map((one) => one.kill()));
    },
    async stop() {
      clearInterval(looking);
      await Promise.all(processes.map((one) => one.kill()));
    },
  };
}

function residentMiB({ pid }: NetworkProcess): number {
  try {
    return Math.round(
      Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8'))?.[1]) / 1_024,
    );
  } catch {
    return 0;
  }
}
