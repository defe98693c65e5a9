import {
  type CoordinatorLink,
  type CrawlId,
  type CrawlState,
  type HostKey,
  type HostLease,
  type LeaseId,
  type LeaseReport,
  type Url,
  type WorkerId,
} from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { expect, it } from 'vitest';
import type { BodyIntake } from './bodies.ts';
import { createCrawlRouter } from './crawl-router.ts';

const worker = 'w1' as WorkerId;

const routerOf = (stays = false, clock = { now: () => 0 }) =>
  createCrawlRouter({ clock, weightOf: () => 1, stays: () => stays });

/** A crawl with some hosts, each leased once. */
function crawlWith(name: string, hosts: number, shared = false) {
  const id = name as CrawlId;
  const given: HostLease[] = [];
  const reported: LeaseReport[] = [];
  const world = { state: 'running' as CrawlState, given, reported, asked: [] as number[], dueInMs: 0 };
  const link: CoordinatorLink = {
    async lease(request) {
      world.asked.push(request.urlsPerHost);
      const leases = Array.from({ length: Math.min(request.hosts, hosts - given.length) }, (_, i) =>
        leaseOf(id, given.length + i),
      );
      given.push(...leases);
      return { leases, nextDueMs: given.length === hosts ? null : 0 };
    },
    leaseHost: async () => ({ granted: false, retryAfterMs: 5 }),
    robots: async () => undefined,
    previous: async () => undefined,
    renew: async (leases) => leases.map(() => ({ ok: true, ttlMs: 10 })),
    async report(reports) {
      reported.push(...reports);
      return reports.map(() => ({ ok: true, accepted: 1, known: 0 }));
    },
  };
  const job = resolveJob({ name, seeds: ['http://a.test/'] });
  const about = (): LinkCrawl => ({
    id,
    nonce: `${name}-nonce`,
    revision: 'r1',
    job,
    seeds: ['http://a.test/' as Url],
    userAgent: 'test',
    urlsPerHost: 10,
    state: world.state,
  });
  const bodies: BodyIntake = {
    mostBytes: 0,
    arriving: () => {
      throw new Error('none is sent here');
    },
    sync: async () => undefined,
  };
  return {
    world,
    served: {
      about,
      link,
      shared,
      bodies,
      dueInMs: () => world.dueInMs,
      hostsQueued: async () => hosts,
      place: { releaseLeases: async () => 0, grantedTo: async () => [] },
    },
  };
}

function leaseOf(crawl: CrawlId, n: number): HostLease {
  const host = `h${n}.test` as HostKey;
  return {
    id: `${crawl}-${n}` as LeaseId,
    crawl,
    host,
    fence: 1,
    part: 0,
    ttlMs: 1_000,
    endedAgoMs: null,
    entries: [],
    robots: [],
  };
}

function reportOf({ id, crawl, host, fence }: HostLease, close: boolean): LeaseReport {
  return {
    id,
    crawl,
    host,
    fence,
    settled: [],
    close,
    news: { endedAgoMs: 0, gapMs: 0, why: 'gap', health: 'ok' },
  };
}

it('gives from all crawls in turn, and never more than was asked for', async () => {
  const router = routerOf();
  const [a, b] = [crawlWith('a', 3), crawlWith('b', 3)];
  for (const { served } of [a, b]) router.serve(served).start();
  const first = await router.link.lease({ worker, hosts: 1, urlsPerHost: 50 });
  const second = await router.link.lease({ worker, hosts: 1, urlsPerHost: 50 });
  expect([...first.leases, ...second.leases].map(({ crawl }) => crawl)).toEqual(['a', 'b']);
  const rest = await router.link.lease({ worker, hosts: 9, urlsPerHost: 50 });
  expect(rest.leases).toHaveLength(4);
  expect(a.world.asked.every((urls) => urls === 10)).toBe(true);
});

it('asks only crawls that may have something due, and says when the next one will', async () => {
  const router = routerOf();
  const [a, b, c] = [crawlWith('a', 3), crawlWith('b', 3), crawlWith('c', 3)];
  for (const { served } of [a, b, c]) router.serve(served).start();
  b.world.dueInMs = 700;
  c.world.dueInMs = Number.POSITIVE_INFINITY;
  const asked = { worker, hosts: 9, urlsPerHost: 50 };
  const first = await router.link.lease(asked);
  expect(first.leases.map(({ crawl }) => crawl)).toEqual(['a', 'a', 'a']);
  expect(first.nextDueMs).toBe(700);
  expect([b.world.asked, c.world.asked]).toEqual([[], []]);
  b.world.dueInMs = 0;
  expect((await router.link.lease(asked)).leases).toHaveLength(3);
});

