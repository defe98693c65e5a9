import type { Outlook } from './group-runner.ts';

/**
 * When each group next has something to do, as far as this process knows: groups tell with every answer, so
 * nobody asks in vain. What other processes changed is learned from the sweep. Hints decide only whom to ask
 * first; what is granted is decided in the store.
 */
export interface Hints {
  learn(outlook: Outlook): void;
  /** An answer of this group was lost. */
  doubt(group: number): void;
  /** When the first host of a crawl is due in a group, as somebody looked it up. Answers whether that is news. */
  hear(crawl: string, group: number, due: number): boolean;
  /** Everything may have changed: every group is asked again. */
  forget(): void;
  /** Groups to ask for these crawls now, those waiting longest first; for closed ones only what is unknown. */
  due(crawls: readonly Asking[], now: (group: number) => number): number[];
  /** When the first host of a crawl is due in these groups, in ms from now; Infinity when none is queued. */
  firstDueMs(crawl: string, now: (group: number) => number, among: (group: number) => boolean): number;
  /** How many hosts of these crawls are due in a group, as far as it told; at least one. */
  dueHosts(group: number, crawls: readonly Asking[]): number;
  /** Groups in which a crawl has hosts, soonest due first. */
  order(crawl: string): number[];
}

export interface Asking {
  c: string;
  /** It may be granted something: no ceiling of its own says no. */
  open: boolean;
}

export function createHints(groups: number): Hints {
  /** Undefined: never asked. */
  let ends: (number | undefined)[] = Array(groups);
  let dues = new Map<string, (number | undefined)[]>();
  /** Hosts that were due when a group last told. */
  let hosts = new Map<string, (number | undefined)[]>();
  /** Nothing is granted in a group before. */
  let holds: (number | undefined)[] = Array(groups);
  let doubted = new Set<number>();
  /** Groups that have anything at all, by what was asked; known until something changes. While idle there are few. */
  const some = new Map<string, number[]>();

  /** Calls with each group that has a time, and the time. */
  function each(asked: string, timeOf: (group: number) => number, take: (group: number, at: number) => void) {
    const known = some.get(asked);
    if (known) {
      for (const group of known) take(group, timeOf(group));
      return;
    }
    const found: number[] = [];
    for (let group = 0; group < groups; group++) {
      const at = timeOf(group);
      if (at === Number.POSITIVE_INFINITY) continue;
      found.push(group);
      take(group, at);
    }
    some.set(asked, found);
  }

  function listOf(lists: Map<string, (number | undefined)[]>, crawl: string): (number | undefined)[] {
    let list = lists.get(crawl);
    if (!list) lists.set(crawl, (list = Array(groups)));
    return list;
  }
  const of = (crawl: string) => listOf(dues, crawl);

  /** Never asked counts as due since ever. */
  function next(group: number, crawls: readonly Asking[]): number {
    let first = ends[group] ?? Number.NEGATIVE_INFINITY;
    for (const { c, open } of crawls) {
      const due = dues.get(c)?.[group];
      if (due === undefined) return Number.NEGATIVE_INFINITY;
      if (open) first = Math.min(first, Math.max(due, holds[group] ?? 0));
    }
    return first;
  }

  function forgetGroup(group: number): void {
    some.clear();
    ends[group] = undefined;
    for (const list of dues.values()) list[group] = undefined;
  }

  return {
    hear(crawl, group, due) {
      const list = of(crawl);
      const isNews = list[group] !== due;
      if (isNews) some.clear();
      list[group] = due;
      return isNews;
    },
    learn({ group, nextEnd, heldUntil, crawls }) {
      if (doubted.delete(group)) forgetGroup(group);
      if (ends[group] !== nextEnd) some.clear();
      ends[group] = nextEnd;
      holds[group] = heldUntil;
      for (const { crawl, due, dueNow } of crawls) {
        listOf(hosts, crawl)[group] = dueNow;
        const list = of(crawl);
        if (list[group] !== due) some.clear();
        list[group] = due;
      }
    },
    doubt: (group) => void doubted.add(group),
    forget() {
      some.clear();
      ends = Array(groups);
      holds = Array(groups);
      doubted = new Set();
      dues = new Map();
      hosts = new Map();
    },
    dueHosts(group, crawls) {
      let count = 0;
      for (const { c, open } of crawls) if (open) count += hosts.get(c)?.[group] ?? 0;
      return Math.max(1, count);
    },
    due(crawls, now) {
      const found: { group: number; at: number }[] = [];
      const asked = crawls.map(({ c, open }) => `${c} ${open}`).join();
      each(
        `due ${asked}`,
        (group) => next(group, crawls),
        (group, at) => {
          if (at <= now(group)) found.push({ group, at });
        },
      );
      return found.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0)).map(({ group }) => group);
    },
    firstDueMs(crawl, now, among) {
      let first = Number.POSITIVE_INFINITY;
      const list = of(crawl);
      each(
        `first ${crawl}`,
        (group) => list[group] ?? Number.POSITIVE_INFINITY,
        (group, due) => {
          if (!among(group)) return;
          first = Math.min(first, Math.max(0, due - now(group), (holds[group] ?? 0) - now(group)));
        },
      );
      return first;
    },
    order(crawl) {
      const list = of(crawl);
      const known = Array.from({ length: groups }, (_, group) => ({
        group,
        at: list[group] ?? Number.NEGATIVE_INFINITY,
      }));
      return known
        .filter(({ at }) => at < Number.POSITIVE_INFINITY)
        .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
        .map(({ group }) => group);
    },
  };
}
