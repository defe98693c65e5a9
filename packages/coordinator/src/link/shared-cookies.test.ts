import type {
  CookiesSet,
  CrawlId,
  HostKey,
  HostLease,
  LeaseId,
  LeaseReport,
  WorkerId,
} from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { LeaseCalls } from './lease-roster.ts';
import { shareCookies } from './shared-cookies.ts';

const crawl = 'c' as CrawlId;

function leaseOf(host: string, of: CrawlId): HostLease {
  const ids = { id: 'l' as LeaseId, crawl: of, host: host as HostKey, fence: 1, part: 0 };
  return { ...ids, ttlMs: 1, endedAgoMs: null, entries: [], robots: [] };
}

/** Calls of a worker that is granted one host each time it asks. */
function workerOf(shared: ReturnType<typeof shareCookies>, id: string) {
  let next = leaseOf('a.test', crawl);
  const calls = {
    held: new Map(),
    lease: async () => ({ leases: [next], nextDueMs: null }),
    report: async (reports: LeaseReport[]) => reports.map(() => ({ ok: false })),
  } as unknown as LeaseCalls;
  const own = shared.share(calls, id as WorkerId);
  return {
    async given(host = 'a.test', of = crawl): Promise<string[]> {
      next = leaseOf(host, of);
      const { leases } = await own.lease({ worker: id as WorkerId, hosts: 1, urlsPerHost: 1 });
      return (leases[0]?.cookies ?? []).flatMap(({ lines }) => lines);
    },
    /** Answers how many the crawl is told were left out. */
    async brings(...lines: string[]): Promise<number | undefined> {
      const cookies = [{ url: 'http://a.test/', lines }] as unknown as CookiesSet[];
      const report = { ...leaseOf('a.test', crawl), cookies } as unknown as LeaseReport;
      await own.report([report]);
      return report.cookiesLeftOut;
    },
  };
}

it('gives a cookie once to each other worker that is given a host of the site, the latest of a name', async () => {
  const shared = shareCookies();
  const [a, b] = [workerOf(shared, 'a'), workerOf(shared, 'b')];
  await a.brings('s=1; Path=/', 't=1; Path=/');
  await a.brings('s=2; Path=/');
  expect(await a.given()).toEqual([]);
  expect(await b.given('other.test')).toEqual([]);
  expect(await b.given('www.a.test')).toEqual(['t=1; Path=/', 's=2; Path=/']);
  expect(await b.given()).toEqual([]);
  await b.brings('s=3; Path=/');
  expect([await a.given(), await b.given()]).toEqual([['s=3; Path=/'], []]);
});

it('tells how many cookies of a site it does not pass on to other workers', async () => {
  const shared = shareCookies();
  const a = workerOf(shared, 'a');
  const many = (from: number, count: number) =>
    Array.from({ length: count }, (_, n) => `c${from + n}=1; Path=/`);
  // Nobody lacks them.
  expect(await a.brings(...many(0, 120))).toBeUndefined();
  const b = workerOf(shared, 'b');
  expect(await a.brings(...many(200, 7))).toBe(7);
  expect(await b.given()).toHaveLength(100);
});

it('keeps crawls apart, and tells a new process of a worker everything', async () => {
  const shared = shareCookies();
  const a = workerOf(shared, 'a');
  await a.brings('s=1; Path=/');
  expect(await workerOf(shared, 'b').given('a.test', 'other' as CrawlId)).toEqual([]);
  expect(await workerOf(shared, 'b').given()).toEqual(['s=1; Path=/']);
  expect(await workerOf(shared, 'b').given()).toEqual(['s=1; Path=/']);
});

it('forgets the cookies of a deleted crawl, whatever crawl has its name next', async () => {
  const shared = shareCookies();
  await workerOf(shared, 'a').brings('s=1; Path=/');
  shared.forget('another' as CrawlId);
  expect(await workerOf(shared, 'b').given()).toEqual(['s=1; Path=/']);
  shared.forget(crawl);
  expect(await workerOf(shared, 'd').given()).toEqual([]);
});
