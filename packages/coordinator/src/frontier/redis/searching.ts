import type { CrawlId, HostKey } from '@webfarer/protocol';
import { scripts } from '../../redis/client/scripts.ts';
import { start } from './draining/group-records.ts';
import type { KnownUrl, UrlPage, UrlSearch } from '../frontier.ts';
import type { RecordFilter } from '../../results/results.ts';
import {
  decodePlace,
  encodePlace,
  malformed,
  matchesOutcome,
  matchesPlace,
  partsFor,
  recordFilterOf,
  type UrlPart,
  urlParts,
} from '../url-search.ts';
import type { Context } from './context/context.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';
import { isEntryText, readEntry } from './context/entry-text.ts';
import { groupsFor, groupsWith } from './group-choice.ts';
import { endOf, isLevel, markOf, queuesIn, type QueuePlace, queueStart } from './context/queue-reader.ts';

/** URLs that are looked at for a page, however few of them match. */
const lookedAt = 20_000;
/** Groups that are read at once; more while they have little. */
const width = { first: 2, most: 32 };

/** Where a search has come to in its group. */
interface Place {
  part: UrlPart;
  queue: QueuePlace;
  /** The last outcome. */
  record: string;
}

const groupStart: Place = { part: 'queued', queue: queueStart, record: start };

/** What was found among some URLs that were looked at. */
interface Chunk {
  hits: { url: KnownUrl; place: Place }[];
  searched: number;
  /** Behind all of them. */
  to: Place;
}

interface Walk {
  context: Context;
  crawl: StoredCrawl;
  parts: readonly UrlPart[];
  filter: RecordFilter;
}

export async function searchUrls(
  context: Context,
  id: CrawlId,
  { filter: given, after, limit }: UrlSearch,
): Promise<UrlPage> {
  const crawl = await context.crawls.get(id);
  const filter = recordFilterOf(given);
  const walk: Walk = { context, crawl, parts: partsFor(given), filter };
  const from = placeIn(after, crawl.nonce);
  const urls: KnownUrl[] = [];
  let searched = 0;
  const page = (group: number, place: Place): UrlPage => ({
    urls,
    searched,
    next: encodePlace(crawl.nonce, valuesOf(group, place)),
  });
  /** Answers where the page ends, if it does. */
  function take({ hits, searched: looked, to }: Chunk): Place | undefined {
    searched += looked;
    const room = limit - urls.length;
    urls.push(...hits.slice(0, room).map(({ url }) => url));
    if (hits.length > room) return hits[room - 1]?.place ?? to;
    return urls.length >= limit || searched >= lookedAt ? to : undefined;
  }

  const groups = (await groupsFor(context, crawl, filter)).filter((group) => group >= from.group);
  let wide = width.first;
  for await (const some of groupsWith(context, crawl, { groups, parts: walk.parts, filter })) {
    for (let at = 0; at < some.length; ) {
      const batch = some.slice(at, at + wide);
      const walks = batch.map((group) => walkGroup(walk, group, group === from.group ? from : groupStart));
      const firsts = await Promise.all(walks.map((one) => one.next()));
      for (const [n, one] of walks.entries()) {
        const first = firsts[n];
        for (let next = first; next && !next.done; next = await one.next()) {
          const end = take(next.value);
          if (end) return page(batch[n] as number, end);
        }
      }
      at += batch.length;
      wide = Math.min(width.most, wide * 2);
    }
  }
  return { urls, searched, next: undefined };
}

async function* walkGroup(walk: Walk, group: number, from: Place): AsyncGenerator<Chunk> {
  const begun = urlParts.indexOf(from.part);
  for (const part of walk.parts) {
    const order = urlParts.indexOf(part) - begun;
    if (order < 0) continue;
    const at: Place = order === 0 ? from : { ...groupStart, part };
    if (part === 'queued') yield* queuedIn(walk, group, at);
    else if (part === 'leased') yield* leasedIn(walk, group, at);
    else yield* settledIn(walk, group, at);
  }
}

