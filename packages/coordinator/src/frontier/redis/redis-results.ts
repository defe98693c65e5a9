import { createHash } from 'node:crypto';
import { type CrawlId, type Url, WebfarerError } from '@webfarer/protocol';
import { pageLinks, type PageLinks } from '@webfarer/protocol/link';
import { hostOf } from '@webfarer/protocol/url';
import {
  cursorsWithin,
  decodeCursor,
  encodeCursor,
  noMark,
  type Places,
  staleCursor,
} from '../../results/cursor.ts';
import { isBehind, start } from './draining/group-records.ts';
import { countAbsent } from './draining/segments.ts';
import { readResults } from '../../results/read-results.ts';
import type {
  AbsentSegments,
  Place,
  ResultEntry,
  Results,
  ResultsCursor,
  ResultsPage,
  ResultsQuery,
  ResultsSource,
} from '../../results/results.ts';
import { matchesOutcome, matchesPlace } from '../url-search.ts';
import type { Context } from './context/context.ts';
import type { CrawlRegistry } from './context/crawl-registry.ts';
import type { StoredCrawl } from './context/stored-crawl.ts';
import type { FilePart, GroupPlace, GroupReader, StreamPart } from './context/group-reader.ts';
import type { StreamRecord } from './context/record-text.ts';

/** Groups that are asked at once: so many as will fill the page, going by those before them. */
const atOnce = { first: 16, fewest: 4, most: 512 };
/** Results asked for in each group. */
const ofEach = 128;
/** Items and links of a page, about; one outcome may have more. */
const pageBytes = 1_048_576;
/** Cursors that need not be checked, because they were made here and nothing can have been lost since. */
const rememberedCursors = 1_000;
/** Pages that are read anew because the store changed meanwhile. */
const mostTries = 20;

/** What the streams of all groups hold, and the files that they were drained to as far as these are at hand. */
export function redisResults(context: Context, onSettled: ResultsSource['onSettled']): Results {
  const { store, crawls, records: reader } = context;
  /** The epoch in which each was made or checked. */
  const sound = new Map<string, string>();

  function remember(cursor: ResultsCursor, epoch: string): void {
    if (sound.size >= rememberedCursors) sound.delete(sound.keys().next().value ?? '');
    sound.set(nameOf(cursor), epoch);
  }

  async function placesOf(crawl: StoredCrawl, cursor: ResultsCursor | undefined): Promise<Places> {
    if (cursor === undefined) return { history: crawl.nonce, mark: noMark, next: 0, groups: new Map() };
    const places = decodeCursor(cursor, crawl.nonce);
    if ([...places.groups.keys(), places.next].some((group) => group >= crawls.groups))
      throw staleCursor('it was made for a store with more groups');
    const epoch = store.epoch();
    if (sound.get(nameOf(cursor)) !== epoch) {
      const moved = [...places.groups].map(([group, place]) => ({ group, after: idOf(place) }));
      if (await reader.hasLost(crawl, moved))
        throw staleCursor('the store has gone back to a time before the results that were read');
      remember(cursor, epoch);
    }
    return places;
  }

  async function after(
    id: CrawlId,
    cursor: ResultsCursor | undefined,
    query: ResultsQuery,
    isWanted: (group: number) => boolean,
  ): Promise<ResultsPage> {
    const crawl = await crawls.get(id);
    // A server may be met anew while a page is read: what it said counts only if nothing can have been lost before.
    for (let tries = 0; tries < mostTries; tries++) {
      const epoch = store.epoch();
      const places = await placesOf(crawl, cursor);
      await crawls.read(crawl);
      const page = await readPage({ reader, crawl, places, query, crawls, isWanted });
      if (store.epoch() !== epoch) continue;
      remember(page.cursor, epoch);
      return page;
    }
    throw new WebfarerError('store-silent', 'the servers of the store keep changing while results are read', {
      next: 'Retry with the same cursor in a few seconds.',
    });
  }

  return readResults({
    after: (id, cursor, query) => after(id, cursor, query, () => true),
    afterIn: (id, cursor, query, groups) => after(id, cursor, query, (group) => groups.has(group)),
    async newest(id) {
      const crawl = await crawls.get(id);
      await crawls.read(crawl);
      const groups = [...crawl.groups.list];
      const tips = await reader.tips(crawl, groups);
      const reached = groups.flatMap((group, n): [number, Place][] => {
        const tip = tips[n] ?? start;
        return tip === start ? [] : [[group, placeIn(tip)]];
      });
      return encodeCursor({ history: crawl.nonce, mark: noMark, next: 0, groups: new Map(reached) });
    },
    async edgesOf(id, url) {
      const found = await findRecord(context, await crawls.get(id), url);
      return found && found.edgesText !== '' ? readLinks(url, found.edgesText).edges : [];
    },
    async itemsOf(id, url) {
      const found = await findRecord(context, await crawls.get(id), url);
      return found && found.itemsText !== '' ? (JSON.parse(found.itemsText) as unknown[]) : [];
    },
    onSettled,
  });
}

interface NextPart {
  records: StreamRecord[];
  /** Where they end. */
  to: string;
  /** There is nothing behind them that could be read now. */
  isAll: boolean;
  absent: FilePart['absent'];
}

interface PageOptions {
  reader: GroupReader;
  crawl: StoredCrawl;
  places: Places;
  query: ResultsQuery;
  crawls: Pick<CrawlRegistry, 'groups' | 'siteOf'>;
  isWanted: (group: number) => boolean;
}

