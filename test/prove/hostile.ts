import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobInput, PageRecord } from '@webfarer/protocol';
import { readFolder } from '../../packages/cli/src/local/folder-reader.ts';
import type { BadHost } from '../hostile/main.ts';
import { type HostileWeb, startHostileWeb } from '../hostile/web.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, startCrawler, workFolder, writeJob } from './lab.ts';

const sizes = {
  quick: {
    goodHosts: 20,
    pagesPerHost: 80,
    every: 4,
    copies: 1,
    timeoutMs: 3_000,
    hostPages: 90,
    deadlineMs: 60_000,
  },
  full: {
    goodHosts: 24,
    pagesPerHost: 500,
    every: 1,
    copies: 1,
    timeoutMs: 5_000,
    hostPages: 600,
    deadlineMs: 300_000,
  },
};
type Sizes = (typeof sizes)['full'];

/** A good host is asked again this long after its answer, so the rate has room on a small machine. */
const gapMs = 50;
const maxRssMiB = 512;
const minRateKept = 0.9;

/**
 * Every server we know that means harm, all at once beside good hosts, in one crawl by the command. The same crawl of
 * the good hosts alone is the measure for their rate.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const chosen = quick ? sizes.quick : sizes.full;
  const size = { ...chosen, pagesPerHost: Number(argument(args, '--pages') ?? chosen.pagesPerHost) };
  const only = argument(args, '--only');
  const folder = workFolder('hostile');
  const web = await startHostileWeb({ ...size, every: only === undefined ? size.every : 1 });
  try {
    const bad = only === undefined ? web.bad : web.bad.filter(({ name }) => name.startsWith(only));
    const alone = await crawl({ web, size, folder: join(folder.path, 'alone'), bad: [] });
    const both = await crawl({ web, size, folder: join(folder.path, 'both'), bad });
    const ends = bad.map((host) => ({ host, end: endOf(host, both.records) }));
    const without = ends.filter(({ host, end }) => !host.expects.includes(end.reason));
    const goodRateKept = Math.round((both.goodRate / alone.goodRate) * 1_000) / 1_000;
    const faults = [
      ...both.pagesPastRobots.map((name) => `${name}: pages asked for without rules`),
      ...[alone, both]
        .filter(({ crashed }) => crashed)
        .map(({ output }) => `ended badly: ${output.slice(-600)}`),
      ...without.map(({ host, end }) => `${host.name}: ${end.reason} ${end.detail}`),
      ...[alone, both].filter(({ open }) => open > 0).map(({ open }) => `${open} URLs left open`),
      ...(both.goodPages === alone.goodPages
        ? []
        : [`good pages: ${both.goodPages}, alone ${alone.goodPages}`]),
    ];
    const rssMiB = Math.max(alone.rssMiB, both.rssMiB);
    // Rate and memory are judged at full size only: of a few hosts for a few seconds they say little.
    const spared = quick || (rssMiB <= maxRssMiB && goodRateKept >= minRateKept);
    const ok = faults.length === 0 && spared;
    return {
      ok,
      result: {
        servers: bad.length,
        crashes: [alone, both].filter(({ crashed }) => crashed).length,
        rssMiB,
        goodRateKept,
        withoutReason: without.length,
        goodPagesPerSecond: Math.round(both.goodRate),
        goodPages: both.goodPages,
        contacted: both.contacted,
        reasons: tally(ends.map(({ end }) => end.reason)),
        crawlSeconds: both.seconds,
        faults: faults.slice(0, 60),
        sizes: size,
      },
    };
  } finally {
    await web.stop();
    folder.remove();
  }
}

function jobFor(web: HostileWeb, size: Sizes, bad: BadHost[]): JobInput {
  return {
    name: 'hostile',
    seeds: [...web.good, ...bad.map(({ url }) => url)],
    contact: 'https://lab.test/crawler',
    scope: { stay: 'web' },
    limits: {
      pages: 'none',
      bytes: 'none',
      duration: 'none',
      depth: 'none',
      cost: 'none',
      perHost: { pages: size.hostPages },
      perSite: { pages: size.pagesPerHost * 2 + bad.length * 3 },
      minFree: '50MB',
    },
    politeness: {
      gap: `${gapMs}ms`,
      slowFactor: 0,
      connections: 1_000,
      retryAfterMax: '1s',
      crawlDelayMax: '1s',
    },
    robots: { giveUpAfter: '1s' },
    fetch: {
      dns: [web.dns],
      allowPrivate: ['127.0.0.0/8'],
      timeout: `${size.timeoutMs}ms`,
      retries: { count: 0, backoff: '100ms', deadAfter: 2 },
    },
  };
}

interface Crawled {
  goodRate: number;
  goodPages: number;
  pagesPastRobots: string[];
  contacted: number;
  records: Map<string, PageRecord>;
  rssMiB: number;
  crashed: boolean;
  open: number;
  output: string;
  seconds: number;
}

async function crawl(options: {
  web: HostileWeb;
  size: Sizes;
  folder: string;
  bad: BadHost[];
}): Promise<Crawled> {
  const { web, size, folder, bad } = options;
  await web.reset();
  await writeJob(`${folder}.json`, jobFor(web, size, bad));
  const started = performance.now();
  const crawler = startCrawler(`${folder}.json`, `${folder}.crawl`);
  let rssMiB = 0;
  const watch = setInterval(() => {
    rssMiB = Math.max(rssMiB, peakMiB(crawler.child.pid ?? 0));
  }, 50);
  // A crawl that hangs is as bad as one that falls.
  const tooLong = setTimeout(() => crawler.child.kill('SIGKILL'), size.deadlineMs);
  const code = await crawler.ended;
  clearTimeout(tooLong);
  clearInterval(watch);
  const seconds = Math.round((performance.now() - started) / 100) / 10;
  const { goodMs, goodPages, pagesPastRobots, contacted } = await web.seen();
  const { records, open } = code === 0 ? await recordsIn(`${folder}.crawl`) : { records: new Map(), open: 0 };
  const goodRate = (goodPages / goodMs) * 1_000;
  const rest = {
    records,
    rssMiB,
    crashed: code !== 0,
    open,
    output: `${code}: ${crawler.output()}`,
    seconds,
  };
  console.error(
    `${bad.length} bad servers: ${goodRate.toFixed(0)} good pages/s, ${rssMiB} MiB, ${seconds} s, exit ${code}`,
  );
  return { goodRate, goodPages, pagesPastRobots, contacted, ...rest };
}

/** The most memory the process ever had, as the kernel knows it. */
function peakMiB(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Math.round(Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_024);
  } catch {
    return 0;
  }
}

async function recordsIn(folder: string): Promise<{ records: Map<string, PageRecord>; open: number }> {
  const reader = await readFolder(folder);
  const records = new Map<string, PageRecord>();
  try {
    for await (const record of reader.results.records(reader.crawl)) records.set(record.url, record);
    const { queued, leased } = await reader.balance();
    return { records, open: queued + leased };
  } finally {
    await reader.close();
  }
}

function endOf(host: BadHost, records: Map<string, PageRecord>): { reason: string; detail: string } {
  const record = records.get(host.url);
  return { reason: record?.reason ?? 'no record', detail: record?.detail ?? '' };
}

function tally(words: string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
