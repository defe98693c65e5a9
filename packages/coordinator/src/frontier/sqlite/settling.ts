import type { PageRecord, Settlement } from '@webfarer/protocol';
import { bump } from './crawl-rows.ts';
import { type EntryRow, kindOf } from './entry-rows.ts';
import type { PairRow } from './host-state.ts';
import { changeLeased, changeQueued } from './moving.ts';
import { offerAll } from './offering.ts';
import type { Store } from './store.ts';

export type Outcome = Extract<Settlement, { kind: 'outcome' }>;

/** An entry of a live lease gets its outcome. Answers the number of its record. */
export function settleLeased(store: Store, pair: PairRow, row: EntryRow, record: PageRecord): number {
  changeLeased(store, pair, { count: -1, pages: kindOf(row.bits) === 'page' ? -1 : 0 });
  return writeOutcome(store, pair, row, record);
}

/** A queued entry gets its outcome without being fetched. */
export function settleQueued(store: Store, pair: PairRow, row: EntryRow, record: PageRecord): number {
  changeQueued(store, pair, -1);
  return writeOutcome(store, pair, row, record);
}

function writeOutcome(store: Store, pair: PairRow, row: EntryRow, record: PageRecord): number {
  const { crawl } = pair;
  store.queue.remove({ pair: pair.id, kind: kindOf(row.bits), ord: row.ord ?? row.id, entry: row.id });
  const id = store.records.insert({ crawl: crawl.id, entry: row.id, record });
  store.entries.settle(row.id, id);
  countRecord(store, pair, { isPage: kindOf(row.bits) === 'page', record, sign: 1 });
  return id;
}

type Counted = Pick<PageRecord, 'verdict' | 'reason' | 'status' | 'bytes'>;

/** Adds a record to all sums, or takes it away again. */
export function countRecord(
  store: Store,
  pair: PairRow,
  { isPage, record, sign }: { isPage: boolean; record: Counted; sign: 1 | -1 },
): void {
  const { counters } = pair.crawl;
  counters[record.verdict] += sign;
  bump(counters.byReason, record.reason, sign);
  if (record.verdict === 'done' && record.status !== undefined) {
    bump(counters.byStatus, String(record.status), sign);
  }
  const bytes = record.bytes * sign;
  const pages = isPage && record.verdict === 'done' ? sign : 0;
  for (const sums of [counters, pair, pair.site]) {
    sums.bytes += bytes;
    sums.donePages += pages;
  }
  pair.crawl.dirty = true;
  store.hosts.touch(pair.host);
  if (bytes !== 0 || pages !== 0) store.hosts.sites.touch(pair.site);
}

/** Links, items and counts of a page, with its outcome's number. Answers how its links fared. */
export function storeYield(store: Store, pair: PairRow, { outcome, recordId, entryId }: YieldOf) {
  const { crawl } = pair;
  const { offers, edges, items, dropped, url } = outcome;
  store.records.insertYield(recordId, { url, edges, items });
  crawl.counters.items += items.length;
  crawl.counters.edges += edges.length;
  for (const [reason, count] of Object.entries(dropped)) {
    bump(crawl.counters.dropped, reason as keyof typeof dropped, count);
  }
  crawl.dirty = true;
  return offerAll(store, crawl, { offers, parent: entryId });
}

export interface YieldOf {
  outcome: Outcome;
  recordId: number;
  entryId: number;
}
