import type { CrawlId, Edge, HostKey, PageRecord, Url } from '@webfarer/protocol';
import type { RecordFilter, Results } from '../frontier.ts';
import { unpackEdges } from '../edge-codec.ts';
import { joinUrl } from './entry-rows.ts';
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

const joins = `JOIN records r ON r.id = x.record JOIN entries e ON e.id = r.entry
  JOIN pairs p ON p.id = e.pair JOIN hosts h ON h.id = p.host`;

/** Reads page by page, so that a long read holds up nobody and a crawl may go on meanwhile. */
export function sqliteResults(store: Store, refresh: () => void): Results {
  const selectItems = store.db.prepare(
    `SELECT r.id, x.n, e.bits, e.rest, h.name AS host, x.data FROM items x ${joins}
     WHERE (x.record, x.n) > (?, ?) AND r.crawl = ? ORDER BY x.record, x.n LIMIT ${pageSize}`,
  );
  const selectEdges = store.db.prepare(
    `SELECT r.id, 0 AS n, e.bits, e.rest, h.name AS host, x.data FROM edges x ${joins}
     WHERE x.record > ? AND r.crawl = ? ORDER BY x.record LIMIT ${pageSize}`,
  );
  const selectEdgesOf = store.db.prepare('SELECT data FROM edges WHERE record = ?');

  function crawlId(key: CrawlId): number {
    refresh();
    return store.crawls.get(key).id;
  }

  async function* records(key: CrawlId, filter: RecordFilter = {}): AsyncGenerator<PageRecord> {
    const crawl = crawlId(key);
    for (let after = 0; ; ) {
      const page = store.records.page(crawl, filter, { after, limit: pageSize });
      for (const row of page) yield store.records.toRecord(row);
      if (page.length < pageSize) return;
      after = page.at(-1)?.id ?? after;
    }
  }

  async function* items(key: CrawlId): AsyncGenerator<{ url: Url; item: unknown }> {
    const crawl = crawlId(key);
    for (let id = 0, n = -1; ; ) {
      const page = selectItems.all(id, n, crawl) as unknown as Row[];
      for (const row of page) {
        yield { url: joinUrl(row.bits, row.host, row.rest), item: JSON.parse(row.data) as unknown };
      }
      if (page.length < pageSize) return;
      ({ id, n } = page.at(-1) as Row);
    }
  }

  async function* edges(key: CrawlId): AsyncGenerator<{ from: Url; edges: Edge[] }> {
    const crawl = crawlId(key);
    for (let after = 0; ; ) {
      const page = selectEdges.all(after, crawl) as unknown as Row[];
      for (const row of page) {
        const from = joinUrl(row.bits, row.host, row.rest);
        yield { from, edges: unpackEdges(from, row.data) };
      }
      if (page.length < pageSize) return;
      after = page.at(-1)?.id ?? after;
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
      const row = typeof record === 'number' ? selectEdgesOf.get(record) : undefined;
      return row === undefined ? [] : unpackEdges(url, (row as { data: Uint8Array }).data);
    },
    async linksTo(key, urls, limit) {
      const found = new Map<Url, Url[]>();
      if (urls.size === 0) return found;
      for await (const { from, edges: links } of edges(key)) {
        for (const { to } of links) {
          if (!urls.has(to)) continue;
          const pages = found.get(to) ?? [];
          if (pages.length < limit && pages.at(-1) !== from) pages.push(from);
          found.set(to, pages);
        }
      }
      return found;
    },
  };
}
