import type { CrawlId } from '@webfarer/protocol';
import { siteOf } from '@webfarer/protocol/url';
import type { KnownUrl, UrlFilter, UrlPage, UrlSearch } from '../frontier.ts';
import {
  decodePlace,
  encodePlace,
  hostIn,
  malformed,
  matchesPlace,
  partsFor,
  recordFilterOf,
  type UrlPart,
} from '../url-search.ts';
import { queuedFrom, type QueuePosition } from './queue-walk.ts';
import type { CrawlRow } from './rows/crawls.ts';
import type { EntryRow } from './rows/entries.ts';
import type { Store } from './store.ts';

/** Outcomes, or queued URLs, that are looked at for a page, however few of them match. */
const lookedAt = { settled: 50_000, queued: 20_000 };
/** The same before others have a turn: a search must not hold up the process for long. */
const atOnce = { settled: 5_000, queued: 1_000 };

/** Where a search has come to. */
interface Place {
  part: UrlPart;
  queued: QueuePosition;
  /** The last entry, by its number. */
  leased: number;
  /** The last outcome, by its number. */
  settled: number;
}

const placeStart = { queued: { site: 0, pair: 0, level: 0, ord: -1 }, leased: 0, settled: 0 };

export interface SearchOptions extends UrlSearch {
  /** Asks the file, and tells of its faults. */
  ask: <T>(question: () => T) => Promise<T>;
}

/** Searches in slices, each of one moment. */
export async function searchUrls(
  store: Store,
  key: CrawlId,
  { filter, after, limit, ask }: SearchOptions,
): Promise<UrlPage> {
  const parts = partsFor(filter);
  const urls: KnownUrl[] = [];
  let searched = 0;
  const crawlOf = () => store.crawls.get(key);
  let place = await ask(() => placeIn(after, crawlOf(), parts));
  const isFull = () =>
    urls.length >= limit || searched >= (place?.part === 'settled' ? lookedAt.settled : lookedAt.queued);
  while (place && !isFull()) {
    const at: Place = place;
    const slice = await ask(() => sliceOf(store, crawlOf(), { at, filter, limit: limit - urls.length }));
    urls.push(...slice.urls);
    searched += slice.searched;
    place = slice.to ?? nextPart(at, parts);
    await nextTurn();
  }
  return {
    urls,
    searched,
    next: place && (await ask(() => encodePlace(crawlOf().nonce, numbersOf(place as Place)))),
  };
}

interface Slice {
  urls: KnownUrl[];
  searched: number;
  /** Undefined: nothing is left of this part. */
  to: Place | undefined;
}

interface SliceOptions {
  at: Place;
  filter: UrlFilter;
  limit: number;
}

function sliceOf(store: Store, crawl: CrawlRow, options: SliceOptions): Slice {
  if (options.at.part === 'queued') return queuedSlice(store, crawl, options);
  return options.at.part === 'leased'
    ? leasedSlice(store, crawl, options)
    : settledSlice(store, crawl, options);
}

function queuedSlice(store: Store, crawl: CrawlRow, { at, filter, limit }: SliceOptions): Slice {
  const urls: KnownUrl[] = [];
  let searched = 0;
  let reached: QueuePosition | undefined;
  for (const { pair, row, position } of queuedFrom(store, crawl, { from: at.queued, filter })) {
    const entry = store.entries.toEntry(row, pair.host.key);
    if (matchesPlace(entry, filter, { host: pair.host.key, siteOf })) urls.push({ state: 'queued', entry });
    searched++;
    reached = position;
    if (searched >= atOnce.queued || urls.length >= limit) break;
    reached = undefined;
  }
  return { urls, searched, to: reached && { ...at, queued: reached } };
}

/** As many as there are free hands: all are looked at, in the order of their numbers. */
function leasedSlice(store: Store, crawl: CrawlRow, { at, filter, limit }: SliceOptions): Slice {
  const held = store.hosts.holds
    .all()
    .filter(({ crawlId, over }) => crawlId === crawl.id && !over)
    .flatMap(({ hostId, entries }) => entries.map((id) => ({ id, hostId })))
    .filter(({ id }) => id > at.leased)
    .toSorted((a, b) => a.id - b.id);
  const urls: KnownUrl[] = [];
  for (const [n, { id, hostId }] of held.entries()) {
    const { key } = store.hosts.byId(hostId);
    const entry = store.entries.toEntry(store.entries.get(id) as EntryRow, key);
    if (matchesPlace(entry, filter, { host: key, siteOf })) urls.push({ state: 'leased', entry });
    if (urls.length >= limit) return { urls, searched: n + 1, to: { ...at, leased: id } };
  }
  return { urls, searched: held.length, to: undefined };
}

function settledSlice(store: Store, crawl: CrawlRow, { at, filter, limit }: SliceOptions): Slice {
  const { records } = store;
  const { reason } = filter;
  records.ids.refresh();
  const last = records.ids.last();
  const nothing = { urls: [], searched: 0, to: undefined };
  // Sums are kept, so a reason that nothing ended with costs nothing.
  if (reason !== undefined && (crawl.counters.byReason[reason] ?? 0) === 0) return nothing;
  const host = hostIn(filter);
  if (host !== undefined && !store.hosts.byKey(host)) return nothing;
  const upTo = Math.min(last, at.settled + atOnce.settled);
  const rows = records.page(crawl.id, recordFilterOf(filter), { after: at.settled, upTo, limit });
  const to = rows.length < limit ? upTo : (rows.at(-1)?.id ?? upTo);
  const urls = rows.map((row): KnownUrl => ({ state: row.verdict, record: records.toRecord(row) }));
  return { urls, searched: to - at.settled, to: to < last ? { ...at, settled: to } : undefined };
}

function placeIn(after: string, { nonce }: CrawlRow, parts: readonly UrlPart[]): Place | undefined {
  const given = decodePlace(after, nonce);
  if (!given) return parts[0] && { part: parts[0], ...placeStart };
  const [part, site, pair, level, ord, leased, settled] = given;
  const numbers = [site, pair, level, ord, leased, settled];
  if (!parts.includes(part as UrlPart) || given.length !== 7 || !numbers.every(Number.isSafeInteger))
    throw malformed();
  return {
    part: part as UrlPart,
    queued: { site, pair, level, ord } as QueuePosition,
    leased: leased as number,
    settled: settled as number,
  };
}

function numbersOf({ part, queued, leased, settled }: Place): (string | number)[] {
  return [part, queued.site, queued.pair, queued.level, queued.ord, leased, settled];
}

function nextPart(at: Place, parts: readonly UrlPart[]): Place | undefined {
  const next = parts[parts.indexOf(at.part) + 1];
  return next && { ...at, part: next };
}

/** A store in a file answers without ever giving others the event loop. */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
