import type { Edge, HostKey, PackedEdges, PageRecord, Url } from '@webfarer/protocol';
import { packEdges } from '@webfarer/protocol/link';
import type { RecordFilter } from '../../../results/results.ts';
import { packFetched, type Stored, unpackFetched } from '../../fetched-text.ts';
import { hostIn } from '../../url-search.ts';
import { edgeRows, type EdgeRows } from './edges.ts';
import { askedAs, type EntryRow, type EntryRows, joinUrl, kindOf } from './entries.ts';
import type { Database } from '../../../sqlite/node-sqlite.ts';
import { type RecordIds, recordIds } from './record-ids.ts';

export interface StoredRecord {
  id: number;
  crawl: number;
  entry: number;
  verdict: PageRecord['verdict'];
  reason: PageRecord['reason'];
  status: number | null;
  bytes: number;
  attempts: number;
  started: number;
  duration: number;
  more: string;
  // From the entry and its host:
  rest: string;
  bits: number;
  parent: number | null;
  label: EntryRow['label'];
  pair: number;
  host: HostKey;
}

/** What the URL of a record is made of. */
export type StoredUrl = Pick<StoredRecord, 'id' | 'bits' | 'rest' | 'host'>;

export interface RecordRange {
  after: number;
  upTo: number;
  limit: number;
}

export interface RecordRows {
  /** Stores an outcome; what the entry knows already (URL, kind, depth, label, request, referrer) is not stored twice. */
  insert(row: { crawl: number; entry: number; record: PageRecord }): number;
  insertYield(id: number, yielded: { url: Url; edges: Edge[] | PackedEdges; items: unknown[] }): void;
  /** Answers how much of what it yielded went with it. */
  remove(id: number): { items: number; edges: number };
  get(id: number): StoredRecord | undefined;
  itemsOf(id: number): unknown[];
  /** The next records that match, in the order they were settled; none beyond `upTo`. */
  page(crawl: number, filter: RecordFilter, range: RecordRange): StoredRecord[];
  /** The next URLs that have records, in that order. */
  urls(crawl: number, range: RecordRange): StoredUrl[];
  /** The numbers of records, in that order. */
  ids: RecordIds;
  toRecord(row: StoredRecord): PageRecord;
  /** The links of pages. What was inserted is there after its `flush`. */
  edges: EdgeRows;
}

/** Fields of a record that have a column of their own, or that its entry has. */
const elsewhere = [
  ...(['url', 'verdict', 'reason', 'kind', 'depth', 'label', 'request', 'referrer'] as const),
  ...(['attempts', 'status', 'bytes', 'startedAtMs', 'durationMs'] as const),
];
const isElsewhere: ReadonlySet<string> = new Set(elsewhere);
/** All other fields; written in this order. */
type More = Omit<PageRecord, (typeof elsewhere)[number]>;

/** Copies field by field: two rest patterns, which do the same, take longer. */
function moreText(record: PageRecord): string {
  const more: Record<string, unknown> = {};
  for (const name in record) if (!isElsewhere.has(name)) more[name] = record[name as keyof PageRecord];
  return JSON.stringify(packFetched(more as unknown as More));
}

const columns = `r.id, r.crawl, r.entry, r.verdict, r.reason, r.status, r.bytes, r.attempts, r.started, r.duration, r.more,
  e.rest, e.bits, e.parent, e.label, e.pair, h.name AS host`;
const joins =
  'FROM records r JOIN entries e ON e.id = r.entry JOIN pairs p ON p.id = e.pair JOIN hosts h ON h.id = p.host';

