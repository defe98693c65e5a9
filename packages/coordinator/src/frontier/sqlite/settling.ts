import type { PageRecord, Settlement } from '@webfarer/protocol';
import { countRecord } from './counting.ts';
import { bump, type CrawlRow } from './rows/crawls.ts';
import { type EntryRow, kindOf } from './rows/entries.ts';
import type { PairRow } from './rows/host-state.ts';
import { changeLeased, changeQueued } from './moving.ts';
import { offerAll } from './offering.ts';
import { linksToOthers, withoutAll } from '../forgetting.ts';
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
  const told = crawl.barred ? withoutAll(record, crawl.barred.matches) : record;
  const id = store.records.insert({ crawl: crawl.id, entry: row.id, record: told });
  store.entries.settle(row.id, id);
  countRecord(store, pair, { isPage: kindOf(row.bits) === 'page', record, sign: 1 });
  return id;
}

/** Links, items and counts of a page, with its outcome's number. Answers how its links fared. */
export function storeYield(store: Store, pair: PairRow, { outcome, recordId, entryId }: YieldOf) {
  const { crawl } = pair;
  const { items, url } = outcome;
  const edges = crawl.barred ? linksToOthers(url, outcome.edges, crawl.barred.matches) : outcome.edges;
  store.records.insertYield(recordId, { url, edges, items });
  crawl.counters.items += items.length;
  crawl.counters.edges += edges.length;
  return takeLinks(store, crawl, outcome, entryId);
}

/** What a page's links came to, whether or not its visit is recorded. */
// oxlint-disable-next-line max-params -- called for every page
export function takeLinks(store: Store, crawl: CrawlRow, { offers, dropped }: Outcome, entryId: number) {
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
