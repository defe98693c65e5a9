import { WebfarerError } from '@webfarer/protocol';
import { replyArray } from '../../redis/reply-array.ts';
import { groupTag, storeTag } from '../../redis/keys.ts';
import { scripts } from '../../redis/client/scripts.ts';
import type { FrontierCrawl } from '../frontier.ts';
import { type Context, groupsByShard } from './context/context.ts';
import { isGone, type StoredCrawl } from './context/stored-crawl.ts';

/**
 * A crawl is opened in the groups that something of it has come into, and in no others (F21): so whatever visits the groups of a
 * crawl follows what the crawl has. First the group is opened, then the store lists it for the crawl, then something comes
 * into it: what is listed is open, and whoever looks into all that are listed has missed nothing. The store lists it only if the
 * group has heard of the last change (F20), so nobody need tell those that are listed later.
 */
export async function enter(context: Context, crawl: StoredCrawl, groups: Iterable<number>): Promise<void> {
  let missing = [...new Set(groups)].filter((group) => !crawl.groups.has(group));
  for (let tries = 0; missing.length > 0; tries++) {
    if (tries === triesAtMost) throw restless(crawl);
    const { order } = crawl;
    const { highest } = await openIn(context, crawl, missing);
    // The store went back in time, but not these groups.
    if (highest > order) await context.crawls.setTold(crawl, order, highest);
    else await list(context, crawl, order, missing);
    missing = missing.filter((group) => !crawl.groups.has(group));
  }
}

async function list(
  { crawls, groups: runner }: Context,
  crawl: StoredCrawl,
  order: number,
  groups: readonly number[],
): Promise<void> {
  try {
    await crawls.enter(crawl, order, groups);
  } catch (error) {
    // Deleted meanwhile: these groups were not listed, so whoever erases it does not come here.
    if (isGone(error))
      await runner.run(groups.map((group) => ({ group, script: scripts.forget, args: [crawl.c] })));
    throw error;
  }
}

/** A crawl, and groups that something of it is on its way to. */
export interface Entry {
  crawl: StoredCrawl;
  groups: Set<number>;
}

/**
 * The same for work that need not be done at once: it waits for no primary that is late (F10), and tries once. What could not be
 * entered is not listed then.
 */
export async function enterInTime(context: Context, entries: readonly Entry[]): Promise<void> {
  const opened: (Opened & { crawl: StoredCrawl; order: number; groups: number[] })[] = [];
  const works = entries.flatMap(({ crawl, groups: wanted }) =>
    groupsByShard(context, [...wanted]).map((groups) => ({
      key: groupTag(groups[0] ?? 0),
      async work() {
        const { order } = crawl;
        opened.push({ crawl, order, groups, ...(await openIn(context, crawl, groups)) });
      },
    })),
  );
  await context.shards.together(works);
  const work = async () => {
    for (const { crawl, order, groups, highest } of opened.splice(0))
      if (highest <= order) await list(context, crawl, order, groups);
  };
  await context.shards.together([{ key: storeTag, work }]);
}

/** Changes of a crawl that may come between. */
const triesAtMost = 50;

function restless({ id }: StoredCrawl): WebfarerError {
  return new WebfarerError('storage', `the settings of ${id} change all the time`, { next: 'Try again.' });
}

export interface Opened {
  /** Groups in which hosts may be due earlier or later than they were. */
  changed: number[];
  /** The highest number of a change that one of them has heard of. */
  highest: number;
}

/** Tells groups what is in force of a crawl, as far as it is known here. */
export async function openIn(
  context: Context,
  crawl: StoredCrawl,
  groups: readonly number[],
): Promise<Opened> {
  const { c, state, settings, order } = crawl;
  const words = `${settingsWords(settings)} ${order}`;
  const answers = await context.groups.run(
    groups.map((group) => ({ group, script: scripts.open, args: [c, state, words] })),
  );
  const heard = answers.map((answer) => (answer.kind === 'ok' ? answer.values : []));
  return {
    changed: groups.filter((_, i) => heard[i]?.[0] === 1),
    highest: Math.max(order, ...heard.map(([, last]) => Number(last))),
  };
}

export function hasCeiling({ limits }: FrontierCrawl): boolean {
  return limits.pages !== undefined || limits.bytes !== undefined;
}

/** As state.lua takes them apart. A point behind `poisonAfter`: the crawl has a ceiling of its own, so that groups tell what they use. */
function settingsWords(settings: FrontierCrawl): string {
  const { gapMs, leaseTtlMs, maxFetchMs, backoffMs, deadAfter, poisonAfter = '-' } = settings;
  const { hostPages = '-', hostBytes = '-', sitePages = '-', siteBytes = '-' } = settings.limits;
  // Whole milliseconds: never shorter than asked for.
  const times = [gapMs, leaseTtlMs, maxFetchMs, backoffMs, deadAfter].map(Math.ceil);
  const poison = `${poisonAfter}${hasCeiling(settings) ? '.' : ''}`;
  return [...times, hostPages, hostBytes, sitePages, siteBytes, poison, settings.upgrades ? 1 : 0].join(' ');
}

/**
 * Lists what groups have and the store's list lacks: a restored backup or a failover may have gone back with the list alone.
 * Leases of crawls that were erased end in groups that no crawl has come into, so that is asked, too. Once for each epoch of
 * the store; answers whether all groups have been asked in this one.
 */
export async function findEntered(context: Context): Promise<boolean> {
  const { store, crawls, hints, shards } = context;
  const epoch = store.epoch();
  if (context.enteredIn === epoch) return true;
  const found = new Map<string, number[]>();
  let asked = 0;
  const works = groupsByShard(context).map((groups) => ({
    key: groupTag(groups[0] ?? 0),
    async work() {
      const calls = groups.flatMap((group) => {
        const key = groupTag(group);
        return [
          { key, args: ['SMEMBERS', `${key}a`] },
          { key, args: ['ZRANGE', `${key}x`, 0, 0, 'WITHSCORES'] },
        ];
      });
      const replies = await store.run(calls, { durable: false });
      for (const [i, group] of groups.entries()) {
        const [opened, first] = replies.slice(2 * i, 2 * i + 2).map((reply) => replyArray(reply) as string[]);
        if (first?.[1] !== undefined) hints.hearEnd(group, Number(first[1]));
        for (const c of opened ?? []) {
          const groupsOf = found.get(c);
          if (groupsOf) groupsOf.push(group);
          else found.set(c, [group]);
        }
      }
      asked += groups.length;
    },
  }));
  await shards.together(works);
  for (const crawl of crawls.active()) await enter(context, crawl, found.get(crawl.c) ?? []);
  if (asked < crawls.groups || store.epoch() !== epoch) return false;
  context.enteredIn = epoch;
  return true;
}
