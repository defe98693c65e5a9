import type { CrawlSnapshot } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { calmSnapshots } from './calm-snapshot.ts';

it('the snapshot of a crawl that rests is told with its times as of now', async () => {
  let now = 0;
  let ranMs = 500;
  let looks = 0;
  const taken = {
    elapsedMs: 500,
    waiting: [
      { host: 'a.test', dueInMs: 90_000 },
      { host: 'b.test', dueInMs: 100 },
    ],
    stall: { cause: 'gap', text: 'waits', retryInMs: 90_000 },
    leftMs: 200_000,
    leftToMs: 300_000,
  } as unknown as CrawlSnapshot;
  const snapshot = calmSnapshots(async () => taken, {
    // It rests: the first answer is kept.
    pace: {
      kept: (read) =>
        (
          (first) => () =>
            first
        )(read()),
    },
    clock: { now: () => now },
    progress: { elapsedMs: () => ranMs },
    watches: { workers: { look: () => void looks++ } },
  });
  expect(await snapshot()).toEqual(taken);
  now = 60_000;
  // It was held for half of that time.
  ranMs = 30_500;
  expect(await snapshot()).toMatchObject({
    elapsedMs: 30_500,
    waiting: [{ dueInMs: 30_000 }, { dueInMs: 0 }],
    stall: { retryInMs: 30_000 },
    leftMs: 140_000,
    leftToMs: 240_000,
  });
  expect(looks).toBe(2);
});
