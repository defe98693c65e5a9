import type { CrawlId, HostKey, Url } from '@webfarer/protocol';
import { pageLinks, unpackEdges } from '@webfarer/protocol/link';
import { cursorsWithin, decodeCursor, encodeCursor, staleCursor } from '../../results/cursor.ts';
import { readResults } from '../../results/read-results.ts';
import type {
  ResultEntry,
  Results,
  ResultsCursor,
  ResultsPage,
  ResultsQuery,
  ResultsSource,
} from '../../results/results.ts';
import type { CrawlRow } from './rows/crawls.ts';
import { joinUrl } from './rows/entries.ts';
import type { RecordRange, StoredRecord, StoredUrl } from './rows/records.ts';
import { asStorageError } from '../../sqlite/storage-error.ts';
import type { Store } from './store.ts';

/** Records looked at for a page, however few of them match: a page must not hold up the process for long. */
const lookedAt = 50_000;
/** Packed links, or items, of a page; one outcome may have more. */
const pageBytes = 524_288;
/** A file has one group. */
const group = 0;

export interface SqliteResultsOptions {
  /** Reads again what another process may have changed. */
  refresh(): void;
  onSettled: ResultsSource['onSettled'];
}

/** Reads page by page, so that a long read holds up nobody and a crawl may go on meanwhile. */
export function sqliteResults(store: Store, { refresh, onSettled }: SqliteResultsOptions): Results {
  const { records } = store;
  const { db } = store;
  const path = db.location() ?? '';
  const nextItems = itemsFrom(store);

  /** All of a page from one state of the file; a damaged page of the file is told as such. */
  function atOneMoment<T>(read: () => T): T {
    try {
      if (db.isTransaction) return read();
      db.exec('BEGIN');
      try {
        return read();
      } finally {
        db.exec('COMMIT');
      }
    } catch (error) {
      throw asStorageError(error, path);
    }
  }

  function crawlOf(key: CrawlId): CrawlRow {
    if (!store.crawls.find(key)) refresh();
    return store.crawls.get(key);
  }

  /** The number of the record of one URL. */
  function recordOf(key: CrawlId, url: Url): number | undefined {
    refresh();
    const entry = store.seen.find(store.crawls.get(key).print, url);
    const record = entry === 0 ? undefined : store.entries.get(entry)?.record;
    return typeof record === 'number' ? record : undefined;
  }

  /** The number behind which to read. */
  function placeOf(cursor: ResultsCursor | undefined, { nonce }: CrawlRow): number {
    if (cursor === undefined) return 0;
    const { mark, groups } = decodeCursor(cursor, nonce);
    const place = groups.get(group)?.major ?? 0;
    if (place > records.ids.last() || mark !== records.ids.givers()(place))
      throw staleCursor('the crawl folder was replaced by an older copy since');
    return place;
  }

  function read(crawl: CrawlRow, after: number, query: ResultsQuery): { entries: ResultEntry[]; to: number } {
    const { kinds, filter, limit } = query;
    const [wantsRecord, wantsItems, wantsLinks] = [
      kinds.includes('record'),
      kinds.includes('item'),
      kinds.includes('links'),
    ];
    // Few pages have items: those that have none are not looked at.
    if (wantsItems && kinds.length === 1 && Object.keys(filter).length === 0)
      return nextItems(crawl, { after, upTo: records.ids.last(), limit });
    const far = Math.min(records.ids.last(), after + lookedAt);
    // Links are what fills a page first: so no record is read that would not fit on it with them.
    const links = wantsLinks
      ? records.edges.between({ after, upTo: far, maxPages: limit, maxBytes: pageBytes })
      : undefined;
    const upTo = links?.to ?? far;
    const rows: readonly StoredUrl[] =
      wantsLinks && !wantsRecord && !wantsItems && Object.keys(filter).length === 0
        ? records.urls(crawl.id, { after, upTo, limit })
        : records.page(crawl.id, filter, { after, upTo, limit });
    let to = rows.length < limit ? upTo : (rows.at(-1)?.id ?? upTo);
    const items = wantsItems ? nextItems(crawl, { after, upTo: to, limit }) : undefined;
    if (items) ({ to } = items);
    const linksOf = new Map(links?.pages.map(({ record, packed }) => [record, packed]));
    const itemsOf = Map.groupBy(items?.entries ?? [], ({ url }) => url);
    const entries: ResultEntry[] = [];
    for (const row of rows) {
      if (row.id > to) break;
      const url = joinUrl(row.bits, row.host, row.rest);
      const place = { major: row.id, minor: 0 };
      if (wantsRecord)
        entries.push({ kind: 'record', group, place, url, record: records.toRecord(row as StoredRecord) });
      if (items) entries.push(...(itemsOf.get(url) ?? []));
      const packed = linksOf.get(row.id);
      if (packed) entries.push({ kind: 'links', group, place, url, links: pageLinks(url, packed) });
    }
    return { entries, to };
  }

  function page(key: CrawlId, cursor: ResultsCursor | undefined, query: ResultsQuery): ResultsPage {
    const crawl = crawlOf(key);
    records.ids.refresh();
    const { entries, to } = read(crawl, placeOf(cursor, crawl), query);
    const groups = new Map(to === 0 ? [] : [[group, { major: to, minor: 0 }]]);
    const givenBy = records.ids.givers();
    const places = { history: crawl.nonce, mark: givenBy(to), next: 0, groups };
    const cursorAt = cursorsWithin(places, entries, ({ major }) => givenBy(major));
    return { entries, cursor: encodeCursor(places), cursorAt, more: to < records.ids.last(), absent: [] };
  }

  function newest(key: CrawlId): ResultsCursor {
    const { nonce } = crawlOf(key);
    records.ids.refresh();
    const last = records.ids.last();
    const groups = new Map(last === 0 ? [] : [[group, { major: last, minor: 0 }]]);
    return encodeCursor({ history: nonce, mark: records.ids.givers()(last), next: 0, groups });
  }

  return readResults({
    newest: async (key) => atOneMoment(() => newest(key)),
    after: async (key, cursor, query) => atOneMoment(() => page(key, cursor, query)),
    afterIn: async (key, cursor, query) => atOneMoment(() => page(key, cursor, query)),
    async edgesOf(key, url) {
      const record = recordOf(key, url);
      const found = record === undefined ? undefined : records.edges.of(record);
      return found ? unpackEdges(url, found.packed) : [];
    },
    async itemsOf(key, url) {
      const record = recordOf(key, url);
      return record === undefined ? [] : records.itemsOf(record);
    },
    onSettled,
  });
}

