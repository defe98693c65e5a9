import type { CrawlId, Edge, HostKey, PageRecord, Url } from '@webfarer/protocol';
import { unpackEdges } from '@webfarer/protocol/link';
import type { RecordFilter, Results } from '../frontier.ts';
import { linksTo } from '../links-to.ts';
import { joinUrl } from './rows/entries.ts';
import { asStorageError } from './storage-error.ts';
import type { Store } from './store.ts';

const pageSize = 500;

interface Row {
  id: number;
  n: number;
  bits: number;
  rest: string;
  host: HostKey;
  data: never;
}

/**
 * Lets others have the event loop between two pages. Awaiting an answer that is already there does not, so a loop over
 * a million records would otherwise hold up everything else in the process.
 */
const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve));

const joins = `JOIN entries e ON e.id = r.entry JOIN pairs p ON p.id = e.pair JOIN hosts h ON h.id = p.host`;

/** Reads page by page, so that a long read holds up nobody and a crawl may go on meanwhile. */
export function sqliteResults(store: Store, refresh: () => void): Results {
  const selectItems = store.db.prepare(
    `SELECT r.id, x.n, e.bits, e.rest, h.name AS host, x.data FROM items x
     JOIN records r ON r.id = x.record ${joins}
     WHERE (x.record, x.n) > (?, ?) AND r.crawl = ? ORDER BY x.record, x.n LIMIT ${pageSize}`,
  );
  const selectPlaces = store.db.prepare(
    `SELECT r.id, e.bits, e.rest, h.name AS host FROM records r ${joins}
     WHERE r.id BETWEEN ? AND ? AND r.crawl = ?`,
  );

  const path = store.db.location() ?? '';
  /** A damaged page of the file is told as such. */
  function sound<T>(read: () => T): T {
    try {
      return read();
    } catch (error) {
      throw asStorageError(error, path);
    }
  }

  function crawlId(key: CrawlId): number {
    refresh();
    return store.crawls.get(key).id;
  }

  async function* records(key: CrawlId, filter: RecordFilter = {}): AsyncGenerator<PageRecord> {
    const crawl = crawlId(key);
    for (let after = 0; ; ) {
      const page = sound(() => store.records.page(crawl, filter, { after, limit: pageSize }));
      for (const row of page) yield store.records.toRecord(row);
      if (page.length < pageSize) return;
      await nextTurn();
      after = page.at(-1)?.id ?? after;
    }
  }

  async function* items(key: CrawlId): AsyncGenerator<{ url: Url; item: unknown }> {
    const crawl = crawlId(key);
    for (let id = 0, n = -1; ; ) {
      const page = sound(() => selectItems.all(id, n, crawl) as unknown as Row[]);
      for (const row of page) {
        yield { url: joinUrl(row.bits, row.host, row.rest), item: JSON.parse(row.data) as unknown };
      }
      if (page.length < pageSize) return;
      await nextTurn();
      ({ id, n } = page.at(-1) as Row);
    }
  }

  async function* edges(key: CrawlId): AsyncGenerator<{ from: Url; edges: Edge[] }> {
    const crawl = crawlId(key);
    for (let after = 0; ; ) {
      const pages = sound(() => store.records.edges.after(after));
      const [first, last] = [pages[0]?.record, pages.at(-1)?.record];
      if (first === undefined || last === undefined) return;
      const rows = selectPlaces.all(first, last, crawl) as unknown as Omit<Row, 'n' | 'data'>[];
      const places = new Map(rows.map(({ id, bits, host, rest }) => [id, joinUrl(bits, host, rest)]));
      for (const { record, packed } of pages) {
        const from = places.get(record);
        if (from !== undefined) yield { from, edges: unpackEdges(from, packed) };
      }
      after = last;
      await nextTurn();
    }
  }

  return {
    records,
    items,
    edges,
    async edgesOf(key, url) {
      refresh();
      const entry = store.seen.find(store.crawls.get(key).print, url);
      const record = entry === 0 ? undefined : store.entries.get(entry)?.record;
      const page = typeof record === 'number' ? store.records.edges.of(record) : undefined;
      return page ? unpackEdges(url, page.packed) : [];
    },
    linksTo: (key, urls, limit) => linksTo(edges(key), urls, limit),
  };
}
