import { createHash } from 'node:crypto';
import type { HostKey } from '@webfarer/protocol';
import { groupTag, plainLists, queueLists } from '../../../redis/keys.ts';
import { replyArray } from '../../../redis/reply-array.ts';
import { scripts } from '../../../redis/client/scripts.ts';
import type { QueueFilter } from '../../frontier.ts';
import { hostIn } from '../../url-search.ts';
import type { Context } from './context.ts';
import type { StoredCrawl } from './stored-crawl.ts';

/** A place in the queue of a host, behind the entry with this mark; '' for the start. */
export interface QueuePlace {
  host: string;
  level: number;
  index: number;
  mark: string;
}

/** The next entries of a list. */
export interface QueuePart {
  host: HostKey;
  level: number;
  /** Where the first of them stands. */
  from: number;
  entries: string[];
}

/** Entries of a list, and hosts, that are read at once. */
export const entriesAtOnce = 1_000;
const hostsAtOnce = 100;
/** Entries before a place among which its mark is looked for: meanwhile the front of the queue was leased. */
const lookedBack = 1_000;

export const queueStart: QueuePlace = { host: '', level: 0, index: 0, mark: '' };

/**
 * The queues of one group behind a place: hosts by name, each with its sitemaps first. Where entries were leased from the
 * front meanwhile, the place is found again by its mark; where that has gone, the list is read from its start. So
 * nothing that stays queued is left out, and some may be read twice.
 */
export async function* queuesIn(
  context: Context,
  crawl: StoredCrawl,
  { group, from, filter }: { group: number; from: QueuePlace; filter: QueueFilter },
): AsyncGenerator<QueuePart> {
  const only = hostIn(filter);
  if (from.host !== '') yield* hostFrom(context, crawl, { group, from });
  if (only !== undefined) {
    if (from.host === '') yield* hostFrom(context, crawl, { group, from: { ...queueStart, host: only } });
    return;
  }
  for (let after = from.host, more = true; more; ) {
    const answer = await context.groups.one(group, scripts.queuedHosts, [crawl.c, after, hostsAtOnce]);
    const [names, hasBands] = answer.kind === 'ok' ? (answer.values as [HostKey[], number]) : [[], 0];
    const isMeant = (host: HostKey) =>
      filter.site === undefined || context.placeOf(host).site === filter.site;
    const meant = names.filter(isMeant);
    const levels = [...queueLists.keys()].slice(0, hasBands === 1 ? undefined : plainLists);
    const starts = meant.flatMap((host) => levels.map((level) => ({ ...queueStart, host, level })));
    yield* listsFrom(context, crawl, { group, starts });
    after = names.at(-1) ?? after;
    more = names.length === hostsAtOnce;
  }
}

interface From {
  group: number;
  from: QueuePlace;
}

async function* hostFrom(
  context: Context,
  crawl: StoredCrawl,
  { group, from }: From,
): AsyncGenerator<QueuePart> {
  yield* listFrom(context, crawl, { group, from });
  const behind = [...queueLists.keys()].slice(from.level + 1);
  const starts = behind.map((level) => ({ ...queueStart, host: from.host, level }));
  yield* listsFrom(context, crawl, { group, starts });
}

async function* listsFrom(
  context: Context,
  crawl: StoredCrawl,
  { group, starts }: { group: number; starts: QueuePlace[] },
): AsyncGenerator<QueuePart> {
  for (const part of await readLists(context, crawl, group, starts)) {
    if (part.entries.length > 0) yield part;
    if (part.entries.length === entriesAtOnce) yield* listFrom(context, crawl, { group, from: endOf(part) });
  }
}

async function* listFrom(
  context: Context,
  crawl: StoredCrawl,
  { group, from }: From,
): AsyncGenerator<QueuePart> {
  for (let at = from; ; ) {
    const [part] = await readLists(context, crawl, group, [at]);
    if (!part || part.entries.length === 0) return;
    yield part;
    if (part.entries.length < entriesAtOnce) return;
    at = endOf(part);
  }
}

export function isLevel(value: unknown): value is number {
  return typeof value === 'number' && queueLists[value] !== undefined;
}

/** Behind the last of these entries. */
export function endOf({ host, level, from, entries }: QueuePart): QueuePlace {
  const last = entries.at(-1);
  return { host, level, index: from + entries.length, mark: last === undefined ? '' : markOf(last) };
}

/** Eight characters of the URL: what else an entry says may change. */
export function markOf(entry: string): string {
  const [key = ''] = entry.split('\n', 1);
  return createHash('sha1').update(key).digest('base64url').slice(0, 8);
}

// oxlint-disable-next-line max-params -- one list of places more than the parts of every reader
async function readLists(
  { store }: Context,
  { c }: StoredCrawl,
  group: number,
  places: QueuePlace[],
): Promise<QueuePart[]> {
  const key = groupTag(group);
  const read = async (ranges: { place: QueuePlace; first: number; count: number }[]) =>
    (
      await store.run(
        ranges.map(({ place: { host, level }, first, count }) => ({
          key,
          args: ['LRANGE', `${key}${c}${queueLists[level] ?? ''}${host}`, first, first + count - 1],
        })),
        { durable: false },
      )
    ).map((reply) => replyArray(reply) as string[]);
  const ranges = places.map((place) => {
    const first = place.mark === '' ? place.index : Math.max(0, place.index - lookedBack);
    return { place, first, count: place.index - first + entriesAtOnce };
  });
  const parts: QueuePart[] = [];
  for (const [n, found] of (await read(ranges)).entries()) {
    const { place, first } = ranges[n] as (typeof ranges)[number];
    const { host, level, mark } = place as QueuePlace & { host: HostKey };
    const at = mark === '' ? -1 : found.findLastIndex((entry) => markOf(entry) === mark);
    if (mark !== '' && at < 0) {
      const [again = []] = await read([{ place, first: 0, count: entriesAtOnce }]);
      parts.push({ host, level, from: 0, entries: again });
    } else {
      parts.push({ host, level, from: first + at + 1, entries: found.slice(at + 1, at + 1 + entriesAtOnce) });
    }
  }
  return parts;
}