interface ItemRow {
  id: number;
  bits: number;
  rest: string;
  host: HostKey;
  data: string;
}

/** The items of the next outcomes that have any. */
function itemsFrom({ db }: Store) {
  const select = db.prepare(
    `SELECT r.id, e.bits, e.rest, h.name AS host, x.data FROM items x
     JOIN records r ON r.id = x.record JOIN entries e ON e.id = r.entry
     JOIN pairs p ON p.id = e.pair JOIN hosts h ON h.id = p.host
     WHERE x.record > ? AND x.record <= ? AND r.crawl = ? ORDER BY x.record, x.n`,
  );
  return ({ id: crawl }: CrawlRow, { after, upTo, limit }: RecordRange) => {
    const entries: ResultEntry[] = [];
    let [to, outcomes, bytes] = [after, 0, 0];
    for (const row of select.iterate(after, upTo, crawl) as Iterable<unknown> as Iterable<ItemRow>) {
      if (row.id !== to && (outcomes >= limit || bytes >= pageBytes)) return { entries, to };
      if (row.id !== to) outcomes++;
      to = row.id;
      bytes += row.data.length;
      const url = joinUrl(row.bits, row.host, row.rest);
      entries.push({
        kind: 'item',
        group,
        place: { major: row.id, minor: 0 },
        url,
        item: JSON.parse(row.data) as unknown,
      });
    }
    return { entries, to: upTo };
  };
}