it('asks a crawl that is due much later again when it is due, when it is stirred, and once a minute', async () => {
  const clock = { ms: 0, now: () => clock.ms };
  const router = routerOf(false, clock);
  const far = crawlWith('far', 9);
  let asked = 0;
  const place = router.serve({ ...far.served, dueInMs: () => (asked++, far.world.dueInMs) });
  place.start();
  const dueIn = (ms: number) => (far.world.dueInMs = ms);
  const lease = async () => {
    asked = 0;
    const { leases, nextDueMs } = await router.link.lease({ worker, hosts: 1, urlsPerHost: 50 });
    return [asked, leases.length, nextDueMs];
  };
  dueIn(4_999);
  expect(await lease()).toEqual([1, 0, 4_999]);
  dueIn(5_000);
  expect(await lease()).toEqual([1, 0, 5_000]);
  clock.ms = 4_000;
  dueIn(0);
  expect(await lease()).toEqual([0, 0, 1_000]);
  clock.ms = 5_000;
  expect(await lease()).toEqual([1, 1, 0]);
  dueIn(3_600_000);
  expect(await lease()).toEqual([1, 0, 3_600_000]);
  expect(await lease()).toEqual([0, 0, 60_000]);
  place.stir();
  expect((await lease())[0]).toBe(1);
  clock.ms += 60_000;
  expect(await lease()).toEqual([1, 0, 3_600_000]);
  place.stir();
  dueIn(0);
  place.rest();
  expect(await lease()).toEqual([0, 0, null]);
  place.start();
  expect((await lease())[1]).toBe(1);
  dueIn(3_600_000);
  await lease();
  await place.close();
  place.stir();
  expect(await lease()).toEqual([0, 0, null]);
});

it('a crawl that has waited makes up for nothing', async () => {
  const router = routerOf();
  const [a, b] = [crawlWith('a', 90), crawlWith('b', 90)];
  for (const { served } of [a, b]) router.serve(served).start();
  const asked = { worker, hosts: 1, urlsPerHost: 50 };
  for (let n = 0; n < 2; n++) await router.link.lease(asked);
  b.world.dueInMs = 700;
  for (let n = 0; n < 20; n++) await router.link.lease(asked);
  b.world.dueInMs = 0;
  const before = b.world.given.length;
  for (let n = 0; n < 10; n++) await router.link.lease(asked);
  expect(b.world.given.length - before).toBeLessThanOrEqual(6);
});

it('hands each report to its crawl and puts the answers back in order', async () => {
  const router = routerOf();
  const [a, b] = [crawlWith('a', 1), crawlWith('b', 1)];
  const seats = [a, b].map(({ served }) => router.serve(served));
  for (const seat of seats) seat.start();
  const { leases } = await router.link.lease({ worker, hosts: 2, urlsPerHost: 5 });
  const gone = leaseOf('never-here' as CrawlId, 1);
  const reports = [leases[1], gone, leases[0]].map((lease) => reportOf(lease as HostLease, true));
  expect((await router.link.report(reports)).map(({ ok }) => ok)).toEqual([true, false, true]);
  expect([a.world.reported.length, b.world.reported.length]).toEqual([1, 1]);
});

it('takes reports before it gives leases, and after it has ceased to', async () => {
  const router = routerOf();
  const a = crawlWith('a', 1);
  const seat = router.serve(a.served);
  const asked = { worker, hosts: 5, urlsPerHost: 5 };
  expect((await router.link.lease(asked)).leases).toEqual([]);
  const old = leaseOf('a' as CrawlId, 7);
  expect(await router.link.report([reportOf(old, false)])).toEqual([{ ok: true, accepted: 1, known: 0 }]);
  seat.start();
  expect((await router.link.lease(asked)).leases).toHaveLength(1);
  seat.rest();
  expect(await router.link.report([reportOf(old, true)])).toEqual([{ ok: true, accepted: 1, known: 0 }]);
});

it('does not call a lease over that only waits for the coordinator to come back', async () => {
  const router = routerOf();
  const a = crawlWith('a', 1);
  const seat = router.serve(a.served);
  seat.start();
  const { leases } = await router.link.lease({ worker, hosts: 1, urlsPerHost: 5 });
  const report = reportOf(leases[0] as HostLease, true);
  a.world.state = 'stopped';
  await seat.close();
  await expect(router.link.report([report])).rejects.toMatchObject({ code: 'store-silent' });
  await expect(router.link.renew([report])).rejects.toMatchObject({ code: 'store-silent' });
  a.world.state = 'finished';
  expect(await router.link.report([report])).toEqual([{ ok: false }]);
});

it('holds up no worker with a crawl that was stopped, where the coordinator stays', async () => {
  const router = routerOf(true);
  const [stopped, other] = [crawlWith('stopped', 1), crawlWith('other', 1)];
  router.serve(other.served).start();
  const place = router.serve(stopped.served);
  stopped.world.state = 'stopped';
  await place.close();
  const reports = ['stopped', 'other'].map((name) => reportOf(leaseOf(name as CrawlId, 1), true));
  expect((await router.link.report(reports)).map(({ ok }) => ok)).toEqual([false, true]);
});

