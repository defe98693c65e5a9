import type { Balance } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { testClock } from '../frontier/suite/clock.fixture.ts';
import { createTimeLeft } from './time-left.ts';

const balance = (known: number, open: number): Balance => ({
  known,
  queued: open,
  leased: 0,
  done: known - open,
  failed: 0,
  refused: 0,
});

/** Looks once a second while URLs are found and settled at these rates; answers the last estimate. */
function watch(options: {
  seconds: number;
  found: number;
  settled: number;
  open: number;
  pageLimit?: number;
}) {
  const clock = testClock();
  const left = createTimeLeft({ clock, pageLimit: () => options.pageLimit });
  let estimate: ReturnType<typeof left.estimate> = {};
  for (let second = 0; second <= options.seconds; second++) {
    const known = 1_000 + options.found * second;
    const open = options.open + (options.found - options.settled) * second;
    estimate = left.estimate(balance(known, open), options.settled);
    clock.advance(1_000);
  }
  return estimate;
}

it('cannot tell on an endless chain: each page leads to one more', () => {
  expect(watch({ seconds: 60, found: 1, settled: 1, open: 1 })).toEqual({});
});

it('cannot tell in the first seconds', () => {
  expect(watch({ seconds: 3, found: 0, settled: 10, open: 500 })).toEqual({});
});

it('tells how long the queue lasts once nothing new is found', () => {
  expect(watch({ seconds: 20, found: 0, settled: 10, open: 500 })).toEqual({ leftMs: 30_000 });
});

it('counts in what is still being found', () => {
  expect(watch({ seconds: 20, found: 5, settled: 10, open: 500 })).toEqual({ leftMs: 80_000 });
});

it('ends a chain at the page limit at the latest', () => {
  const chain = { seconds: 20, found: 1, settled: 1, open: 1 };
  expect(watch({ ...chain, pageLimit: 1_079 })).toEqual({ leftMs: 60_000, leftAtMost: true });
});

it('tells when the limit is reached by what is queued already', () => {
  const queue = { seconds: 20, found: 10, settled: 10, open: 500 };
  expect(watch({ ...queue, pageLimit: 1_000 })).toEqual({ leftMs: 30_000 });
});
