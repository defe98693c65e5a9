import { type Flow, type Load, starving } from './worker-shares.ts';

export interface Waiting extends Load {
  /** For how long it has had workers, or none, since it last had a turn. */
  sinceMs: number;
}

/**
 * With fewer workers than crawls that need one, crawls take turns: the one that has waited longest gets a worker from the
 * one that has had its worker longest. All members compute the same flows from the same numbers.
 */
export function takeTurns(loads: readonly Waiting[]): Flow[] {
  const givers = loads
    .filter(({ workers }) => workers > 0)
    .flatMap((load) => Array.from({ length: load.workers }, (_, n) => ({ load, spare: isSpare(load, n) })))
    .toSorted((a, b) => Number(b.spare) - Number(a.spare) || longestFirst(a.load, b.load));
  const takers = (starving(loads) as Waiting[]).toSorted(longestFirst);
  return takers.slice(0, givers.length).map((taker, n) => ({
    from: (givers[n] as (typeof givers)[number]).load.id,
    to: taker.id,
    count: 1,
  }));
}

/** It can do without: nothing is to be done there, or another one stays. */
function isSpare({ wants, capacity, pinned }: Load, n: number): boolean {
  return wants === 0 || capacity <= 0 || pinned || n > 0;
}

function longestFirst(a: Waiting, b: Waiting): number {
  return b.sinceMs - a.sinceMs || (a.id < b.id ? -1 : 1);
}