it('is not closed under a call that is on its way', async () => {
  const router = routerOf();
  const a = crawlWith('a', 1);
  const answered = Promise.withResolvers<void>();
  const slow = {
    ...a.served.link,
    report: async () => (await answered.promise, [{ ok: true as const, accepted: 0, known: 0 }]),
  };
  const seat = router.serve({ ...a.served, link: slow });
  const report = router.link.report([reportOf(leaseOf('a' as CrawlId, 1), true)]);
  let closed = false;
  const closing = seat.close().then(() => {
    closed = true;
  });
  await Promise.resolve();
  expect(closed).toBe(false);
  answered.resolve();
  await closing;
  expect(await report).toHaveLength(1);
});

it('hands what belongs to another crawl of the same store to that store', async () => {
  const router = routerOf();
  const [own, alone] = [crawlWith('own', 1, true), crawlWith('alone', 1)];
  router.serve(alone.served).start();
  const elsewhere = reportOf(leaseOf('elsewhere' as CrawlId, 1), true);
  expect(await router.link.report([elsewhere])).toEqual([{ ok: false }]);
  router.serve(own.served).start();
  expect(await router.link.report([elsewhere])).toEqual([{ ok: true, accepted: 1, known: 0 }]);
  expect(own.world.reported).toHaveLength(1);
});

it('divides what a worker can take evenly between crawls, and gives what one does not need to the others', async () => {
  const router = routerOf();
  const [a, b, c] = [crawlWith('a', 100), crawlWith('b', 100), crawlWith('c', 2)];
  for (const { served } of [a, b, c]) router.serve(served).start();
  for (let i = 0; i < 6; i++) await router.link.lease({ worker, hosts: 1 + (i % 3) * 9, urlsPerHost: 5 });
  const [first, second, few] = [a, b, c].map(({ world }) => world.given.length);
  expect(few).toBe(2);
  expect((first ?? 0) + (second ?? 0)).toBe(58);
  expect(Math.max(first ?? 0, second ?? 0) / 29).toBeLessThanOrEqual(1.3);
});

it('tells workers of the crawls that it serves and the latest that ended, however many there were', async () => {
  const router = routerOf(true);
  router.serve(crawlWith('running', 1).served).start();
  const states: CrawlState[] = ['finished', 'limited', 'stopped'];
  for (let i = 0; i < 10_000; i++) {
    const one = crawlWith(`c${i}`, 1);
    const place = router.serve(one.served);
    one.world.state = states[i % 3] as CrawlState;
    await place.close();
  }
  const told = router.crawls();
  expect(told).toHaveLength(51);
  expect([told[0]?.id, told[1]?.id, told.at(-1)?.id]).toEqual(['running', 'c9950', 'c9999']);
  expect(told.map(({ seeds }) => seeds.length)).toEqual([1, ...Array.from({ length: 50 }, () => 0)]);
});

it('tells nobody of a deleted crawl, and drops what is reported about it', async () => {
  const router = routerOf();
  const [old, young] = [crawlWith('a', 1), crawlWith('a', 1)];
  const place = router.serve(old.served);
  old.world.state = 'stopped';
  await place.close();
  router.forget('another nonce');
  expect(router.crawls().map(({ id }) => id)).toEqual(['a']);
  router.forget('a-nonce');
  expect(router.crawls()).toEqual([]);
  expect(await router.link.report([reportOf(leaseOf('a' as CrawlId, 1), true)])).toEqual([{ ok: false }]);
  router.serve(young.served).start();
  // Told late of the same deletion, it leaves the crawl that is served alone.
  router.forget('a-nonce');
  expect(router.crawls()).toHaveLength(1);
});

it('gives back a lease that comes when the crawl has ceased to give any', async () => {
  const router = routerOf();
  const a = crawlWith('a', 1);
  const granted = Promise.withResolvers<void>();
  const { lease } = a.served.link;
  a.served.link.lease = async (request) => {
    const answer = await lease(request);
    await granted.promise;
    return answer;
  };
  const place = router.serve(a.served);
  place.start();
  const asked = router.link.lease({ worker, hosts: 1, urlsPerHost: 5 });
  place.rest();
  const closed = place.close();
  granted.resolve();
  expect((await asked).leases).toEqual([]);
  await closed;
  expect(a.world.reported).toEqual([expect.objectContaining({ close: true, settled: [] })]);
});

it('hands out what some crawls have granted when another one fails', async () => {
  const router = routerOf();
  const [a, b] = [crawlWith('a', 1), crawlWith('b', 1)];
  b.served.link.lease = () => Promise.reject(new Error('closed'));
  for (const { served } of [a, b]) router.serve(served).start();
  const { leases } = await router.link.lease({ worker, hosts: 4, urlsPerHost: 5 });
  expect(leases.map(({ crawl }) => crawl)).toEqual(['a']);
});
