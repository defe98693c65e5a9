import { ok, strictEqual } from 'node:assert/strict';
import type { HostKey, HostLease, WorkerId } from '@webfarer/protocol';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openHostLedger } from '../../ledger/sqlite-ledger.ts';
import { testClock } from '../suite/clock.fixture.ts';
import { crawlA, offerOf, outcome } from '../suite/world.fixture.ts';
import type { Database } from '../../sqlite/node-sqlite.ts';
import { openDatabase } from './schema.ts';
import { frontierOn, type SqliteFrontier } from './sqlite-frontier.ts';

const hosts = ['h.test', 'i.test'] as HostKey[];
const pace = { leaseTtlMs: 500, maxFetchMs: 200, backoffMs: 50, deadAfter: 99, poisonAfter: 99, limits: {} };
const pagesEach = 40;
const worker = 'w' as WorkerId;
/** A test is told the same story every time; `npm run prove -- model` looks for new ones. */
const seed = 12;

type Step =
  | { do: 'lease'; who: number; hosts: number }
  | { do: 'leaseHost'; who: number; host: HostKey }
  | { do: 'renew' | 'resume'; who: number }
  | { do: 'report'; who: number; close: boolean; endedAgoMs: number | null; gapMs: number }
  | { do: 'advance'; ms: number }
  /** The disk refuses the commit of the step inside, or the process dies in it between a claim and its grant. */
  | { do: 'fail'; at: 'before-commit' | 'claimed'; step: Step };

const who = fc.nat(1);
const plain: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant('lease' as const), who, hosts: fc.integer({ min: 1, max: 2 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('leaseHost' as const), who, host: fc.constantFrom(...hosts) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('renew' as const), who }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('resume' as const), who }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('report' as const),
      who,
      close: fc.boolean(),
      endedAgoMs: fc.constantFrom(null, 0, 30),
      gapMs: fc.constantFrom(0, 100, 2_000),
    }),
  },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('advance' as const),
      ms: fc.constantFrom(1, 50, 100, 400, 1_000),
    }),
  },
);
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 12, arbitrary: plain },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('fail' as const),
      at: fc.constantFrom('before-commit' as const, 'claimed' as const),
      step: plain,
    }),
  },
);

/** One crawl in a database of its own. */
interface Crawl {
  db: Database;
  frontier: SqliteFrontier;
  gapMs: number;
  leases: HostLease[];
}

/** What is right, in the plainest form: from when on each host may be contacted. */
class Politeness {
  /** By hosts: nobody may contact it before, whoever asks. */
  floor = new Map<HostKey, number>();
  lastEnd = new Map<HostKey, number>();
  /** The crawl that may be talking to the host, and until when. */
  talking = new Map<HostKey, { crawl: Crawl; until: number }>();

  granted(crawl: Crawl, host: HostKey, now: number): void {
    const other = this.talking.get(host);
    if (other) this.raise(host, other.until + other.crawl.gapMs);
    ok(now >= (this.floor.get(host) ?? 0), `${host} is contacted too soon`);
    ok(
      now >= (this.lastEnd.get(host) ?? -Infinity) + crawl.gapMs,
      `${host} is contacted within a crawl's own gap`,
    );
    this.renewed(crawl, host, now);
  }

  renewed(crawl: Crawl, host: HostKey, now: number): void {
    const other = this.talking.get(host);
    ok(
      other === undefined || other.crawl === crawl || now >= other.until,
      `${host} is contacted by two at once`,
    );
    this.talking.set(host, { crawl, until: now + pace.leaseTtlMs + pace.maxFetchMs });
  }

  /** The crawl, or its process, talks to the host no more. */
  ended(crawl: Crawl, host: HostKey, from: number): void {
    if (this.talking.get(host)?.crawl === crawl) this.talking.delete(host);
    this.raise(host, from);
  }

  raise(host: HostKey, from: number): void {
    this.floor.set(host, Math.max(this.floor.get(host) ?? 0, from));
  }
}