export function recordRows(
  db: Database,
  entries: EntryRows,
  { readOnly }: { readOnly: boolean },
): RecordRows {
  const insert = db.prepare(
    `INSERT INTO records (id, crawl, entry, verdict, reason, status, bytes, attempts, started, duration, more)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const ids = recordIds(db, readOnly);
  const insertItem = db.prepare('INSERT INTO items VALUES (?, ?, ?)');
  const edgeBlocks = edgeRows(db);
  const get = db.prepare(`SELECT ${columns} ${joins} WHERE r.id = ?`);
  const page = db.prepare(
    `SELECT ${columns} ${joins} WHERE r.id > :after AND r.id <= :upTo AND r.crawl = :crawl
     AND (:verdict IS NULL OR r.verdict = :verdict) AND (:reason IS NULL OR r.reason = :reason)
     AND (:low IS NULL OR r.status BETWEEN :low AND :high) AND (:host IS NULL OR h.name = :host)
     AND (:depth IS NULL OR e.bits / 2048 = :depth)
     AND (:site IS NULL OR h.site = (SELECT id FROM sites WHERE name = :site))
     AND (:prefix IS NULL OR
       substr(iif(e.bits & 1, 'https://', 'http://') || h.name || e.rest, 1, length(:prefix)) = :prefix)
     ORDER BY r.id LIMIT :limit`,
  );
  const within = 'WHERE r.id > ? AND r.id <= ? AND r.crawl = ? ORDER BY r.id LIMIT ?';
  const every = db.prepare(`SELECT ${columns} ${joins} ${within}`);
  const urls = db.prepare(`SELECT r.id, e.bits, e.rest, h.name AS host ${joins} ${within}`);
  const itemsOf = db.prepare('SELECT data FROM items WHERE record = ? ORDER BY n');
  const removeRecord = db.prepare('DELETE FROM records WHERE id = ?');
  const removeItems = db.prepare('DELETE FROM items WHERE record = ?');

  return {
    insert({ crawl, entry, record }) {
      const { verdict, reason, status = null, bytes, attempts, startedAtMs, durationMs } = record;
      const id = ids.next();
      const more = moreText(record);
      insert.run(id, crawl, entry, verdict, reason, status, bytes, attempts, startedAtMs, durationMs, more);
      return id;
    },
    insertYield(id, { url, edges, items }) {
      if (edges.length > 0)
        edgeBlocks.add({
          record: id,
          count: edges.length,
          packed: 'packed' in edges ? edges.packed : packEdges(url, edges),
        });
      for (const [n, item] of items.entries()) insertItem.run(id, n, JSON.stringify(item ?? null));
    },
    remove(id) {
      ids.keepLast();
      removeRecord.run(id);
      return { edges: edgeBlocks.remove(id), items: Number(removeItems.run(id).changes) };
    },
    edges: edgeBlocks,
    ids,
    get: (id) => get.get(id) as StoredRecord | undefined,
    itemsOf: (id) =>
      (itemsOf.all(id) as unknown as { data: string }[]).map(({ data }) => JSON.parse(data) as unknown),
    urls: (crawl, { after, upTo, limit }) => urls.all(after, upTo, crawl, limit) as unknown as StoredUrl[],
    page(crawl, filter, { after, upTo, limit }) {
      if (Object.keys(filter).length === 0)
        return every.all(after, upTo, crawl, limit) as unknown as StoredRecord[];
      const [low, high] = statusRange(filter.status);
      const { verdict = null, reason = null, host = hostIn(filter) ?? null } = filter;
      const { site = null, prefix = null, depth = null } = filter;
      return page.all({
        crawl,
        after,
        upTo,
        limit,
        verdict,
        reason,
        host,
        site,
        prefix,
        depth,
        low,
        high,
      }) as unknown as StoredRecord[];
    },
    toRecord(row) {
      const record = {
        url: joinUrl(row.bits, row.host, row.rest),
        verdict: row.verdict,
        reason: row.reason,
        kind: kindOf(row.bits),
        depth: Math.floor(row.bits / 2048),
        attempts: row.attempts,
        bytes: row.bytes,
        startedAtMs: row.started,
        durationMs: row.duration,
        ...unpackFetched(JSON.parse(row.more) as Stored<More>),
      } as PageRecord;
      if (row.label !== null) Object.assign(record, askedAs(row.label));
      if (row.parent !== null) record.referrer = entries.urlOf(row.parent);
      if (row.status !== null) record.status = row.status;
      return record;
    },
  };
}

/** `404` or a class such as `5xx`; anything else matches nothing. */
export function statusRange(status: string | undefined): [number, number] | [null, null] {
  if (status === undefined) return [null, null];
  const match = /^([1-9])xx$/i.exec(status);
  if (match) return [Number(match[1]) * 100, Number(match[1]) * 100 + 99];
  const exact = /^\d{3}$/.test(status) ? Number(status) : -1;
  return [exact, exact];
}
