import type {
  Band,
  CrawlId,
  CrawlState,
  EntryKind,
  HostKey,
  Offer,
  PageRequest,
  Url,
} from '@webfarer/protocol';
import { requestUrl } from '@webfarer/protocol/url';
import fc from 'fast-check';
import type { FrontierCrawl } from '../frontier.ts';
import type { RecordFilter } from '../../results/results.ts';

/** One command of a sequence. Leases are named by number, so that any part of a sequence is a sequence. */
export type Step =
  | { do: 'openCrawl'; settings: FrontierCrawl }
  | { do: 'setState'; crawl: CrawlId; state: CrawlState; wish: number | undefined }
  | { do: 'seed'; crawl: CrawlId; offers: Offer[]; last: boolean }
  | { do: 'offer'; crawl: CrawlId; offers: Offer[] }
  | { do: 'lease'; hosts: number; urls: number }
  | { do: 'leaseHost'; crawl: CrawlId; host: HostKey }
  | { do: 'renew'; lease: number }
  | { do: 'report'; report: ReportPlan }
  | { do: 'advance'; ms: number }
  | { do: 'sweep' }
  /** All workers are dead, or only the one of this number. */
  | { do: 'releaseAll'; worker: number | undefined }
  | { do: 'finish'; crawl: CrawlId }
  | { do: 'limit'; crawl: CrawlId }
  | { do: 'keepTime'; crawl: CrawlId; ms: number }
  | { do: 'retry'; crawl: CrawlId; filter: RecordFilter }
  | { do: 'forget'; crawl: CrawlId; pattern: string }
  /** The crawl is deleted, and another one is begun under its name. */
  | { do: 'replace'; settings: FrontierCrawl }
  /** The process ends and another one opens the same store. */
  | { do: 'restart' }
  /** The disk refuses the commit of the step inside: nothing may have changed. */
  | { do: 'refuse'; step: Step };

/** What to say about a lease: for each of its entries in turn what becomes of it. */
export interface ReportPlan {
  /** Which of all leases ever granted, counted from the newest: old ones are stale. */
  lease: number;
  fates: ('done' | 'failed' | 'refused' | 'retry' | 'open')[];
  offers: Offer[];
  items: number;
  bytes: number;
  status: number;
  loose: Offer[];
  endedAgoMs: number | null;
  gapMs: number;
  health: 'ok' | 'trouble' | 'wait' | 'none';
  begun: boolean;
  close: boolean;
  twice: boolean;
}

const crawlIds = ['a', 'b', 'c'] as CrawlId[];
/** Two crawls are of one team. */
const teams: Record<string, string> = { a: 'red', b: 'blue', c: 'red' };
export const hostKeys = ['a.x.test', 'b.x.test', 'y.test'] as HostKey[];

const crawl = fc.constantFrom(...crawlIds);
const host = fc.constantFrom(...hostKeys);

const url = fc
  .tuple(fc.constantFrom('http', 'https'), host, fc.constantFrom('', ':81'), fc.nat(5))
  .map(([scheme, name, port, n]) => `${scheme}://${name}${port}/${n}` as Url);

const post: PageRequest = { method: 'POST', type: 'text/plain', body: 'x;y,z=', headers: { 'X-Y': 'z' } };

const offer: fc.Arbitrary<Offer> = fc
  .tuple(
    url,
    fc.constantFrom<EntryKind>('page', 'page', 'page', 'check', 'requisite', 'sitemap'),
    fc.nat(3),
    fc.constantFrom<(Band | undefined)[]>(undefined, undefined, undefined, 1, 2, 7),
    fc.constantFrom<(PageRequest | undefined)[]>(undefined, undefined, undefined, { data: [1, 'a,b'] }, post),
  )
  .map(([where, kind, depth, band, request]) => ({
    url: request === post ? requestUrl(where, 'POST', 'the-digest-of-the-body') : where,
    kind,
    depth,
    cost: depth % 2,
    hops: depth % 3,
    ...(depth === 3 ? { label: 'l' } : {}),
    ...(band === undefined ? {} : { band }),
    ...(request === undefined ? {} : { request }),
  }));

const limit = fc.option(fc.integer({ min: 0, max: 4 }), { freq: 4, nil: undefined });
const byteLimit = fc.option(fc.constantFrom(0, 100, 300), { freq: 2, nil: undefined });

const limits: fc.Arbitrary<FrontierCrawl['limits']> = fc
  .tuple(limit, limit, limit, byteLimit, byteLimit, byteLimit)
  .map(([pages, hostPages, sitePages, bytes, hostBytes, siteBytes]) => {
    const all = { pages, hostPages, sitePages, bytes, hostBytes, siteBytes };
    return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
  });