async function run(steps: Step[]): Promise<void> {
  const clock = testClock();
  const ledger = openHostLedger({ path: ':memory:', clock });
  const right = new Politeness();
  let failAt: string | undefined;
  const failpoint = (name: string) => {
    if (name === failAt) throw new Error('failed');
  };
  const open = (db: Database) => frontierOn(db, { clock, ledger, failpoint });
  const crawls: Crawl[] = [];
  for (const gapMs of [100, 300]) {
    const db = openDatabase(':memory:', false);
    const crawl: Crawl = { db, frontier: open(db), gapMs, leases: [] };
    await crawl.frontier.openCrawl({ id: crawlA, gapMs, ...pace });
    const urls = hosts.flatMap((host) => Array.from({ length: pagesEach }, (_, n) => `http://${host}/${n}`));
    await crawl.frontier.offer(
      crawlA,
      urls.map((url) => offerOf(url)),
    );
    crawls.push(crawl);
  }

  function take(crawl: Crawl, lease: HostLease): void {
    right.granted(crawl, lease.host, clock.now());
    crawl.leases.push(lease);
  }

  async function report(
    crawl: Crawl,
    { close, endedAgoMs, gapMs }: Extract<Step, { do: 'report' }>,
  ): Promise<boolean> {
    const lease = crawl.leases.at(-1);
    if (!lease) return false;
    const { id, crawl: key, host, fence } = lease;
    const settled = lease.entries.slice(0, 1).map((entry) => outcome(entry));
    const news = { endedAgoMs, gapMs, why: 'gap', health: 'ok' } as const;
    const [answer] = await crawl.frontier.report([{ id, crawl: key, host, fence, settled, news, close }]);
    if (!answer?.ok) return false;
    const now = clock.now();
    if (endedAgoMs !== null) {
      right.raise(host, now - endedAgoMs + gapMs);
      right.lastEnd.set(host, Math.max(right.lastEnd.get(host) ?? 0, now - endedAgoMs));
    }
    if (close) {
      right.ended(crawl, host, 0);
      crawl.leases.pop();
    }
    return true;
  }

  /** Its process is dead: what it held is given back by the next one. */
  async function resume(crawl: Crawl): Promise<void> {
    crawl.frontier = open(crawl.db);
    await crawl.frontier.releaseAll();
    const now = clock.now();
    for (const [host, { crawl: holder, until }] of right.talking)
      if (holder === crawl) right.ended(crawl, host, now >= until + crawl.gapMs ? 0 : now + crawl.gapMs);
    crawl.leases = [];
  }

  async function perform(one: Step): Promise<void> {
    if (one.do === 'advance') return clock.advance(one.ms);
    if (one.do === 'fail') {
      if (one.step.do === 'resume' || one.step.do === 'advance') return;
      failAt = one.at;
      const died = await perform(one.step).then(
        () => false,
        (error: unknown) => {
          if ((error as Error).message !== 'failed') throw error;
          return true;
        },
      );
      failAt = undefined;
      // A kill between claim and grant: only another process can go on.
      const victim = 'who' in one.step ? crawls[one.step.who] : undefined;
      if (died && one.at === 'claimed' && victim) await resume(victim);
      return;
    }
    const crawl = crawls[one.who] as Crawl;
    switch (one.do) {
      case 'lease': {
        const { leases } = await crawl.frontier.lease({ worker, hosts: one.hosts, urlsPerHost: 2 });
        for (const lease of leases) take(crawl, lease);
        return;
      }
      case 'leaseHost': {
        const answer = await crawl.frontier.leaseHost({ worker, crawl: crawlA, host: one.host });
        if (answer.granted) take(crawl, answer.lease);
        return;
      }
      case 'renew': {
        const lease = crawl.leases.at(-1);
        const [answer] = lease ? await crawl.frontier.renew([lease]) : [];
        if (lease && answer?.ok) right.renewed(crawl, lease.host, clock.now());
        return;
      }
      case 'resume':
        return await resume(crawl);
      case 'report':
        await report(crawl, one);
    }
  }

  for (const one of steps) await perform(one);

  // Both get every host in the end, whatever happened before: they close what they are given and ask again.
  const served = new Set<string>();
  for (let n = 0; n < 400 && served.size < 4; n++) {
    for (const [i, crawl] of crawls.entries()) {
      const { leases } = await crawl.frontier.lease({ worker, hosts: 2, urlsPerHost: 1 });
      for (const lease of leases) {
        take(crawl, lease);
        served.add(`${i} ${lease.host}`);
        await report(crawl, { do: 'report', who: i, close: true, endedAgoMs: 0, gapMs: 0 });
      }
    }
    clock.advance(50);
  }
  strictEqual(served.size, 4, 'a crawl was never given a host');
  for (const { frontier } of crawls) await frontier.close();
  ledger.close();
}

it('two databases on one ledger are never impolite, and never starve each other, in 100 sequences', async () => {
  const property = fc.asyncProperty(fc.array(step, { maxLength: 40, size: 'max' }), run);
  const result = await fc.check(property, { numRuns: 100, seed });
  expect(result.failed, `${fc.defaultReportMessage(result)}\n${String(result.errorInstance)}`).toBe(false);
});
