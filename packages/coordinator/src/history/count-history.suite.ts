import type { CrawlId } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { type TestClock, testClock } from '../frontier/suite/clock.fixture.ts';
import type { CountHistory } from './count-history.ts';
import { type Counts, slotMs } from './samples.ts';

export interface HistoryWorld {
  name: string;
  /** The histories of several processes, on one new and empty store that knows the crawls `a` and `b`. */
  open(processes: number, clock: TestClock): Promise<CountHistory[]>;
}

const [a, b, unknown] = ['a', 'b', 'unknown'] as CrawlId[] as [CrawlId, CrawlId, CrawlId];
const startMs = 1_800_000_000_000;

/** Counts that all differ, so that none is taken for another. */
const counted = (done: number): Counts => ({
  queued: done * 3 + 1,
  leased: 2,
  done,
  failed: Math.floor(done / 7),
  refused: 5,
  bytes: done * 123_456_789,
  items: done * 2,
});

/** What every history must do. */
export function countHistorySuite({ name, open }: HistoryWorld): void {
  describe(`history of counts: ${name}`, () => {
    async function one(clock = testClock(startMs)) {
      const [history] = (await open(1, clock)) as [CountHistory];
      /** Samples that many slots, with counts that grow from there. */
      async function run(slots: number, from: number): Promise<void> {
        for (let slot = 0; slot < slots; slot++) {
          await history.note(a, counted(from + slot));
          clock.advance(slotMs);
        }
      }
      return { history, clock, run };
    }

    it('keeps all counts of a sample, for every process', async () => {
      const clock = testClock(startMs);
      const [here, there] = (await open(2, clock)) as [CountHistory, CountHistory];
      const large = { ...counted(1_000_000_000), bytes: 90_000_000_000_000 };
      await here.note(a, large);
      expect(await there.samples(a)).toEqual([{ atMs: startMs, ...large, gap: false }]);
      expect(await there.samples(b)).toEqual([]);
    });

    it('keeps one sample of a slot, whoever comes first, but for the last', async () => {
      const clock = testClock(startMs);
      const [here, there] = (await open(2, clock)) as [CountHistory, CountHistory];
      for (let slot = 0; slot < 3; slot++) {
        await here.note(a, counted(slot * 10));
        clock.advance(500);
        await there.note(a, counted(slot * 10 + 1));
        clock.advance(slotMs - 500);
      }
      expect((await here.samples(a)).map(({ done }) => done)).toEqual([0, 10, 20]);
      clock.advance(-slotMs + 700);
      await there.note(a, counted(22), { last: true });
      expect((await here.samples(a)).map(({ done }) => done)).toEqual([0, 10, 22]);
    });

    it('thins what is old, keeps the first, and grows with the logarithm of the time', async () => {
      const { history, clock } = await one();
      const slots = 3_000;
      for (let slot = 0; slot <= slots; slot++) {
        await history.note(a, counted(slot));
        clock.advance(slotMs);
      }
      const samples = await history.samples(a);
      const at = samples.map(({ done }) => done);
      expect(at.slice(-48)).toEqual(Array.from({ length: 48 }, (_, n) => slots - 47 + n));
      expect(at[0]).toBe(0);
      // Of each doubling of the age half as many: 24 for each, and all of the latest.
      expect(samples.length).toBeGreaterThan(48 + 24 * 5);
      expect(samples.length).toBeLessThan(48 + 24 * 7);
      expect(samples.filter(({ gap }) => gap)).toEqual([]);
      // No two are farther apart than a twelfth of their age.
      const wide = at.filter(
        (slot, n) => n > 0 && slot - (at[n - 1] ?? 0) > Math.max(1, (slots - (at[n - 1] ?? 0)) / 24),
      );
      expect(wide).toEqual([]);
    });

    it('tells where nobody took samples, however long ago', async () => {
      const { history, clock, run } = await one();
      await run(40, 0);
      clock.advance(10 * slotMs);
      await run(40, 40);
      const fresh = await history.samples(a);
      expect(fresh.filter(({ gap }) => gap).map(({ done }) => done)).toEqual([40]);
      clock.advance(500 * slotMs);
      await run(300, 80);
      const later = await history.samples(a);
      const gaps = later.filter(({ gap }) => gap).map(({ done }) => done);
      // The short one is within the step that is left there; the long one stays.
      expect(gaps).toHaveLength(1);
      expect(gaps[0]).toBeGreaterThanOrEqual(80);
      expect(gaps[0]).toBeLessThan(96);
    });

    it('does not take a rest for a gap, however long and however long ago it was', async () => {
      const { history, clock, run } = await one();
      await run(40, 0);
      // Sampled now and then while it rests, and when it wakes.
      for (let n = 0; n < 5; n++) {
        clock.advance(44 * slotMs);
        await history.note(a, counted(39), { restedMs: 45 * slotMs });
        clock.advance(slotMs);
      }
      await run(40, 40);
      const fresh = await history.samples(a);
      expect(fresh.filter(({ gap }) => gap)).toEqual([]);
      // Nothing is made up: each was sampled.
      expect(fresh.filter(({ done }) => done === 39).length).toBeGreaterThan(4);
      await run(600, 80);
      expect((await history.samples(a)).filter(({ gap }) => gap)).toEqual([]);
      // One during which nobody was there is a gap still.
      clock.advance(30 * slotMs);
      await run(3, 680);
      expect((await history.samples(a)).filter(({ gap }) => gap).map(({ done }) => done)).toEqual([680]);
    });

    it('does not take a sample that came a moment late for a gap', async () => {
      const { history, clock } = await one();
      for (let slot = 0; slot < 100; slot++) {
        await history.note(a, counted(slot));
        clock.advance(slot % 9 === 8 ? 2 * slotMs : slotMs);
      }
      expect((await history.samples(a)).filter(({ gap }) => gap)).toEqual([]);
    });

    it('keeps nothing of a crawl that it does not know, and leaves out what a clock set back brings', async () => {
      const { history, clock } = await one();
      await history.note(unknown, counted(1));
      expect(await history.samples(unknown)).toEqual([]);
      await history.note(a, counted(1));
      clock.advance(-3 * slotMs);
      await history.note(a, counted(2));
      expect((await history.samples(a)).map(({ done }) => done)).toEqual([1]);
    });
  });
}
