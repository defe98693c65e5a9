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
  const noted: { done: number; slot: number; last: boolean }[] = [];
  const note = (_: CrawlId, counts: Counts, { last = false } = {}) => {
    noted.push({ done: counts.done, slot: Math.floor(nowMs / slotMs), last });
    return noted.length === 2 ? Promise.reject(new Error('a full disk')) : Promise.resolve();
  };
  const sampledHosts: { last: boolean; over: boolean }[] = [];
  const sampler = createCountSampler({
    crawl,
    clock: {
      now: () => nowMs,
      async sleep(ms) {
        await new Promise<void>((resolve) => (wake = resolve));
        nowMs += ms;
      },
    },
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
