// watches: packages/cli/src/local, packages/cli/src/crawling, packages/cli/src/network, packages/graph/src/report
// watches: packages/graph/src/stats, packages/graph/src/files, packages/coordinator/src/results
// watches: packages/coordinator/src/network, packages/coordinator/src/crawl
// misses: a coordinator that answers nobody while it writes a report
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Agent, createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { openSqliteFrontier } from '@webfarer/coordinator';
import { type CrawlId, type Offer, systemClock, type Url, type WorkerId } from '@webfarer/protocol';
import { copyWith } from '../faults/changed-source.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { freePorts } from '../redis/server-process.ts';
import { argument, commandPath, until, workFolder, writeJob } from './lab.ts';

// ci: rated, because it judges how soon a busy process answers.

const sizes = { quick: { urls: 20_000 }, full: { urls: 1_000_000 } } as const;
const hosts = 500;
const linksPerPage = 5;
/** A supervisor or a worker must be answered this soon. */
const healthMs = 100;
/** Share of answers that may be later: a busy machine delays a few whatever the process does. */
const lateShare = 0.05;
const askEveryMs = 20;
/** docs/signals.md */
const stopLimitMs = 30_000;

/** Without the thread, and without turns of the event loop between pages of results. */
const onMainThread = [
  {
    file: 'packages/cli/src/local/write-all.ts',
    from: 'const MANY_RECORDS = 20_000;',
    to: 'const MANY_RECORDS = Number.POSITIVE_INFINITY;',
  },
  {
    file: 'packages/coordinator/src/results/read-results.ts',
    from: 'new Promise<void>((resolve) => setImmediate(resolve))',
    to: 'Promise.resolve()',
  },
];

/**
 * A coordinator with a large crawl stops within 30 s of a signal. Started again, it finishes the crawl and writes the
 * report, and `/health` must be answered all the while. With the report on the main thread it must not be: otherwise
 * the trial shows nothing.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const urls = Number(argument(args, '--count') ?? (quick ? sizes.quick : sizes.full).urls);
  const control = Math.min(urls, 50_000);
  const ours = await measure(urls, commandPath);
  const theirs = await measure(control, undefined);
  console.error(JSON.stringify({ ours, theirs }));
  return {
    tooSlow:
      ours.late > ours.asked * lateShare || ours.maxMs * 3 >= theirs.maxMs || ours.stopMs >= stopLimitMs,
    ok: ours.asked > 20,
    result: {
      urls,
      asked: ours.asked,
      healthMaxMs: ours.maxMs,
      late: ours.late,
      endedAfterMs: ours.tookMs,
      stopMs: ours.stopMs,
      healthMaxMsInControl: theirs.maxMs,
      sizes: { urls, control },
    },
  };
}

interface Measured {
  asked: number;
  maxMs: number;
  /** Answers that took longer than a supervisor waits. */
  late: number;
  /** From the last page of the crawl to the end of the process. */
  tookMs: number;
  /** From SIGTERM to the end of a coordinator that had all of it open. */
  stopMs: number;
}

async function measure(urls: number, command: string | undefined): Promise<Measured> {
  const work = workFolder('busy-report');
  const site = createServer((_, response) => response.end('<p>the last page'));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = site.address() as AddressInfo;
    const seed = `http://127.0.0.1:${port}/last`;
    const job = join(work.path, 'job.json');
    const none = 'none';
    await writeJob(job, {
      name: 'large',
      seeds: [seed],
      contact: 'https://lab.test/crawler',
      scope: { stay: 'web' },
      limits: { pages: none, bytes: none, duration: none, minFree: '1MB' },
      fetch: { allowPrivate: ['127.0.0.0/8'] },
    });
    const data = join(work.path, 'data');
    const bin = command ?? copyWith(onMainThread, join(work.path, 'control'));
    const [listen = 0] = await freePorts('127.0.0.1', 1);
    const words = ['coordinator', job, '--data', data, '--listen', `127.0.0.1:${listen}`, '--quiet'];
    await beginAndStop(bin, words);
    await fill(join(data, 'crawl.db'), { id: idIn(data), urls, seed });
    let fetchedAtMs = 0;
    site.on('request', ({ url }: { url?: string }) => {
      if (url === '/last') fetchedAtMs = performance.now();
    });
    const stopMs = await beginAndStop(bin, words);
    const coordinator = start(bin, [...words, '--until-done']);
    const token = join(data, 'worker.token');
    const out = join(work.path, 'worker');
    const address = `http://127.0.0.1:${listen}`;
    const worker = start(bin, ['worker', address, '--token-file', token, '--out', out, '--until-done']);
    try {
      await until('the last page', () => fetchedAtMs > 0, 240_000);
      const answers = await askHealth(listen, coordinator.ended);
      const code = await coordinator.ended;
      if (code !== 0) throw new Error(`the coordinator ended with ${code}:\n${coordinator.output()}`);
      return { ...answers, stopMs, tookMs: Math.round(performance.now() - fetchedAtMs) };
    } finally {
      for (const { child } of [coordinator, worker]) child.kill('SIGKILL');
    }
  } finally {
    site.close();
    site.closeAllConnections();
    work.remove();
  }
}

