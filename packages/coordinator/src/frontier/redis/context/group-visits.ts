import type { Clock } from '@webfarer/protocol';

/** A group told its last change, and was told again only 250 ms later: a visit that is later than this saw all of it. */
const toldForMs = 1_000;
/** Of groups that have not changed one in so many is visited all the same: the version before tells no changes. */
const visitsOf = 100;

/** What is to be visited in a group: the crawls that have come into it. */
export interface Visit {
  group: number;
  crawls: readonly string[];
}

/**
 * Which groups have to be visited (F22): those that have changed since this process last visited them, those in which it left
 * something, and now and then the others. Nothing depends on clocks of others: a change that was first read long enough before the
 * visit was over by then.
 */
export interface GroupVisits {
  /** Of these groups, with what they told last. */
  due(told: readonly (Visit & { change: string })[]): number[];
  /** What `due` answered was visited; `left`: there is more to do. */
  visited(visit: Visit, left: boolean): void;
  /** Everything may have changed. */
  forget(): void;
}

interface Known {
  /** As the group told it, and when that was first read. */
  change: string;
  readAtMs: number;
  /** Which visit of all was the last here. */
  lastVisit: number;
  /** When each crawl was visited here since. */
  crawls: Map<string, number>;
}

export function groupVisits(clock: Pick<Clock, 'now'>): GroupVisits {
  const known = new Map<number, Known>();
  let askedAtMs = 0;
  let count = 0;

  function hear(group: number, change: string): Known {
    const at = known.get(group);
    if (at?.change === change) return at;
    const heard = {
      change,
      readAtMs: askedAtMs,
      lastVisit: at?.lastVisit ?? 0,
      crawls: new Map<string, number>(),
    };
    known.set(group, heard);
    return heard;
  }

  return {
    due(told) {
      askedAtMs = clock.now();
      const due: number[] = [];
      const calm: { group: number; lastVisit: number }[] = [];
      for (const { group, crawls, change } of told) {
        const at = hear(group, change);
        const sawAll = (c: string) =>
          (at.crawls.get(c) ?? Number.NEGATIVE_INFINITY) - at.readAtMs >= toldForMs;
        if (crawls.every(sawAll)) calm.push({ group, lastVisit: at.lastVisit });
        else due.push(group);
      }
      calm.sort((a, b) => a.lastVisit - b.lastVisit);
      const turn = calm.slice(0, Math.ceil(calm.length / visitsOf));
      return [...due, ...turn.map(({ group }) => group)];
    },
    visited({ group, crawls }, left) {
      const at = known.get(group);
      if (!at) return;
      at.lastVisit = ++count;
      for (const c of crawls) {
        if (left) at.crawls.delete(c);
        else at.crawls.set(c, askedAtMs);
      }
    },
    forget: () => known.clear(),
  };
}
