import type { CrawlId, CrawlSnapshot, CrawlState } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { type Counts, slotMs } from '../history/samples.ts';
import { createCountSampler } from './count-sampler.ts';

const crawl = 'a' as CrawlId;

/** A crawl whose counts grow with every look, and whose clock a test moves one sleep at a time. */
function world() {
  const over = new AbortController();
  let [nowMs, done] = [1_800_000_000_000, 0];
  let wake = (): void => {};
  let state: CrawlState = 'running';
  let isResting = false;
  const noted: { done: number; slot: number; last: boolean; restedMs: number }[] = [];
  const note = (_: CrawlId, counts: Counts, { last = false, restedMs = 0 } = {}) => {
    noted.push({ done: counts.done, slot: Math.floor(nowMs / slotMs), last, restedMs });
    return noted.length === 2 ? Promise.reject(new Error('a full disk')) : Promise.resolve();
  };
  const sampledHosts: { last: boolean; over: boolean }[] = [];
  const clock = {
    now: () => nowMs,
    async sleep(ms: number) {
      await new Promise<void>((resolve) => (wake = resolve));
      nowMs += ms;
    },
  };
  const seldom = ({ resting }: { resting: number }) => ({
    ...clock,
    sleep: (ms: number) => clock.sleep(isResting ? resting : ms),
  });
  const sampler = createCountSampler({
    crawl,
    clock,
    pace: { isResting: () => isResting, clock: seldom },
    history: { note, samples: () => Promise.resolve([]) },
    reads: {
      balance: () => Promise.resolve({ known: 9, queued: 1, leased: 2, done: ++done, failed: 0, refused: 0 }),
      totals: () => Promise.resolve({ bytes: 7, items: 8 } as never),
    },
    state: () => state,
    hosts: { sample: async (how) => void sampledHosts.push(how) },
  });
  const keeping = sampler.keep(over.signal);
  return {
    noted,
    sampledHosts,
    sampler,
    become: (next: CrawlState) => void (state = next),
    rest: (rests: boolean) => void (isResting = rests),
    async sleeps(times: number) {
      for (let n = 0; n < times; n++) {
        await new Promise((done) => setImmediate(done));
        wake();
      }
      await new Promise((done) => setImmediate(done));
    },
    async stop() {
      over.abort();
      wake();
      await keeping;
    },
  };
}

it('samples a crawl at once, then once in each slot, also after trouble with the store', async () => {
  const { noted, sleeps, stop } = world();
  await sleeps(4);
  const [first] = noted;
  expect(noted.map(({ slot }) => slot - (first?.slot ?? 0))).toEqual([0, 0, 1, 2, 3]);
  await stop();
});

it('costs nothing while a crawl is paused, and records where it stood', async () => {
  const { noted, sampledHosts, sleeps, become, stop } = world();
  await sleeps(1);
  become('paused');
  await sleeps(6);
  expect(noted.map(({ last }) => last)).toEqual([false, false, true]);
  expect(sampledHosts.map(({ last, over }) => last && !over)).toEqual([false, false, true]);
  become('running');
  await sleeps(1);
  expect(noted).toHaveLength(4);
  await stop();
});

it('ends with the counts that the crawl ended with', async () => {
  const { noted, sampledHosts, sampler, sleeps, stop } = world();
  await sleeps(0);
  const balance = { known: 50, queued: 0, leased: 0, done: 50, failed: 0, refused: 0 };
  const ended = { balance, bytes: 1, items: 2 };
  await sampler.last({ ...ended, state: 'finished' } as CrawlSnapshot);
  expect(noted.at(-1)).toMatchObject({ done: 50, last: true });
  expect(sampledHosts.at(-1)).toEqual({ last: true, over: true });
  // Others may work on it still.
  await sampler.last({ ...ended, state: 'stopped' } as CrawlSnapshot);
  expect(sampledHosts.at(-1)).toEqual({ last: true, over: false });
  await stop();
});

it('takes few samples of a crawl that rests, and says with each for how long', async () => {
  const { noted, sleeps, rest, stop } = world();
  await sleeps(2);
  rest(true);
  await sleeps(3);
  const quarter = 15 * 60_000;
  expect(noted.slice(-2).map(({ restedMs }) => restedMs)).toEqual([quarter, quarter]);
  rest(false);
  await sleeps(2);
  // The one with which it woke tells of the rest, the next of none.
  expect(noted.slice(-2).map(({ restedMs }) => restedMs)).toEqual([quarter, 0]);
  await stop();
});
