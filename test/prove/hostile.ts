// ci: core
// watches: packages/worker/src/egress, packages/worker/src/fetch, packages/worker/src/session
// watches: packages/worker/src/extract, packages/worker/src/page, packages/protocol/src/url
// watches: packages/protocol/src/robots
// misses: a server that means harm slowing or stopping the crawl of others
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobInput, PageRecord } from '@webfarer/protocol';
import { readFolder } from '../../packages/coordinator/src/crawl/reading/folder-reader.ts';
import type { BadHost, Seen } from '../hostile/main.ts';
import { type HostileWeb, startHostileWeb } from '../hostile/web.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { argument, startCrawler, workFolder, writeJob } from './lab.ts';

// ci: rated, because it compares rates.

const sizes = {
  quick: {
    goodHosts: 50,
    pagesPerHost: 6,
    gapMs: 1_000,
    every: 4,
    /** Beside other work a large body takes seconds to arrive. */
    timeoutMs: 8_000,
    /** Crawls of the good hosts alone. */
    alone: 1,
    deadlineMs: 60_000,
  },
  full: {
    goodHosts: 100,
    pagesPerHost: 25,
    gapMs: 1_000,
    every: 1,
    /** The default. Large bodies that wait for each other may take twice as long. */
    timeoutMs: 30_000,
    alone: 2,
    deadlineMs: 180_000,
  },
};
/**
 * `gapMs` is the pause between requests to a host, the default of every crawl. What a good host gets is
 * bounded by it on any machine, so its rate is kept when the crawler is back in time although bad servers take its time
 * and memory. Were the pause so short that the processor is the limit already without them, the measure would be how
 * many hosts there are, not what they do. Bad and good servers run on this machine too, the bad ones at low priority;
 * other work on it lowers the rate beside them more than the rate alone.
 */
type Sizes = (typeof sizes)['full'];

const maxRssMiB = 512;
const minRateKept = 0.9;

/**
 * Every server we know that means harm, all at once beside good hosts, in one crawl by the command. The measure for
 * the rate of the good hosts are crawls of them alone, before it and after it.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const chosen = quick ? sizes.quick : sizes.full;
  const size = { ...chosen, pagesPerHost: Number(argument(args, '--pages') ?? chosen.pagesPerHost) };
  const only = argument(args, '--only');
  const folder = workFolder('hostile');
  const web = await startHostileWeb({ ...size, every: only === undefined ? size.every : 1 });
  try {
    const bad = only === undefined ? web.bad : web.bad.filter(({ name }) => name.startsWith(only));
    const run = (name: string, servers: BadHost[]): Promise<Crawled> =>
      crawl({ web, size, folder: join(folder.path, name), bad: servers });
    const before = await run('before', []);
    const both = await run('both', bad);
    const all = size.alone > 1 ? [before, both, await run('after', [])] : [before, both];
    const rates = ratesOf(
      both,
      all.filter((crawled) => crawled !== both),
    );
    const ends = bad.map((host) => ({ host, ...endOf(host, both.records) }));
    const without = ends.filter(({ host, reason }) => !host.expects.includes(reason));
    if (args.includes('--list'))
      for (const { host, reason, detail } of ends) console.error(`${host.name}\t${reason}\t${detail}`);
    const rssMiB = Math.max(...all.map((crawled) => crawled.rssMiB));
    const faults = [
      ...all.filter(({ crashed }) => crashed).map(({ output }) => `ended badly: ${output.slice(-600)}`),
      ...without.map(({ host, reason, detail }) => `${host.name}: ${reason} ${detail}`),
      ...both.forbidden.map((what) => `asked for what is forbidden: ${what}`),
      ...all.filter(({ open }) => open > 0).map(({ open }) => `${open} URLs left open`),
      ...(both.goodAtMs.length === before.goodAtMs.length
        ? []
        : [`good pages: ${both.goodAtMs.length}, alone ${before.goodAtMs.length}`]),
      ...(rssMiB <= maxRssMiB ? [] : [`${rssMiB} MiB of memory`]),
    ];
    return {
      tooSlow: rates.kept < minRateKept,
      ok: faults.length === 0,
      result: {
        servers: bad.length,
        crashes: all.filter(({ crashed }) => crashed).length,
        rssMiB,
        goodRateKept: rates.kept,
        withoutReason: without.length,
        goodPagesPerSecond: rates.both,
        goodPagesPerSecondAlone: rates.alone,
        comparedSeconds: rates.seconds,
        goodPages: both.goodAtMs.length,
        contacted: both.contacted,
        reasons: tally(ends.map(({ reason }) => reason)),
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

/**
 * Pages of good hosts a second, compared over a time of the same length: from the first good page for as long as both
 * the good hosts and the bad servers were being asked. What comes after the last attack would only flatter.
 */
function ratesOf(
  both: Crawled,
  alone: Crawled[],
): { kept: number; both: number; alone: number; seconds: number } {
  const [first = 0, last = 0] = [both.goodAtMs[0], both.goodAtMs.at(-1)];
  const ms = Math.min(last, both.harm.toMs || last) - first;
  const rate = ({ goodAtMs }: Crawled): number => {
    const start = goodAtMs[0] ?? 0;
    const lengthMs = Math.min(ms, (goodAtMs.at(-1) ?? 0) - start);
    return (goodAtMs.filter((at) => at - start <= lengthMs).length / lengthMs) * 1_000;
  };
  const measure = alone.reduce((sum, crawled) => sum + rate(crawled), 0) / alone.length;
  const round = (value: number, digits: number): number => Math.round(value * 10 ** digits) / 10 ** digits;
  return {
    kept: round(rate(both) / measure, 3),
    both: round(rate(both), 0),
    alone: round(measure, 0),
    seconds: round(ms / 1_000, 1),
  };
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
      perHost: { pages: size.pagesPerHost + 1 },
      perSite: { pages: size.pagesPerHost * 2 + bad.length * 3 },
      minFree: '50MB',
    },
    politeness: {
      gap: `${size.gapMs}ms`,
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

interface Crawled extends Seen {
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
  const seen = await web.seen();
  const { records, open } = await recordsIn(`${folder}.crawl`);
  console.error(
    `${bad.length} bad servers: ${seen.goodAtMs.length} good pages, ${rssMiB} MiB, ${seconds} s, exit ${code}`,
  );
  const output = `${code}: ${crawler.output()}`;
  return { ...seen, records, rssMiB, crashed: code !== 0, open, output, seconds };
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
