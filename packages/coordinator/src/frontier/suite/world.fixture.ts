import type {
  CrawlId,
  Edge,
  Entry,
  HostKey,
  HostLease,
  HostNews,
  LeaseReport,
  Offer,
  PackedEdges,
  PageRecord,
  Settlement,
  Url,
  WorkerId,
} from '@webfarer/protocol';
import { addsUp } from '@webfarer/protocol/crawl';
import { expect } from 'vitest';
import type { Results } from '../../results/results.ts';
import type { Frontier, FrontierCrawl } from '../frontier.ts';
import { type TestClock, testClock } from './clock.fixture.ts';

export interface FrontierUnderTest {
  name: string;
  open(clock: TestClock): Promise<Frontier & { results: Results }>;
}

/** One frontier with its clock and short words for what tests do with it. */
export interface World {
  clock: TestClock;
  frontier: Frontier & { results: Results };
  /** Seeded, with nothing, so that it finishes as soon as nothing is left. */
  openCrawl(changes?: Partial<FrontierCrawl>): Promise<CrawlId>;
  /** Queues these URLs, as pages unless told otherwise. */
  offer(urls: string[], changes?: Partial<Offer>, crawl?: CrawlId): Promise<string[]>;
  /** The same one after the other, a millisecond apart: hosts of one moment have no order among them. */
  offerInTurn(urls: string[]): Promise<void>;
  lease(hosts?: number, urlsPerHost?: number): Promise<HostLease[]>;
  /** The one lease that is expected. */
  leaseOne(urlsPerHost?: number): Promise<HostLease>;
  report(
    lease: HostLease,
    changes?: Partial<LeaseReport>,
  ): Promise<Awaited<ReturnType<Frontier['report']>>[0]>;
  /** Every entry of the lease is done, and the host is given back. */
  finishLease(lease: HostLease, changes?: Partial<PageRecord>): Promise<void>;
  balance(crawl?: CrawlId): Promise<Record<string, number>>;
}

export const crawlA = 'a' as CrawlId;
export const gapMs = 1000;

export const settings: FrontierCrawl = {
  id: crawlA,
  gapMs,
  leaseTtlMs: 60_000,
  maxFetchMs: 30_000,
  backoffMs: 10_000,
  deadAfter: 3,
  limits: {},
};

export const worker = 'w1' as WorkerId;
export const host = (name: string) => name as HostKey;
export const url = (text: string) => text as Url;

export function offerOf(text: string, changes: Partial<Offer> = {}): Offer {
  return { url: url(text), kind: 'page', depth: 0, cost: 0, hops: 0, ...changes };
}

export const quiet: HostNews = { endedAgoMs: null, gapMs: 0, why: 'gap', health: 'none' };
export const answered: HostNews = { endedAgoMs: 0, gapMs, why: 'gap', health: 'ok' };

export function recordOf(entry: Entry, changes: Partial<PageRecord> = {}): PageRecord {
  const { url: where, kind, depth, label, request, referrer, attempt } = entry;
  return {
    url: where,
    kind,
    depth,
    ...(label === undefined ? {} : { label }),
    ...(request === undefined ? {} : { request }),
    ...(referrer === undefined ? {} : { referrer }),
    verdict: 'done',
    reason: 'ok',
    status: 200,
    attempts: attempt + 1,
    bytes: 100,
    startedAtMs: 5,
    durationMs: 7,
    links: 0,
    items: 0,
    ...changes,
  };
}

export interface Yield {
  record?: Partial<PageRecord>;
  offers?: Offer[];
  edges?: Edge[] | PackedEdges;
  items?: unknown[];
  dropped?: Extract<Settlement, { kind: 'outcome' }>['dropped'];
}

export function outcome(entry: Entry, { record, ...yielded }: Yield = {}): Settlement {
  const nothing = { offers: [], edges: [], items: [], dropped: {} };
  return { kind: 'outcome', url: entry.url, record: recordOf(entry, record), ...nothing, ...yielded };
}

export function failure(entry: Entry, changes: Partial<PageRecord> = {}): Settlement {
  return outcome(entry, { record: { verdict: 'failed', reason: 'timeout', bytes: 0, ...changes } });
}

export async function createWorld(under: FrontierUnderTest): Promise<World> {
  const clock = testClock();
  const frontier = await under.open(clock);
  const world: World = {
    clock,
    frontier,
    async openCrawl(changes = {}) {
      const crawl = { ...settings, ...changes };
      await openSeeded(frontier, crawl);
      return crawl.id;
    },
    offer: (urls, changes, crawl = crawlA) =>
      frontier.offer(
        crawl,
        urls.map((text) => offerOf(text, changes)),
      ),
    async offerInTurn(urls) {
      for (const text of urls) {
        await world.offer([text]);
        clock.advance(1);
      }
    },
    async lease(hosts = 10, urlsPerHost = 10) {
      return (await frontier.lease({ worker, hosts, urlsPerHost })).leases;
    },
    async leaseOne(urlsPerHost = 10) {
      const leases = await world.lease(1, urlsPerHost);
      expect(leases).toHaveLength(1);
      return leases[0] as HostLease;
    },
    async report(lease, changes = {}) {
      const { id, crawl, host: key, fence } = lease;
      const ref = { id, crawl, host: key, fence };
      const [answer] = await frontier.report([
        { ...ref, settled: [], news: quiet, close: false, ...changes },
      ]);
      if (!answer) throw new Error('a report was not answered');
      return answer;
    },
    async finishLease(lease, changes = {}) {
      const settled = lease.entries.map((entry) => outcome(entry, { record: changes }));
      expect(await world.report(lease, { settled, news: answered, close: true })).toMatchObject({ ok: true });
    },
    async balance(crawl = crawlA) {
      const balance = await frontier.balance(crawl);
      expect(addsUp(balance), JSON.stringify(balance)).toBe(true);
      return { ...balance };
    },
  };
  return world;
}

/** Opens a crawl that has no seeds of its own. */
export async function openSeeded(frontier: Frontier, crawl: FrontierCrawl): Promise<void> {
  await frontier.openCrawl(crawl);
  await frontier.seed(crawl.id, [], { last: true });
}

/** All that an iterable gives. */
export async function collect<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of source) all.push(one);
  return all;
}
