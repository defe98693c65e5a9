import type {
  CoordinatorLink,
  CrawlId,
  HostKey,
  HostLease,
  LeaseId,
  LeaseReport,
  PageRecord,
  Url,
  WorkerId,
} from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { createLeaseRoster, type LeaseHolder } from './lease-roster.ts';

const worker = 'w' as WorkerId;
const clock = { now: () => 7, sleep: () => new Promise<void>(() => {}) };

function leaseOf(n: number): HostLease {
  const host = `h${n}.test` as HostKey;
  const entry = {
    url: `http://${host}/` as Url,
    kind: 'page',
    depth: 0,
    cost: 0,
    hops: 0,
    attempt: 0,
  } as const;
  return {
    id: `l${n}` as LeaseId,
    crawl: 'a' as CrawlId,
    host,
    fence: n,
    part: 0,
    ttlMs: 1_000,
    endedAgoMs: null,
    entries: [entry],
    robots: [],
  };
}

const refOf = ({ id, crawl, host, fence }: HostLease) => ({ id, crawl, host, fence });

function reportOf(lease: HostLease, close: boolean): LeaseReport {
  const news = { endedAgoMs: 0, gapMs: 0, why: 'gap', health: 'ok' } as const;
  return { ...refOf(lease), settled: [], news, close };
}

/** A roster on a link that grants l1, l2 and so on, and for which the leases in `over` are not valid. */
function rosterOf({ mostAway = 9 } = {}) {
  let last = 0;
  const over = new Set<LeaseId>();
  const link: Pick<CoordinatorLink, 'lease' | 'leaseHost' | 'renew' | 'report'> = {
    lease: async ({ hosts }) => ({
      leases: Array.from({ length: hosts }, () => leaseOf(++last)),
      nextDueMs: null,
    }),
    leaseHost: async () => ({ granted: true, lease: leaseOf(++last) }),
    renew: async (leases) => leases.map(({ id }) => (over.has(id) ? { ok: false } : { ok: true, ttlMs: 5 })),
    report: async (reports) =>
      reports.map(({ id }) => (over.has(id) ? { ok: false } : { ok: true, accepted: 0, known: 0 })),
  };
  const accepted: string[] = [];
  const reported = (who: WorkerId, { id }: LeaseReport) => void accepted.push(`${who} ${id}`);
  const roster = createLeaseRoster({ link, clock, mostAway, reported });
  const connect = (changes: Partial<LeaseHolder> = {}) =>
    roster.connect({ worker, session: 's1', holds: [], keepsEntries: false, isSeveral: false, ...changes });
  const live = () => [...roster.live()].map(({ id }) => id);
  return { roster, connect, live, over, accepted };
}

const ask = { worker, hosts: 3, urlsPerHost: 1 };

it('has a lease from its grant until it is closed or not valid any more', async () => {
  const { connect, live, over } = rosterOf();
  const calls = connect();
  const { leases } = await calls.lease(ask);
  await calls.leaseHost({ worker, crawl: 'a' as CrawlId, host: 'x.test' as HostKey });
  expect(live()).toEqual(['l1', 'l2', 'l3', 'l4']);
  const [one, two, three] = leases as [HostLease, HostLease, HostLease];
  await calls.report([reportOf(one, true), reportOf(two, false)]);
  expect(live()).toEqual(['l2', 'l3', 'l4']);
  over.add(two.id).add(three.id);
  await calls.report([reportOf(two, false)]);
  await calls.renew([refOf(three), refOf(leaseOf(4))]);
  expect(live()).toEqual(['l4']);
  expect([...calls.held.keys()]).toEqual(['l4']);
});

it('says who has a lease and since when, and learns of what a worker brought along when it reports', async () => {
  const { roster, connect } = rosterOf();
  const calls = connect({ holds: [leaseOf(8).id] });
  expect([...roster.live()]).toMatchObject([{ id: 'l8', worker, session: 's1', sinceMs: 7, ref: undefined }]);
  await calls.report([reportOf(leaseOf(8), false)]);
  expect([...roster.live()]).toMatchObject([{ id: 'l8', ref: refOf(leaseOf(8)) }]);
});

it('keeps what was asked for only of those that are not trusted', async () => {
  const { connect } = rosterOf();
  const [own, stranger] = [
    connect(),
    connect({ worker: 'v:x' as WorkerId, keepsEntries: true, isSeveral: false }),
  ];
  await own.lease({ ...ask, hosts: 1 });
  await stranger.lease({ ...ask, hosts: 1 });
  expect([...own.held.values()].map(({ entries }) => [...entries.keys()])).toEqual([[]]);
  expect([...stranger.held.values()].map(({ entries }) => [...entries.keys()])).toEqual([
    ['http://h2.test/'],
  ]);
});

it('knows which grants never reached a process that comes back, and only those', async () => {
  const { roster, connect, live } = rosterOf();
  await connect().lease(ask);
  roster.disconnect(worker);
  expect(live()).toEqual(['l1', 'l2', 'l3']);
  connect({ holds: ['l2' as LeaseId] });
  expect(roster.undelivered(worker).map(({ id }) => id)).toEqual(['l1', 'l3']);
  expect(live()).toEqual(['l2']);
  // Another process of the worker: what the one before held runs out by itself.
  roster.disconnect(worker);
  connect({ session: 's2' });
  expect(roster.undelivered(worker)).toEqual([]);
});

