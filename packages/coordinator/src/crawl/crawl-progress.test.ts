import type { CrawlId } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { RanTime } from '../frontier/frontier.ts';
import { testClock } from '../frontier/suite/clock.fixture.ts';
import { createCrawlProgress } from './crawl-progress.ts';

function progressOf({ durationMs, inStoreMs = 0 }: { durationMs?: number; inStoreMs?: number }) {
  const clock = testClock();
  let kept = 0;
  const progress = createCrawlProgress({
    crawl: 'c' as CrawlId,
    name: 'c',
    frontier: {
      async keepTime(_: CrawlId, { atLeastMs }: RanTime) {
        kept++;
        return Math.max(atLeastMs, inStoreMs);
      },
    } as never,
    clock,
    events: { publish: () => undefined } as never,
    agentToken: 'webfarer',
    elapsedBeforeMs: 0,
    job: () => ({ limits: durationMs === undefined ? {} : { durationMs } }) as never,
    saw: [],
  });
  return { clock, progress, kept: () => kept };
}

it('does not count pauses against the time limit: by a person, or for room on a disk', async () => {
  const { clock, progress } = progressOf({ durationMs: 40_000 });
  clock.advance(8_000);
  progress.setState('paused');
  clock.advance(45_000);
  progress.setState('running');
  expect([progress.elapsedMs(), await progress.overTime()]).toEqual([8_000, false]);
  progress.hold(true);
  clock.advance(45_000);
  // Paused and resumed by a person while the disk is full: it still does not run.
  progress.setState('paused');
  progress.setState('running');
  clock.advance(45_000);
  progress.hold(false);
  clock.advance(31_999);
  expect([progress.elapsedMs(), await progress.overTime()]).toEqual([39_999, false]);
  clock.advance(1);
  expect(await progress.overTime()).toBe(true);
});

it('counts what other coordinators ran, and keeps nothing where there is no time limit', async () => {
  const limited = progressOf({ durationMs: 40_000, inStoreMs: 40_000 });
  expect(await limited.progress.overTime()).toBe(true);
  expect(limited.progress.elapsedMs()).toBe(40_000);
  const unlimited = progressOf({ inStoreMs: 40_000 });
  expect([await unlimited.progress.overTime(), unlimited.kept()]).toEqual([false, 0]);
});
