import { groupTag } from '../../../redis/keys.ts';
import type { Context } from './context.ts';
import type { GroupVisits, Visit } from './group-visits.ts';
import type { StoredCrawl } from './stored-crawl.ts';

/** Crawls by the groups that they have come into. */
export type Places = Map<number, StoredCrawl[]>;

/** A crawl in a group. */
export interface Place {
  group: number;
  crawl: StoredCrawl;
}

export function placesOf(crawls: readonly StoredCrawl[], isMeant: (group: number) => boolean): Places {
  const places: Places = new Map();
  for (const crawl of crawls) {
    for (const group of crawl.groups.list) {
      if (!isMeant(group)) continue;
      const here = places.get(group);
      if (here) here.push(crawl);
      else places.set(group, [crawl]);
    }
  }
  return places;
}

/** The places of each primary. */
export function byShard({ shards }: Context, places: Places): Places[] {
  const parts = new Map<number, Places>();
  for (const [group, crawls] of places) {
    const shard = shards.numberOf(group);
    const part = parts.get(shard) ?? new Map<number, StoredCrawl[]>();
    parts.set(shard, part.set(group, crawls));
  }
  return [...parts.values()];
}

/** The tag of some group of these, whose primary answers for all of them. */
export function keyOf(places: Places): string {
  const [first = 0] = places.keys();
  return groupTag(first);
}

export function each(places: Places): Place[] {
  return [...places].flatMap(([group, crawls]) => crawls.map((crawl) => ({ group, crawl })));
}

/**
 * Those of the groups that have to be visited (F22), by one command for each group. Groups whose primary does not answer are left
 * for a later time.
 */
export async function changedPlaces(context: Context, visits: GroupVisits, places: Places): Promise<Places> {
  const told: (Visit & { change: string })[] = [];
  const works = byShard(context, places).map((part) => ({
    key: keyOf(part),
    async work() {
      const calls = [...part.keys()].map((group) => ({
        key: groupTag(group),
        args: ['GET', `${groupTag(group)}v`],
      }));
      const changes = (await context.store.run(calls, { durable: false })) as (string | null)[];
      for (const [i, [group, crawls]] of [...part].entries())
        told.push({ group, crawls: namesOf(crawls), change: changes[i] ?? '' });
    },
  }));
  await context.shards.together(works);
  return new Map(visits.due(told.splice(0)).map((group) => [group, places.get(group) ?? []]));
}

/** The same, for visits that cost one command for each crawl: to ask whether a group has changed costs as much as to visit one. */
export async function changedOrSingle(
  context: Context,
  visits: GroupVisits,
  places: Places,
): Promise<Places> {
  const [single, shared] = [new Map(places), new Map(places)];
  for (const [group, crawls] of places) (crawls.length > 1 ? single : shared).delete(group);
  return new Map([...single, ...(await changedPlaces(context, visits, shared))]);
}

/** These crawls were visited there. */
export function visited(visits: GroupVisits, places: Places, hasLeft: (group: number) => boolean): void {
  for (const [group, crawls] of places) visits.visited({ group, crawls: namesOf(crawls) }, hasLeft(group));
}

function namesOf(crawls: readonly StoredCrawl[]): string[] {
  return crawls.map(({ c }) => c);
}