function start(bin: string, words: string[]) {
  const child = spawn(process.execPath, [bin, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text = (text + chunk.toString()).slice(-10_000);
    });
  const ended = new Promise<number | string>((resolve) => {
    child.once('close', (code, signal) => resolve(code ?? signal ?? 'gone'));
  });
  return { child, ended, output: () => text };
}

/** Opens the folder as a person would, and stops it again. Answers how long that took, from the signal on. */
async function beginAndStop(bin: string, words: string[]): Promise<number> {
  const { child, ended, output } = start(bin, words);
  await until('the folder', () => output().includes('Listening on'), 120_000);
  const from = performance.now();
  child.kill('SIGTERM');
  const code = await ended;
  if (code !== 0) throw new Error(`ended with ${code}:\n${output()}`);
  return Math.round(performance.now() - from);
}

function idIn(folder: string): CrawlId {
  return (JSON.parse(readFileSync(join(folder, 'crawl.json'), 'utf8')) as { id: CrawlId }).id;
}

const pageUrl = (n: number) => `http://h${n % hosts}.test/p/${n}` as Url;

/** Settles so many URLs, with links between them, as a crawl would have done. */
async function fill(
  path: string,
  { id, urls, seed }: { id: CrawlId; urls: number; seed: string },
): Promise<void> {
  const clock = systemClock();
  const frontier = openSqliteFrontier({ path, clock });
  const worker = 'filler' as WorkerId;
  try {
    await frontier.openCrawl({
      id,
      gapMs: 0,
      leaseTtlMs: 60_000,
      maxFetchMs: 20_000,
      backoffMs: 1_000,
      deadAfter: 3,
      poisonAfter: 3,
      limits: {},
    });
    await frontier.setState(id, 'running');
    for (let n = 0; n < urls; n += 5_000) {
      const count = Math.min(5_000, urls - n);
      const offers = Array.from(
        { length: count },
        (_, i): Offer => ({ url: pageUrl(n + i), kind: 'page', depth: 1, cost: 1, hops: 1 }),
      );
      await frontier.offer(id, offers);
    }
    for (let left = urls; left > 0; ) {
      const { leases } = await frontier.lease({ worker, hosts: 100, urlsPerHost: 100, crawls: [id] });
      const reports = leases.map((lease) => ({
        ...lease,
        settled: lease.entries
          .filter(({ url }) => url !== seed)
          .map(({ url }) => settledPage(url, urls, clock.now())),
        news: { endedAgoMs: 0, gapMs: 0, why: 'gap' as const, health: 'ok' as const },
        close: true,
      }));
      await frontier.report(reports);
      left -= reports.reduce((sum, { settled }) => sum + settled.length, 0);
    }
    await frontier.releaseAll();
    await frontier.setState(id, 'stopped');
  } finally {
    await frontier.close();
  }
}

function settledPage(url: Url, urls: number, nowMs: number) {
  const n = Number(url.slice(url.lastIndexOf('/') + 1));
  const isBroken = n % 50 === 0;
  return {
    kind: 'outcome' as const,
    url,
    record: {
      url,
      verdict: 'done' as const,
      reason: isBroken ? ('http-4xx' as const) : ('ok' as const),
      status: isBroken ? 404 : 200,
      kind: 'page' as const,
      depth: 1,
      cost: 1,
      bytes: 1_000 + (n % 5_000),
      mime: 'text/html',
      attempts: 1,
      startedAtMs: Math.round(nowMs),
      durationMs: n % 400,
      title: `Page ${n}`,
      links: linksPerPage,
      items: 0,
    },
    offers: [],
    edges: Array.from({ length: linksPerPage }, (_, i) => ({
      to: pageUrl((n * 31 + i * 7_919) % urls),
      text: `link ${i}`,
      rel: 'a',
    })),
    items: [],
    dropped: {},
  };
}

/** Asks all the while until the process ends; answers how long it was kept waiting. */
async function askHealth(
  port: number,
  ended: Promise<unknown>,
): Promise<Omit<Measured, 'tookMs' | 'stopMs'>> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const took: number[] = [];
  let over = false;
  void ended.then(() => {
    over = true;
  });
  while (!over) {
    const from = performance.now();
    const ok = await new Promise<boolean>((resolve) => {
      get({ host: '127.0.0.1', port, path: '/health', agent }, (response) => {
        response.resume();
        response.once('end', () => resolve(response.statusCode === 200));
      }).once('error', () => resolve(false));
    });
    if (ok) took.push(performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  }
  agent.destroy();
  return {
    asked: took.length,
    maxMs: Math.round(Math.max(0, ...took)),
    late: took.filter((ms) => ms >= healthMs).length,
  };
}