export const settings = (id: fc.Arbitrary<CrawlId>): fc.Arbitrary<FrontierCrawl> =>
  fc
    .record({
      id,
      gapMs: fc.constantFrom(0, 100, 1000),
      leaseTtlMs: fc.constantFrom(500, 1000),
      maxFetchMs: fc.constantFrom(0, 300),
      backoffMs: fc.constantFrom(50, 400),
      deadAfter: fc.constantFrom(1, 2, 3),
      poisonAfter: fc.constantFrom(1, 2, 3, 35),
      edit: fc.constantFrom(0, 0, 1, 2, 3),
      limits: fc.oneof({ weight: 2, arbitrary: fc.constant({}) }, { weight: 3, arbitrary: limits }),
    })
    // One crawl has upgrades, the others do without.
    .map(({ edit, ...all }) => ({
      ...all,
      ...(edit ? { edit } : {}),
      team: teams[all.id] ?? '',
      upgrades: all.id === 'a',
    }));

const report: fc.Arbitrary<ReportPlan> = fc.record({
  lease: fc.oneof({ weight: 5, arbitrary: fc.nat(2) }, { weight: 1, arbitrary: fc.nat(9) }),
  fates: fc.array(fc.constantFrom('done', 'done', 'failed', 'refused', 'retry', 'open'), {
    minLength: 1,
    maxLength: 4,
  }),
  offers: fc.array(offer, { maxLength: 3 }),
  items: fc.nat(2),
  bytes: fc.constantFrom(0, 40, 100),
  status: fc.constantFrom(200, 200, 404, 503),
  loose: fc.array(offer, { maxLength: 1 }),
  endedAgoMs: fc.constantFrom(null, 0, 30),
  gapMs: fc.constantFrom(0, 100, 700),
  health: fc.constantFrom('ok', 'trouble', 'wait', 'none'),
  begun: fc.boolean(),
  close: fc.boolean(),
  twice: fc.boolean(),
});

const filter: fc.Arbitrary<RecordFilter> = fc.constantFrom<RecordFilter[]>(
  {},
  { verdict: 'failed' },
  { verdict: 'refused' },
  { reason: 'host-dead' },
  { status: '404' },
  { status: '5xx' },
  { host: 'y.test' as HostKey },
);

const plain: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: settings(crawl).map((all) => ({ do: 'openCrawl' as const, settings: all })) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('setState' as const),
      crawl,
      state: fc.constantFrom<CrawlState>('running', 'running', 'paused', 'limited', 'stopped'),
      wish: fc.constantFrom(undefined, 1, 2, 3, 4),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('seed' as const),
      crawl,
      offers: fc.array(offer, { maxLength: 2 }),
      last: fc.boolean(),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('offer' as const),
      crawl,
      offers: fc.array(offer, { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 10,
    arbitrary: fc.record({
      do: fc.constant('lease' as const),
      hosts: fc.integer({ min: 1, max: 3 }),
      urls: fc.integer({ min: 1, max: 4 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('leaseHost' as const), crawl, host }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('renew' as const), lease: fc.nat(3) }) },
  { weight: 14, arbitrary: report.map((plan) => ({ do: 'report' as const, report: plan })) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      ms: fc.constantFrom(1, 50, 100, 500, 1000, 5000),
    }),
  },
  { weight: 3, arbitrary: fc.constant({ do: 'sweep' as const }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('releaseAll' as const),
      worker: fc.constantFrom(undefined, 0, 1),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('finish' as const), crawl }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('limit' as const), crawl }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('keepTime' as const),
      crawl,
      ms: fc.constantFrom(0, 50, 500, 5000),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('retry' as const), crawl, filter }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('forget' as const),
      crawl,
      pattern: fc.constantFrom(...hostKeys, '*.x.test', '*.y.test'),
    }),
  },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 30, arbitrary: plain },
  { weight: 1, arbitrary: fc.constant({ do: 'restart' as const }) },
  { weight: 1, arbitrary: settings(crawl).map((all) => ({ do: 'replace' as const, settings: all })) },
  { weight: 1, arbitrary: plain.map((inner) => ({ do: 'refuse' as const, step: inner })) },
);

/** Sequences begin with all crawls open; about 25 steps each. */
export const sequences: fc.Arbitrary<Step[]> = fc
  .tuple(
    settings(fc.constant('a' as CrawlId)),
    settings(fc.constant('b' as CrawlId)),
    settings(fc.constant('c' as CrawlId)),
    fc.array(step, { minLength: 1, maxLength: 50, size: 'max' }),
  )
  .map(([a, b, c, steps]) => [
    ...[a, b, c].map((each) => ({ do: 'openCrawl' as const, settings: each })),
    ...steps,
  ]);
