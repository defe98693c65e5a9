import { type Counted, numberOf } from './number-table.ts';

/** How long a crawl still takes, as far as it can be told. Every surface says the same of the same estimate. */
export type TimeLeft =
  | { kind: 'unknown' }
  | { kind: 'about'; ms: number }
  | { kind: 'between'; fromMs: number; toMs: number }
  /** A limit ends it there; it may end sooner. */
  | { kind: 'at-most'; ms: number };

/** A range whose ends differ by less is one figure. */
const narrow = 1.3;

export function timeLeft(counted: Pick<Counted, 'state' | 'leftMs' | 'leftToMs' | 'leftAtMost'>): TimeLeft {
  const fromMs = numberOf('left', counted);
  if (fromMs === undefined) return { kind: 'unknown' };
  if (counted.leftAtMost) return { kind: 'at-most', ms: fromMs };
  const toMs = counted.leftToMs ?? fromMs;
  if (toMs <= fromMs * narrow) return { kind: 'about', ms: (fromMs + toMs) / 2 };
  return { kind: 'between', fromMs, toMs };
}
