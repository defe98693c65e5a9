import type { CoordinatorLink, HostKey, HostLease, LeaseReport } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { describe, expect, it } from 'vitest';
import { retryAll } from '../all-steps.ts';
import { hostRuling } from '../../host-rules/host-ruling.ts';
import { settableRules, tablesOf } from '../../host-rules/host-rules.ts';
import { ruledLink } from '../../host-rules/ruled-link.ts';
import {
  answered,
  crawlA,
  createWorld,
  type FrontierUnderTest,
  gapMs,
  host,
  outcome,
  quiet,
  type World,
  worker,
} from './world.fixture.ts';

const set = { by: 'ada', atMs: 1 };
const optOut = { reason: 'no', contact: 'owner@a.test', date: '2026-11-16', ...set };

/** What is leased under rules for hosts: the same on every store. */
export function hostRuleRules(under: FrontierUnderTest): void {
  describe('host rules', () => {
    async function open() {
      const w = await createWorld(under);
      await w.openCrawl();
      const rules = settableRules();
      const job = resolveJob({
        seeds: ['http://a.test/'],
        politeness: { gap: `${gapMs}ms`, hosts: [{ match: 'own.test', block: true }] },
      });
      const outdated: HostKey[] = [];
      const died = { atMs: Number.NEGATIVE_INFINITY };
      const calls = { lease: 0, reports: [] as number[] };
      const link: CoordinatorLink = {
        lease(request) {
          calls.lease++;
          return w.frontier.lease(request);
        },
        leaseHost: (request) => w.frontier.leaseHost(request),
        robots: (origin) => w.frontier.robots(origin),
        previous: () => Promise.resolve(undefined),
        renew: (leases) => w.frontier.renew(leases),
        report(reports) {
          calls.reports.push(reports.reduce((sum, { settled }) => sum + settled.length, 0));
          return w.frontier.report(reports);
        },
      };
      const ruled = ruledLink({
        link,
        crawl: crawlA,
        clock: w.clock,
        ruling: hostRuling(rules, () => job),
        outdated: (name) => void outdated.push(name),
        diedAtMs: () => died.atMs,
      });
      const lease = (hosts = 10, urlsPerHost = 10) => ruled.lease({ worker, hosts, urlsPerHost });
      return { w, rules, ruled, lease, outdated, calls, died };
    }

    const report = (lease: HostLease, changes: Partial<LeaseReport>): LeaseReport => {
      const { id, crawl, host: name, fence } = lease;
      return { id, crawl, host: name, fence, settled: [], news: quiet, close: false, ...changes };
    };

    /** Fetches one page of the only lease, and gives the host back. */
    async function fetchOne({ w, ruled, lease }: Awaited<ReturnType<typeof open>>): Promise<HostLease> {
      const [one] = (await lease(1, 1)).leases as [HostLease];
      const settled = [outcome(one.entries[0]!)];
      await ruled.report([report(one, { settled, news: answered, close: true })]);
      return expectBalanced(w, one);
    }

    async function expectBalanced<T>(w: World, value: T): Promise<T> {
      await w.balance();
      return value;
    }

    it('settle what is queued on a blocked host, whatever its length, and give the rest to workers', async () => {
      const { w, rules, lease, calls } = await open();
      rules.set(
        tablesOf({
          rules: [{ id: '*.a.test', value: { block: true, note: 'x', ...set } }],
          optOuts: [{ id: 'b.test', value: optOut }],
        }),
      );
      const many = Array.from({ length: 1_300 }, (_, n) => `http://www.a.test/${n}`);
      await w.offer(many);
      await w.offer(['http://a.test/', 'http://b.test/', 'http://own.test/', 'http://b.test/2']);
      await w.offer(['http://b.test/sitemap.xml'], { kind: 'sitemap' });
      await w.offer(['http://c.test/']);
      const seen = new Set<string>();
      for (let calls = 0; calls < 200 && (await w.balance())['queued'] !== 0; calls++)
        for (const one of (await lease(3)).leases) seen.add(one.host);
      expect([...seen]).toEqual(['c.test']);
      expect(await w.balance()).toMatchObject({ queued: 0, leased: 1, refused: 1_305 });
      expect((await w.frontier.totals(crawlA)).byReason).toEqual({ blocked: 1_302, 'opt-out': 3 });
      expect(Math.max(...calls.reports)).toBeLessThanOrEqual(500);
      expect(await w.frontier.look(crawlA, 'http://b.test/2' as never)).toMatchObject({
        record: { reason: 'opt-out', detail: expect.stringContaining('recorded by ada'), attempts: 0 },
      });
      await w.frontier.close();
    });

    it('bring what was refused back once the rule is gone', async () => {
      const { w, rules, lease } = await open();
      await w.offer(['http://a.test/1', 'http://a.test/2']);
      rules.set(tablesOf({ rules: [{ id: 'a.test', value: { block: true, ...set } }], optOuts: [] }));
      expect((await lease()).leases).toEqual([]);
      rules.set(tablesOf({ rules: [], optOuts: [] }));
      expect(await retryAll(w.frontier, crawlA, { reason: 'blocked' })).toBe(2);
      const [one] = (await lease()).leases;
      expect(one?.entries.map(({ url }) => url)).toEqual(['http://a.test/1', 'http://a.test/2']);
      expect(await w.balance()).toMatchObject({ leased: 2, refused: 0 });
      await w.frontier.close();
    });

    it('keep a longer pause from the last request on, also one that was made before the rule', async () => {
      const world = await open();
      const { w, rules, lease } = world;
      await w.offer(['http://a.test/1', 'http://a.test/2', 'http://a.test/3']);
      expect((await fetchOne(world)).endedAgoMs).toBeNull();
      w.clock.advance(gapMs + 200);
      rules.set(tablesOf({ rules: [{ id: 'a.test', value: { gapMs: 7_000, ...set } }], optOuts: [] }));
      expect(await lease()).toMatchObject({ leases: [], nextDueMs: 7_000 - gapMs - 200 });
      expect(await w.frontier.waiting(crawlA, 1)).toMatchObject([{ why: 'rule', queued: 2 }]);
      w.clock.advance(7_000 - gapMs - 200);
      const second = await fetchOne(world);
      expect(second).toMatchObject({ endedAgoMs: 7_000, pace: { gapMs: 7_000, connections: 1 } });
      expect(second.pace?.rule).toContain('set by ada');
      // The worker said that one second is enough.
      expect(await lease()).toMatchObject({ leases: [], nextDueMs: 7_000 });
      w.clock.advance(7_000);
      expect((await lease()).leases).toHaveLength(1);
      await w.frontier.close();
    });

    it('count a longer pause from the death of a worker that may have made a request', async () => {
      const world = await open();
      const { w, rules, lease, died } = world;
      rules.set(tablesOf({ rules: [{ id: 'a.test', value: { gapMs: 7_000, ...set } }], optOuts: [] }));
      await w.offer(['http://a.test/1', 'http://a.test/2', 'http://b.test/1']);
      expect((await lease()).leases).toHaveLength(2);
      w.clock.advance(3_000);
      await w.frontier.releaseAll();
      died.atMs = w.clock.now();
      w.clock.advance(gapMs);
      // To the other host one gap is owed, which is over.
      expect((await lease()).leases).toMatchObject([{ host: 'b.test' }]);
      w.clock.advance(7_000 - gapMs - 1);
      expect((await lease()).leases).toEqual([]);
      w.clock.advance(1);
      expect((await lease()).leases).toMatchObject([{ host: 'a.test' }]);
      await w.frontier.close();
    });

    it('take a host back from a worker that does not know of them', async () => {
      const { w, rules, ruled, lease, outdated } = await open();
      await w.offer(['http://a.test/1', 'http://a.test/2', 'http://b.test/1', 'http://b.test/2']);
      const { leases } = await lease();
      const [a, b] = leases.toSorted((x, y) => x.host.localeCompare(y.host)) as [HostLease, HostLease];
      rules.set(
        tablesOf({
          rules: [{ id: 'b.test', value: { gapMs: 9_000, ...set } }],
          optOuts: [{ id: 'a.test', value: optOut }],
        }),
      );
      expect(await ruled.renew([a, b])).toEqual([{ ok: false }, { ok: true, ttlMs: 60_000 }]);
      const tell = (one: HostLease, close: boolean) =>
        ruled.report([report(one, { settled: [outcome(one.entries[0]!)], news: answered, close })]);
      expect([await tell(a, false), await tell(b, false)].flat().every(({ ok }) => ok)).toBe(true);
      expect(outdated).toEqual([a.host, b.host]);
      // What it has fetched still counts.
      expect(await w.balance()).toMatchObject({ done: 2 });
      await ruled.report([report(a, { close: true }), report(b, { close: true })]);
      w.clock.advance(gapMs);
      expect((await lease()).leases).toEqual([]);
      expect(await w.balance()).toMatchObject({ queued: 1, leased: 0, done: 2, refused: 1 });
      expect(outdated).toHaveLength(2);
      await w.frontier.close();
    });

    it('grant no lease of a single host that may not be contacted, or not yet', async () => {
      const { w, rules, ruled } = await open();
      const ask = (name: string) => ruled.leaseHost({ worker, crawl: crawlA, host: host(name) });
      const first = await ask('b.test');
      if (!first.granted) throw new Error('not granted');
      await ruled.report([report(first.lease, { news: answered, close: true })]);
      w.clock.advance(gapMs);
      rules.set(
        tablesOf({
          rules: [{ id: 'b.test', value: { gapMs: 5_000, ...set } }],
          optOuts: [{ id: 'a.test', value: optOut }],
        }),
      );
      expect(await ask('a.test')).toEqual({ granted: false, refused: expect.stringContaining('opted out') });
      expect(await ask('own.test')).toMatchObject({ refused: expect.stringContaining('politeness.hosts') });
      expect(await ask('b.test')).toEqual({ granted: false, retryAfterMs: 5_000 - gapMs });
      w.clock.advance(5_000 - gapMs);
      expect(await ask('b.test')).toMatchObject({ granted: true, lease: { pace: { gapMs: 5_000 } } });
      await w.frontier.close();
    });
  });
}
