import { groupTag } from '../../../redis/keys.ts';
import type { Context } from '../context/context.ts';
import { type GroupVisits, groupVisits } from '../context/group-visits.ts';
import { byShard, changedOrSingle, each, keyOf, type Places, placesOf, visited } from '../context/places.ts';
import type { StoredCrawl } from '../context/stored-crawl.ts';

/** How many results of a crawl wait in a group. */
export interface Waiting {
  crawl: StoredCrawl;
  group: number;
  length: number;
}

/**
 * Tells how many results of each crawl wait in these groups, without those whose primary does not answer. Groups of which the answer
 * is that it is too much are visited again.
 */
async function visitLengths(
  context: Context,
  { visits, places }: { visits: GroupVisits; places: Places },
  isTooMuch: (found: Waiting) => boolean,
): Promise<void> {
  const works = byShard(context, places).map((part) => ({
    key: keyOf(part),
    async work() {
      const found = each(part);
      const replies = await context.store.run(
        found.map(({ group, crawl }) => {
          const key = groupTag(group);
          return { key, args: ['XLEN', `${key}${crawl.c}r`] };
        }),
        { durable: false },
      );
      const left = new Set<number>();
      for (const [i, { group, crawl }] of found.entries())
        if (isTooMuch({ crawl, group, length: Number(replies[i]) || 0 })) left.add(group);
      visited(visits, part, (group) => left.has(group));
    },
  }));
  await context.shards.together(works);
}

export interface LongBacklogs {
  /**
   * Finds where at least so many results wait of crawls that this process has opened. Each call visits the groups that have changed since
   * the last one, and those where too much waited.
   */
  find(): Promise<Waiting[]>;
  /** Whether it found any of this crawl, or did not look everywhere since that time. */
  mayBe(c: string, sinceMs: number): boolean;
}

export function longBacklogs(context: Context, { results }: { results: number }): LongBacklogs {
  const visits = groupVisits(context.clock);
  /** The epoch of the store in which what was visited is known. */
  let visitedIn = '';
  /** When the last look that has ended began. */
  let lookedAtMs = Number.NEGATIVE_INFINITY;
  /** As it was seen last, by crawl and group. */
  const long = new Map<StoredCrawl, Map<number, Waiting>>();

  function note(found: Waiting): boolean {
    const { crawl, group, length } = found;
    const here = long.get(crawl) ?? new Map<number, Waiting>();
    if (length >= results) long.set(crawl, here.set(group, found));
    else if (here.delete(group) && here.size === 0) long.delete(crawl);
    return length >= results;
  }

  async function find(): Promise<Waiting[]> {
    const startedAtMs = context.clock.now();
    const open = [...context.opened].flatMap((c) => context.crawls.byNumber(c) ?? []);
    const isOpen = new Set(open);
    for (const crawl of long.keys()) if (!isOpen.has(crawl)) long.delete(crawl);
    const epoch = context.store.epoch();
    if (epoch !== visitedIn) visits.forget();
    visitedIn = epoch;
    const all = placesOf(open, () => true);
    await visitLengths(context, { visits, places: await changedOrSingle(context, visits, all) }, note);
    lookedAtMs = startedAtMs;
    return [...long.values()].flatMap((here) => [...here.values()]);
  }

  return {
    find,
    mayBe: (c, sinceMs) =>
      lookedAtMs < sinceMs || context.shards.anyAway() || [...long.keys()].some((crawl) => crawl.c === c),
  };
}