it('remembers only so many workers that left, the latest ones', async () => {
  const { roster, connect, live } = rosterOf({ mostAway: 2 });
  for (const name of ['a', 'b', 'c']) {
    await connect({ worker: name as WorkerId }).lease({ ...ask, hosts: 1 });
    roster.disconnect(name as WorkerId);
  }
  expect(live()).toEqual(['l2', 'l3']);
  roster.forget('b' as WorkerId);
  expect(live()).toEqual(['l3']);
});

it('counts the leases of each crawl, and those that a connected worker can still bring', async () => {
  const { roster, connect, over } = rosterOf();
  const crawl = 'a' as CrawlId;
  const calls = connect();
  const other = connect({ worker: 'w2' as WorkerId });
  const { leases } = await calls.lease(ask);
  await other.lease({ ...ask, hosts: 2 });
  expect(roster.count(crawl)).toMatchObject({ out: 5, awaited: 5 });
  expect(roster.count('b' as CrawlId)).toMatchObject({ out: 0, awaited: 0 });
  const [one, two] = leases as [HostLease, HostLease];
  over.add(two.id);
  await calls.report([reportOf(one, true), reportOf(two, false)]);
  expect(roster.count(crawl)).toMatchObject({ out: 3, awaited: 3 });
  roster.disconnect('w2' as WorkerId);
  expect(roster.count(crawl)).toMatchObject({ out: 3, awaited: 1 });
  // A lease that it brings along counts from its first report on.
  const back = connect({ worker: 'w2' as WorkerId, session: 's2', holds: ['l4' as LeaseId] });
  expect(roster.count(crawl)).toMatchObject({ out: 1, awaited: 1 });
  await back.report([reportOf(leaseOf(4), false)]);
  expect(roster.count(crawl)).toMatchObject({ out: 2, awaited: 2 });
  roster.forget('w2' as WorkerId);
  roster.forget(worker);
  expect(roster.count(crawl)).toMatchObject({ out: 0, awaited: 0 });
});

it('forgets the leases of one process of a worker that has several', async () => {
  const { roster, connect, live } = rosterOf();
  const calls = connect({ isSeveral: true });
  await calls.lease({ ...ask, worker: 'w.1' as WorkerId, hosts: 2 });
  await calls.lease({ ...ask, worker: 'w.2' as WorkerId, hosts: 1 });
  roster.forget('w.1' as WorkerId);
  expect([live(), [...calls.held.keys()]]).toEqual([['l3'], ['l3']]);
  expect(roster.count('a' as CrawlId)).toMatchObject({ out: 1, awaited: 1 });
});

it('passes on whose reports were accepted', async () => {
  const { connect, accepted, over } = rosterOf();
  const calls = connect();
  const { leases } = await calls.lease({ ...ask, hosts: 2 });
  const [one, two] = leases as [HostLease, HostLease];
  over.add(two.id);
  await calls.report([reportOf(one, true), reportOf(two, true)]);
  expect(accepted).toEqual(['w l1']);
});

it('signs what several processes report with the name of the one that leased it', async () => {
  const { connect } = rosterOf();
  const calls = connect({ isSeveral: true });
  const { leases } = await calls.lease({ ...ask, hosts: 1, worker: 'p2' as WorkerId });
  const [lease] = leases as [HostLease];
  const record = { url: lease.entries[0]?.url, attempts: 1, fetched: {} } as PageRecord;
  const settled = [{ kind: 'outcome', url: record.url, record }] as unknown as LeaseReport['settled'];
  await calls.report([{ ...reportOf(lease, true), settled }]);
  expect(record.fetched?.by).toBe('p2');
});

it('counts the URLs that connected workers have, and the leases whose URLs only the worker knows', async () => {
  const { roster, connect } = rosterOf();
  const crawl = 'a' as CrawlId;
  const calls = connect({ holds: ['l9' as LeaseId] });
  const { leases } = await calls.lease(ask);
  expect(roster.count(crawl)).toEqual({ out: 3, awaited: 3, urls: 3, unknown: 1 });
  const [one, two] = leases as [HostLease, HostLease];
  const { url } = one.entries[0]!;
  const retry = { kind: 'retry', url } as unknown as LeaseReport['settled'][number];
  await calls.report([{ ...reportOf(one, false), settled: [retry] }, reportOf(two, true)]);
  expect(roster.count(crawl)).toEqual({ out: 2, awaited: 2, urls: 1, unknown: 1 });
  await calls.renew([refOf(leaseOf(9))]);
  expect(roster.count(crawl)).toEqual({ out: 3, awaited: 3, urls: 1, unknown: 1 });
  await calls.report([reportOf(leaseOf(9), true)]);
  roster.disconnect(worker);
  expect(roster.count(crawl)).toEqual({ out: 2, awaited: 0, urls: 0, unknown: 0 });
});
