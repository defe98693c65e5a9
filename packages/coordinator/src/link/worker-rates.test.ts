import type { LeaseReport, WorkerId } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { createWorkerRates } from './worker-rates.ts';

const report = (outcomes: number) =>
  ({
    settled: [
      ...Array.from({ length: outcomes }, () => ({ kind: 'outcome', record: { durationMs: 1 } })),
      { kind: 'retry' },
    ],
  }) as unknown as LeaseReport;

it('counts the outcomes of each worker, and forgets the first of too many workers', () => {
  const [a, b, c] = ['a', 'b', 'c'] as WorkerId[] as [WorkerId, WorkerId, WorkerId];
  const rates = createWorkerRates({ now: () => 5_000, sleep: () => new Promise(() => undefined) }, 2);
  rates.count(a, report(3));
  rates.count(b, report(1));
  rates.count(a, report(2));
  expect([rates.of(a).pages, rates.of(b).pages, rates.of(c)]).toEqual([
    5,
    1,
    { pages: 0, pagesPerSecond: 0 },
  ]);
  expect(rates.of(a).pagesPerSecond).toBeGreaterThan(0);
  rates.count(c, report(1));
  expect([rates.of(a).pages, rates.of(b).pages, rates.of(c).pages]).toEqual([0, 1, 1]);
});
