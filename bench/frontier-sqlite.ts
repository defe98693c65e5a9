// watches: packages/coordinator/src/sqlite, packages/coordinator/src/frontier/sqlite
// misses: the measurement of the frontier on SQLite no longer runs
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteFrontier, type SqliteFrontier, sqlite } from '../packages/coordinator/src/index.ts';
import { type CrawlId, type Offer, systemClock, type Url } from '../packages/protocol/src/index.ts';
import { fingerprinter } from '../packages/protocol/src/url/index.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { randomNumbers, shuffle } from './random.ts';

/**
 * Offers of which 45 % are known already: our whole `offer` (fingerprint, entry, queue, counters, durable)
 * against the least that any exact store on `node:sqlite` has to do, INSERT OR IGNORE of the same
 * fingerprints, which it is given ready made. Same batches, one durable commit each, same number known.
 */
interface Sizes {
  /** Known URLs at which is measured. */
  known: [number, number];
  /** The median round counts. */
  rounds: number;
  /** So many that every round has its share of what is put off: queues are listed every 131,072 new URLs. */
  offersPerRound: number;
  offersPerCommit: number;
  duplicates: number;
  hosts: number;
}

const full: Sizes = {
  known: [1_000_000, 10_000_000],
  rounds: 5,
  offersPerRound: 240_000,
  offersPerCommit: 1000,
  duplicates: 0.45,
  hosts: 10_000,
};
const small: Sizes = { ...full, known: [20_000, 200_000], rounds: 2, offersPerRound: 40_000, hosts: 1000 };

/** The promise is about millions; where everything fits into a cache, bare inserts are at their best. */
const bars = { full: 0.6, quick: 0.3 };
const rssBarMiB = 500;
const crawl = 'bench' as CrawlId;

interface Contender {
  offer(batch: Batch): Promise<number>;
  close(): Promise<void>;
}

interface Batch {
  offers: Offer[];
  prints: bigint[];
}