/** The groups in turn, some at a time, so that one with many results does not keep the others waiting. */
async function readPage({
  reader,
  crawl,
  places,
  query,
  crawls,
  isWanted,
}: PageOptions): Promise<ResultsPage> {
  const { groups, siteOf } = crawls;
  const round = Array.from({ length: groups }, (_, n) => (places.next + n) % groups).filter(
    (group) => crawl.groups.has(group) && isWanted(group),
  );
  const reached = new Map(places.groups);
  const absent = new Map<string, AbsentSegments>();
  const found: StreamRecord[] = [];
  let [asked, more, bytes] = [0, false, 0];
  const isFull = () => found.length >= query.limit || bytes >= pageBytes;

  /** Answers whether all of them were taken. */
  function take(group: number, records: StreamRecord[]): boolean {
    for (const record of records) {
      if (isFull()) return false;
      found.push(record);
      bytes += record.itemsText.length + record.edgesText.length;
      reached.set(group, placeIn(record.id));
    }
    return true;
  }

  /** What a group has next; where that is in files, of as many as it takes. */
  async function nextOf({ group, after }: GroupPlace, part: StreamPart): Promise<NextPart> {
    const records: StreamRecord[] = [...part.records];
    let to = records.at(-1)?.id ?? after;
    while (isBehind(part.filesTo, to) && records.length < ofEach) {
      const file = await reader.files(crawl, { group, after: to }, part.putBack);
      if (file.absent && query.absent === 'hold') return { records, to, isAll: true, absent: file.absent };
      records.push(...file.records);
      if (file.absent || file.to === to)
        return { records, to: file.to, isAll: file.to === to, absent: file.absent };
      ({ to } = file);
    }
    const isAll = !isBehind(part.filesTo, after) && records.length < ofEach;
    return { records, to, isAll, absent: undefined };
  }

  for (let width = atOnce.first; asked < round.length && !isFull(); ) {
    const batch = round
      .slice(asked, asked + width)
      .map((group) => ({ group, after: idOf(reached.get(group)) }));
    const parts = await reader.stream(crawl, batch, ofEach);
    const nexts = await Promise.all(batch.map((place, n) => nextOf(place, parts[n] as StreamPart)));
    for (const [n, { records, to, isAll, absent: left }] of nexts.entries()) {
      if (isFull()) break;
      const { group, after } = batch[n] as GroupPlace;
      asked++;
      if (left) countAbsent(absent, left.segment, left.homes);
      const tookAll = take(group, records);
      if (tookAll && to !== after) reached.set(group, placeIn(to));
      more ||= !tookAll || !isAll;
    }
    const wanted = ((query.limit - found.length) * asked) / Math.max(1, found.length);
    width = Math.max(atOnce.fewest, Math.min(atOnce.most, Math.ceil(wanted)));
  }
  const entries = inTime(found)
    .filter(
      ({ host, record }) =>
        matchesOutcome(record, query.filter) && matchesPlace(record, query.filter, { host, siteOf }),
    )
    .flatMap((record) => entriesOf(record, query));
  const next = round[asked] ?? places.next;
  const cursor = encodeCursor({ ...places, next, groups: reached });
  // Groups keep their turn until the page is over, so that what is left of it comes first.
  const cursorAt = cursorsWithin(places, entries, () => noMark);
  return { entries, cursor, cursorAt, more: more || asked < round.length, absent: [...absent.values()] };
}

function entriesOf(
  { id, group, record, itemsText, edgesText }: StreamRecord,
  { kinds }: ResultsQuery,
): ResultEntry[] {
  const { url } = record;
  const where = { group, place: placeIn(id), url };
  const entries: ResultEntry[] = kinds.includes('record') ? [{ kind: 'record', ...where, record }] : [];
  if (itemsText !== '' && kinds.includes('item'))
    for (const item of JSON.parse(itemsText) as unknown[]) entries.push({ kind: 'item', ...where, item });
  if (edgesText !== '' && kinds.includes('links'))
    entries.push({ kind: 'links', ...where, links: readLinks(url, edgesText) });
  return entries;
}

/** What is on one page, by the time of settling: each group's order, and between groups about what happened. */
function inTime(found: StreamRecord[]): StreamRecord[] {
  return found
    .map((record) => ({ record, at: placeIn(record.id).major }))
    .toSorted((a, b) => a.at - b.at || a.record.group - b.record.group)
    .map(({ record }) => record);
}

/** The record of one URL: all of its group is read through, a question people ask. */
export async function findRecord(
  { records, placeOf }: Context,
  crawl: StoredCrawl,
  url: Url,
): Promise<StreamRecord | undefined> {
  const { group } = placeOf(hostOf(url));
  let found: StreamRecord | undefined;
  for await (const page of records.all(crawl, { group, after: start }))
    found = page.findLast(({ record }) => record.url === url) ?? found;
  return found;
}

function readLinks(from: Url, text: string): PageLinks {
  return pageLinks(from, Buffer.from(text, 'base64'));
}

function placeIn(id: string): Place {
  const end = id.indexOf('-');
  return { major: Number(id.slice(0, end)), minor: Number(id.slice(end + 1)) };
}

function idOf(place: Place | undefined): string {
  return place ? `${place.major}-${place.minor}` : start;
}

function nameOf(cursor: ResultsCursor): string {
  return createHash('sha1').update(cursor).digest('base64');
}
