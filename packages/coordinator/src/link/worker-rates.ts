import type { Clock, LeaseReport, WorkerId } from '@webfarer/protocol';
import { createMeter, type Meter } from './meter.ts';

/** What workers have brought since this process began. */
export interface WorkerRates {
  /** A report of that worker was accepted. */
  count(worker: WorkerId, report: LeaseReport): void;
  /** Outcomes in all, and a second lately. */
  of(worker: WorkerId): { pages: number; pagesPerSecond: number };
}

interface Rate {
  pages: number;
  meter: Meter;
}

/** `most`: workers that are remembered, the first ones go first. */
export function createWorkerRates(clock: Clock, most: number): WorkerRates {
  const rates = new Map<WorkerId, Rate>();

  function rateOf(worker: WorkerId): Rate {
    const known = rates.get(worker);
    if (known) return known;
    const [first] = rates.keys();
    if (first !== undefined && rates.size >= most) rates.delete(first);
    const rate = { pages: 0, meter: createMeter(clock) };
    rates.set(worker, rate);
    return rate;
  }

  return {
    count(worker, { settled }) {
      const rate = rateOf(worker);
      const nowMs = clock.now();
      for (const one of settled) {
        if (one.kind !== 'outcome') continue;
        rate.pages++;
        rate.meter.count(one.record, nowMs);
      }
    },
    of(worker) {
      const rate = rates.get(worker);
      return { pages: rate?.pages ?? 0, pagesPerSecond: rate?.meter.perSecond() ?? 0 };
    },
  };
}
