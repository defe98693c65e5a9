import type { CrawlId, HostKey } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { type TestClock, testClock } from '../frontier/suite/clock.fixture.ts';
import type { HostHistory, HostSampleHow } from './host-history.ts';
import { placesText } from './host-samples.ts';
import { nextRoster } from './next-roster.ts';
import { levelSize, slotMs } from './samples.ts';

export interface HostHistoryWorld {
  name: string;
  /** The histories of several processes, on one new and empty store that knows the crawls `a` and `b`. */
  open(processes: number, clock: TestClock): Promise<HostHistory[]>;
}

type Told = Record<string, { pages: number; troubles?: number; fresh?: number }>;

const [a, b, unknown] = ['a', 'b', 'unknown'] as CrawlId[] as [CrawlId, CrawlId, CrawlId];
/** At the beginning of a slot that can be halved often. */
const startMs = 90_000_000 * slotMs - (90_000_000 % 4096) * slotMs;

/** What a coordinator does once in a slot: `pages` of each host as the store has them, all of them seen here. */
async function sample(history: HostHistory, told: Told, how?: HostSampleHow): Promise<void> {
  const seen = await history.look(a);
  if (!seen) return;
  const of = Object.entries(told) as [HostKey, Told[string]][];
  const sums = new Map(of.map(([host, { pages, troubles = 0 }]) => [host, { pages, troubles }]));
  const candidates = of.map(([host, { pages, fresh = pages }]) => ({ host, fresh, rate: 1 }));
  const hosts = nextRoster(seen.hosts, { slot: seen.slot, candidates, sums });
  await history.note(a, { seen, hosts, places: placesText(hosts, sums) }, how);
}