export async function bench({ quick, args }: BenchOptions): Promise<BenchResult> {
  const sizes = { ...(quick ? small : full), ...overrides(args) };
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-bench-'));
  const web = linkSource(sizes);
  const peak = watchRss();
  const ours = await openOurs(join(folder, 'ours.db'));
  const bare = openBare(join(folder, 'bare.db'));
  try {
    const levels: Level[] = [];
    for (const known of sizes.known) {
      await fill(web, { ours, bare, known, sizes });
      levels.push(await measure(web, { ours, bare, sizes }));
    }
    const [low, high] = levels as [Level, Level];
    const rssMiB = peak();
    const bar = quick ? bars.quick : bars.full;
    const result = {
      oursToBare1M: low.ratio,
      oursToBare10M: high.ratio,
      bar,
      flatness: round3(high.oursPerSecond / low.oursPerSecond),
      rssMiB,
      cpuRatio: levels.map((level) => level.cpuRatio),
      oursPerSecond: levels.map((level) => level.oursPerSecond),
      barePerSecond: levels.map((level) => level.barePerSecond),
      sizes,
    };
    return { ok: low.ratio >= bar && high.ratio >= bar && rssMiB < rssBarMiB, result };
  } finally {
    await ours.close();
    await bare.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** `--known 100000,1000000` and `--hosts N`, to try things out. */
function overrides(args: string[]): Partial<Sizes> {
  const value = (name: string) => args[args.indexOf(name) + 1] ?? '';
  const found: Partial<Sizes> = {};
  if (args.includes('--known')) found.known = value('--known').split(',').map(Number) as [number, number];
  if (args.includes('--hosts')) found.hosts = Number(value('--hosts'));
  return found;
}

// --- what is offered

interface LinkSource {
  known: number;
  /** `fresh` new URLs and so many known ones among them that their share is right. */
  batch(fresh: number, duplicates: number): Batch;
}

function linkSource({ hosts }: Sizes): LinkSource {
  const random = randomNumbers(42);
  const print = fingerprinter(new Uint8Array(16).fill(7));
  const source: LinkSource = {
    known: 0,
    batch(fresh, duplicates) {
      const numbers: number[] = [];
      const before = Math.max(1, source.known);
      for (let i = 0; i < fresh; i++) numbers.push(source.known++);
      for (let i = 0; i < duplicates; i++) numbers.push(Math.floor(random() * before));
      shuffle(numbers, random);
      const urls = numbers.map((n) => urlOf(n, hosts));
      const offers = urls.map((url): Offer => ({ url, kind: 'page', depth: 2, cost: 0, hops: 0 }));
      return { offers, prints: urls.map((url) => print(url)) };
    },
  };
  return source;
}

/** The n-th URL of the web. Hosts are drawn with a skew: a tenth of them has a third of the URLs. */
function urlOf(n: number, hosts: number): Url {
  const spread = ((Math.imul(n, 0x9e3779b1) >>> 0) / 2 ** 32) ** 2;
  const host = Math.floor(spread * hosts);
  return `https://www.site-${host}.example/section-${n % 37}/some-article-title-${n.toString(36)}` as Url;
}

// --- who takes it

async function openOurs(path: string): Promise<Contender & { frontier: SqliteFrontier }> {
  const frontier = openSqliteFrontier({ path, clock: systemClock() });
  const pace = { gapMs: 1000, leaseTtlMs: 60_000, maxFetchMs: 30_000, backoffMs: 10_000, deadAfter: 5 };
  await frontier.openCrawl({ id: crawl, ...pace, limits: {} });
  return {
    frontier,
    async offer({ offers }) {
      const verdicts = await frontier.offer(crawl, offers);
      return verdicts.filter((verdict) => verdict === 'accepted').length;
    },
    close: () => frontier.close(),
  };
}

/** The same file settings as ours: cache, log, durability. */
function openBare(path: string): Contender {
  const db = new (sqlite().DatabaseSync)(path);
  db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA cache_size = -32768;
    PRAGMA wal_autocheckpoint = 8192; CREATE TABLE seen (print INTEGER PRIMARY KEY)`);
  const insert = db.prepare('INSERT OR IGNORE INTO seen VALUES (?)');
  return {
    async offer({ prints }) {
      let fresh = 0;
      db.exec('BEGIN');
      for (const print of prints) fresh += Number(insert.run(print).changes);
      db.exec('COMMIT');
      return fresh;
    },
    async close() {
      db.close();
    },
  };
}

// --- how it is measured

interface Run {
  ours: Contender;
  bare: Contender;
  sizes: Sizes;
}

/** Brings both to the same number of known URLs, not timed. */
async function fill(web: LinkSource, { ours, bare, known }: Run & { known: number }): Promise<void> {
  const step = 5000;
  while (web.known < known) {
    const fresh = Math.min(step, known - web.known);
    const batch = web.batch(fresh, 0);
    // Sorted, because the table comes out the same and the wait is shorter.
    batch.prints.sort((a, b) => (a < b ? -1 : 1));
    const added = [await ours.offer(batch), await bare.offer(batch)];
    if (added.some((count) => count !== fresh))
      throw new Error(`of ${fresh} new URLs ${added.join(' and ')} were new`);
    if (web.known % 1_000_000 === 0) console.error(`${web.known / 1e6} million known`);
  }
}

interface Level {
  ratio: number;
  cpuRatio: number;
  oursPerSecond: number;
  barePerSecond: number;
}

async function measure(web: LinkSource, { ours, bare, sizes }: Run): Promise<Level> {
  const { offersPerCommit, offersPerRound, duplicates, rounds } = sizes;
  const old = Math.round(offersPerCommit * duplicates);
  const fresh = offersPerCommit - old;
  const spent = { ours: stopwatch(), bare: stopwatch() };
  const time = async (name: 'ours' | 'bare', batch: Batch) => {
    const added = await spent[name].measure(() => (name === 'ours' ? ours : bare).offer(batch));
    if (added !== fresh) throw new Error(`of ${fresh} new URLs ${added} were new`);
  };
  const perRound: { ours: Spent; bare: Spent }[] = [];
  // The first round warms up caches and code and does not count.
  for (let n = 0; n <= rounds; n++) {
    // In turns batch by batch, so that whatever else the machine does meets both alike.
    for (let i = 0; i < offersPerRound / offersPerCommit; i++) {
      const batch = web.batch(fresh, old);
      const order = i % 2 === 0 ? (['ours', 'bare'] as const) : (['bare', 'ours'] as const);
      for (const name of order) await time(name, batch);
    }
    const round = { ours: spent.ours.take(), bare: spent.bare.take() };
    if (n > 0) perRound.push(round);
  }
  const rate = (name: 'ours' | 'bare') =>
    Math.round(offersPerRound / (median(perRound.map((round) => round[name].wallMs)) / 1000));
  const level = {
    ratio: round3(median(perRound.map((round) => round.bare.wallMs / round.ours.wallMs))),
    cpuRatio: round3(median(perRound.map((round) => round.bare.cpuMs / round.ours.cpuMs))),
    oursPerSecond: rate('ours'),
    barePerSecond: rate('bare'),
  };
  console.error(`at ${web.known} known: ${JSON.stringify(level)}`);
  return level;
}

interface Spent {
  wallMs: number;
  cpuMs: number;
}

function stopwatch() {
  let spent: Spent = { wallMs: 0, cpuMs: 0 };
  return {
    async measure<T>(work: () => Promise<T>): Promise<T> {
      const cpu = process.cpuUsage();
      const started = performance.now();
      const result = await work();
      spent.wallMs += performance.now() - started;
      const { user, system } = process.cpuUsage(cpu);
      spent.cpuMs += (user + system) / 1000;
      return result;
    },
    take(): Spent {
      const taken = spent;
      spent = { wallMs: 0, cpuMs: 0 };
      return taken;
    },
  };
}

function median(numbers: number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}

function round3(ratio: number): number {
  return Math.round(ratio * 1000) / 1000;
}

/** The largest resident set seen, in MiB. */
function watchRss(): () => number {
  return () => Math.round(process.resourceUsage().maxRSS / 1024);
}
