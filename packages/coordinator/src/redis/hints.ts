import { type CrawlGroups, noGroups } from './crawl-groups.ts';
import type { Outlook } from './group-runner.ts';

/**
 * When each group next has something to do, as far as this process knows: groups tell with every answer, so
 * nobody asks in vain. What other processes changed is learned from the sweep. Hints decide only whom to ask
 * first; what is granted is decided in the store. A crawl has nothing in groups that it has not come into, and what hints cost
 * follows those that it has.
 */
export interface Hints {
  learn(outlook: Outlook): void;
  /** An answer of this group was lost. */
  doubt(group: number): void;
  /** When the next lease or hold of a group ends, as somebody looked it up: also where no crawl has come into it. */
  hearEnd(group: number, end: number): void;
  /** When the first host of a crawl is due in a group, as somebody looked it up. Answers whether that is news. */
  hear(crawl: string, group: number, due: number): boolean;
  /** Everything about this crawl may have changed: each of its groups is asked again for it. */
  forget(crawl: string): void;
  /** Keeps nothing of crawls but these. */
  keep(crawls: ReadonlySet<string>): void;
  /** Groups to ask for these crawls now, those waiting longest first; for closed ones only what is unknown. */
  due(crawls: readonly Asking[], now: (group: number) => number): number[];
  /** When the first host of a crawl is due in these groups, in ms from now; Infinity when none is queued. */
  firstDueMs(crawl: string, now: (group: number) => number, among: (group: number) => boolean): number;
  /** Whether a crawl may have hosts in a group: it is known to, or has come into it and nobody has asked. */
  mayHave(crawl: string, group: number): boolean;
  /** Some of its groups were never asked for this crawl. */
  isUnsure(crawl: string): boolean;
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

/** What is known of one crawl: only groups in which it has something take room. */
interface OfCrawl {
  dues: Map<number, number>;
  /** Hosts that were due when a group last told. */
  hosts: Map<number, number>;
  /** Its groups that were never asked, or not since something was lost. */
  unknown: Set<number>;
  /** The groups that it has come into, as they were taken over. */
  groups: CrawlGroups;
}

type GroupsOf = (crawl: string) => CrawlGroups;

/**
 * `groupsOf`: the groups that a crawl has come into, as far as it is known here. `sooner` is called where a crawl may have something due sooner
 * than was known.
 */
export function createHints(groupsOf: GroupsOf, sooner: (crawl: string) => void): Hints {
  const crawls = new Map<string, OfCrawl>();
  /** When the next lease or hold of a group ends, where there is one. */
  const ends = new Map<number, number>();
  /** Groups that some crawl has come into and of which that is not known. */
  const endless = new Set<number>();
  /** Groups that some crawl has come into. */
  const met = new Set<number>();
  /** Nothing is granted in a group before. */
  const holds = new Map<number, number>();
  const doubted = new Set<number>();

  function of(crawl: string): OfCrawl {
    let known = crawls.get(crawl);
    if (!known)
      crawls.set(
        crawl,
        (known = { dues: new Map(), hosts: new Map(), unknown: new Set(), groups: noGroups }),
      );
    const groups = groupsOf(crawl);
    if (known.groups !== groups) enter(known, groups);
    return known;
  }

  function enter(known: OfCrawl, groups: CrawlGroups): void {
    for (const group of groups.list) {
      if (known.groups.has(group)) continue;
      known.unknown.add(group);
      if (met.has(group)) continue;
      met.add(group);
      endless.add(group);
    }
    known.groups = groups;
  }

  function hear(crawl: string, group: number, due: number): boolean {
    const { dues, unknown } = of(crawl);
    const wasUnknown = unknown.delete(group);
    const before = dues.get(group);
    if (due === Number.POSITIVE_INFINITY) return dues.delete(group) || wasUnknown;
    dues.set(group, due);
    if (before === undefined || due < before) sooner(crawl);
    return before !== due;
  }

  function forgetGroup(group: number): void {
    ends.delete(group);
    endless.add(group);
    for (const [crawl, { dues, unknown, groups }] of crawls) {
      dues.delete(group);
      if (!groups.has(group)) continue;
      unknown.add(group);
      sooner(crawl);
    }
  }

  const startMs = (group: number, due: number) => Math.max(due, holds.get(group) ?? 0);

  return {
    hear,
    hearEnd: (group, end) => void ends.set(group, end),
    learn({ group, nextEnd, heldUntil, crawls: told }) {
      if (doubted.delete(group)) forgetGroup(group);
      met.add(group);
      endless.delete(group);
      if (nextEnd === Number.POSITIVE_INFINITY) ends.delete(group);
      else ends.set(group, nextEnd);
      holds.set(group, heldUntil);
      for (const { crawl, due, dueNow } of told) {
        hear(crawl, group, due);
        if (dueNow > 0) of(crawl).hosts.set(group, dueNow);
        else of(crawl).hosts.delete(group);
      }
    },
    doubt: (group) => void doubted.add(group),
    forget(crawl) {
      crawls.delete(crawl);
      sooner(crawl);
    },
    keep(open) {
      for (const crawl of crawls.keys()) if (!open.has(crawl)) crawls.delete(crawl);
    },
    mayHave(crawl, group) {
      const { dues, unknown } = of(crawl);
      return dues.has(group) || unknown.has(group);
    },
    isUnsure: (crawl) => of(crawl).unknown.size > 0,
    dueHosts(group, asked) {
      let count = 0;
      for (const { c, open } of asked) if (open) count += crawls.get(c)?.hosts.get(group) ?? 0;
      return Math.max(1, count);
    },
    due(asked, now) {
      const found = new Map<number, number>();
      const note = (group: number, at: number) => {
        if (at <= now(group)) found.set(group, Math.min(at, found.get(group) ?? at));
      };
      for (const group of endless) found.set(group, Number.NEGATIVE_INFINITY);
      for (const [group, end] of ends) note(group, end);
      for (const { c, open } of asked) {
        const { dues, unknown } = of(c);
        for (const group of unknown) found.set(group, Number.NEGATIVE_INFINITY);
        if (open) for (const [group, due] of dues) note(group, startMs(group, due));
      }
      return soonest([...found]);
    },
    firstDueMs(crawl, now, among) {
      let first = Number.POSITIVE_INFINITY;
      for (const [group, due] of of(crawl).dues)
        if (among(group)) first = Math.min(first, Math.max(0, startMs(group, due) - now(group)));
      return first;
    },
    order(crawl) {
      const { dues, unknown } = of(crawl);
      const never = Array.from(unknown, (group) => [group, Number.NEGATIVE_INFINITY] as const);
      return soonest([...never, ...dues]);
    },
  };
}

/** Of those that are as soon the lower numbers come first. */
function soonest(times: (readonly [group: number, at: number])[]): number[] {
  return times
    .sort(([a, first], [b, second]) => (first < second ? -1 : first > second ? 1 : a - b))
    .map(([group]) => group);
}