/** What every history of hosts must do. */
export function hostHistorySuite({ name, open }: HostHistoryWorld): void {
  describe(`history of hosts: ${name}`, () => {
    async function one(clock = testClock(startMs)): Promise<{ history: HostHistory; clock: TestClock }> {
      const [history] = (await open(1, clock)) as [HostHistory];
      return { history, clock };
    }

    it('tells every process the same of each host, and what it does not know', async () => {
      const clock = testClock(startMs);
      const [here, there] = (await open(2, clock)) as [HostHistory, HostHistory];
      await sample(here, {});
      clock.advance(slotMs);
      await sample(here, { 'a.test': { pages: 7 }, 'old.test': { pages: 900, fresh: 3 } });
      clock.advance(slotMs);
      await sample(here, { 'a.test': { pages: 9, troubles: 40 }, 'old.test': { pages: 902 } });
      const told = await there.activity(a);
      expect(told).toEqual(await here.activity(a));
      expect(told).toEqual({
        samples: [0, 1, 2].map((slot) => ({ atMs: startMs + slot * slotMs, gap: false })),
        hosts: [
          // Some of its pages are older than the first sample that has it: nobody knows when they came.
          { host: 'old.test', pages: [null, 900, 902], troubles: [null, 0, 0] },
          { host: 'a.test', pages: [0, 7, 9], troubles: [0, 0, 35] },
        ],
      });
      expect(await there.activity(b)).toEqual({ samples: [], hosts: [] });
    });

    it('keeps one sample of a slot, but for the last, and nothing of a look that is out of date', async () => {
      const { history, clock } = await one();
      const early = (await history.look(a))!;
      expect(early).toMatchObject({ isSampled: false, hosts: [] });
      await sample(history, { 'a.test': { pages: 1 } });
      expect(await history.look(a)).toMatchObject({ isSampled: true, hosts: [{ host: 'a.test' }] });
      await sample(history, { 'a.test': { pages: 2 } });
      const pages = async () => (await history.activity(a)).hosts.map((each) => each.pages);
      expect(await pages()).toEqual([[1]]);
      await sample(history, { 'a.test': { pages: 3 } }, { last: true });
      expect(await pages()).toEqual([[3]]);
      await history.note(a, { seen: early, hosts: [], places: '' }, { last: true });
      const late = (await history.look(a))!;
      clock.advance(slotMs);
      await history.note(a, { seen: late, hosts: [], places: '' });
      expect(await pages()).toEqual([[3]]);
    });

    it('gives the place of a host to another one without telling its pages as those of the other', async () => {
      const { history, clock } = await one();
      await sample(history, { 'a.test': { pages: 5 }, 'b.test': { pages: 6 } });
      clock.advance(slotMs);
      await sample(history, { 'b.test': { pages: 6 }, 'new.test': { pages: 100, fresh: 1 } });
      clock.advance(slotMs);
      await sample(history, { 'b.test': { pages: 7 }, 'new.test': { pages: 101 } });
      expect((await history.activity(a)).hosts.map(({ host, pages }) => [host, pages])).toEqual([
        ['new.test', [null, 100, 101]],
        ['b.test', [6, 6, 7]],
      ]);
    });

    it('thins what is old, tells gaps, and keeps few even steps of a crawl that is over', async () => {
      const { history, clock } = await one();
      const slots = 1_000;
      for (let slot = 0; slot <= slots; slot++) {
        // Nobody looked for a while: steps are 8 slots there by the end.
        if (slot < 500 || slot > 550) await sample(history, { 'a.test': { pages: slot } });
        clock.advance(slotMs);
      }
      const { samples, hosts } = await history.activity(a);
      const [at] = hosts.map(({ pages }) => pages as number[]) as [number[]];
      expect(at.slice(-2 * levelSize)).toEqual(
        Array.from({ length: 2 * levelSize }, (_, n) => slots + 1 - 2 * levelSize + n),
      );
      expect(samples.length).toBeGreaterThan(2 * levelSize + 3 * levelSize);
      expect(samples.length).toBeLessThan(2 * levelSize + 5 * levelSize);
      expect(at.filter((_, n) => samples[n]?.gap)).toEqual([560]);
      clock.advance(-slotMs);
      await sample(history, { 'a.test': { pages: 1_000 } }, { last: true, over: true });
      const over = await history.activity(a);
      const rest = over.hosts[0]?.pages ?? [];
      expect(rest.length).toBeLessThanOrEqual(2 * levelSize + 1);
      expect([rest[0], rest.at(-1)]).toEqual([0, 1_000]);
      // What was thinned is no gap, also of a crawl that is resumed later.
      expect(rest.filter((_, n) => over.samples[n]?.gap)).toEqual([576]);
      clock.advance(slotMs);
      await sample(history, { 'a.test': { pages: 1_001 } });
      const resumed = await history.activity(a);
      expect(resumed.samples.filter(({ gap }) => gap)).toHaveLength(1);
    });

    it('keeps nothing that names a forgotten host, and the others as they were', async () => {
      const { history, clock } = await one();
      await sample(history, { 'a.test': { pages: 5 }, 'b.test': { pages: 6 } });
      const seen = (await history.look(a))!;
      await history.forget(a, (host) => host === 'a.test');
      clock.advance(1);
      // A sample that was on its way.
      await history.note(a, { seen, hosts: seen.hosts, places: '' }, { last: true });
      expect(JSON.stringify([await history.activity(a), await history.look(a)])).not.toContain('a.test');
      expect((await history.activity(a)).hosts).toEqual([{ host: 'b.test', pages: [6], troubles: [0] }]);
      await history.forget(unknown, () => true);
    });

    it('keeps nothing of a crawl that it does not know, and leaves out what a clock set back brings', async () => {
      const { history, clock } = await one();
      expect(await history.look(unknown)).toBeUndefined();
      await sample(history, { 'a.test': { pages: 1 } });
      clock.advance(-3 * slotMs);
      await sample(history, { 'a.test': { pages: 2 } });
      expect((await history.activity(a)).hosts).toMatchObject([{ pages: [1] }]);
    });
  });
}