async function* queuedIn({ context, crawl, filter }: Walk, group: number, at: Place): AsyncGenerator<Chunk> {
  for await (const part of queuesIn(context, crawl, { group, from: at.queue, filter })) {
    const { host, level, from, entries } = part;
    const hits = entries.flatMap((text, n) => {
      const url = knownIn(text, { host, state: 'queued', filter, context });
      const queue = { host, level, index: from + n + 1, mark: markOf(text) };
      return url ? [{ url, place: { ...at, queue } }] : [];
    });
    yield { hits, searched: entries.length, to: { ...at, queue: endOf(part) } };
  }
}

async function* leasedIn({ context, crawl, filter }: Walk, group: number, at: Place): AsyncGenerator<Chunk> {
  const answer = await context.groups.one(group, scripts.leasedEntries, [crawl.c]);
  const flat = answer.kind === 'ok' ? (answer.values[0] as string[]) : [];
  const held: { host: HostKey; texts: string[] }[] = [];
  for (let i = 0; i < flat.length; i += 2)
    held.push({ host: flat[i] as HostKey, texts: (flat[i + 1] ?? '').split('\t') });
  const hits: Chunk['hits'] = [];
  let searched = 0;
  for (const { host, texts } of held.toSorted((a, b) => (a.host < b.host ? -1 : 1))) {
    if (host < at.queue.host) continue;
    const isBegun = host === at.queue.host;
    for (const [n, text] of texts.entries()) {
      if (isBegun && n < at.queue.index) continue;
      searched++;
      const url = knownIn(text, { host, state: 'leased', filter, context });
      if (url) hits.push({ url, place: { ...at, queue: { host, level: 0, index: n + 1, mark: '' } } });
    }
  }
  if (searched > 0) yield { hits, searched, to: { ...groupStart, part: 'settled' } };
}

async function* settledIn({ context, crawl, filter }: Walk, group: number, at: Place): AsyncGenerator<Chunk> {
  const { siteOf } = context.crawls;
  for await (const records of context.records.all(crawl, { group, after: at.record })) {
    const hits = records
      .filter(
        ({ host, record }) =>
          matchesOutcome(record, filter) && matchesPlace(record, filter, { host, siteOf }),
      )
      .map(({ id, record }) => ({ url: { state: record.verdict, record }, place: { ...at, record: id } }));
    yield { hits, searched: records.length, to: { ...at, record: records.at(-1)?.id ?? at.record } };
  }
}

interface Known {
  host: HostKey;
  state: 'queued' | 'leased';
  filter: RecordFilter;
  context: Context;
}

function knownIn(text: string, { host, state, filter, context }: Known): KnownUrl | undefined {
  if (!isEntryText(text)) return undefined;
  const [key = '', tail = ''] = text.split('\n');
  const entry = readEntry(key, tail, host);
  return matchesPlace(entry, filter, { host, siteOf: context.crawls.siteOf }) ? { state, entry } : undefined;
}

function valuesOf(group: number, { part, queue, record }: Place): (string | number)[] {
  return [group, part, queue.host, queue.level, queue.index, queue.mark, record];
}

function placeIn(after: string, history: string): Place & { group: number } {
  const given = decodePlace(after, history);
  if (!given) return { group: 0, ...groupStart };
  const [group, part, host, level, index, mark, record] = given;
  const isPlace =
    typeof group === 'number' &&
    urlParts.includes(part as UrlPart) &&
    typeof host === 'string' &&
    isLevel(level) &&
    typeof index === 'number' &&
    index >= 0 &&
    typeof mark === 'string' &&
    /^\d{1,15}-\d{1,15}$/.test(String(record));
  if (!isPlace || given.length !== 7) throw malformed();
  return { group, part: part as UrlPart, queue: { host, level, index, mark }, record: String(record) };
}
