import type { Band, Offer } from '@webfarer/protocol';
import { hostOf } from '@webfarer/protocol/url';
import { countRecord } from './counting.ts';
import type { CrawlRow } from './rows/crawls.ts';
import { type EntryRow, kindOf, placeIn } from './rows/entries.ts';
import type { PairRow } from './rows/host-state.ts';
import { changeLeased, changeQueued } from './moving.ts';
import type { StoredRecord } from './rows/records.ts';
import type { Store } from './store.ts';

interface Again {
  /** The known entry. */
  id: number;
  offer: Offer;
  parent: number | null;
}

/** What an entry was asked for: a requisite or a check, a page, a page with a label or a request. Sitemaps stay what they are. */
function rankOf({ bits, label }: Pick<EntryRow, 'bits' | 'label'>): number {
  const kind = kindOf(bits);
  if (kind === 'sitemap') return 2;
  if (kind !== 'page') return 0;
  return label === null ? 1 : 2;
}

/** A known URL that is asked for as more than before. If it was visited already, it is visited once more. */
export function upgrade(store: Store, crawl: CrawlRow, { id, offer, parent }: Again): void {
  if (offer.kind !== 'page') return;
  const row = store.entries.get(id);
  if (!row || rankOf(row) >= (offer.label === undefined && offer.request === undefined ? 1 : 2)) return;
  const record = row.record === null ? undefined : store.records.get(row.record);
  // Workers died with it: a label is no reason to lose three more.
  if (record?.reason === 'poison') return;
  const host = store.hosts.ensure(hostOf(offer.url));
  const pair = store.hosts.ensurePair(host, crawl);
  if (record) unsettle(store, pair, record, offer.band ?? 0);
  store.entries.upgrade(id, offer, parent);
  if (record) {
    if (crawl.state === 'finished') crawl.state = 'running';
    return;
  }
  const hold = store.hosts.hold(host);
  if (!hold || hold.crawlId !== crawl.id) return;
  // In the midst of a report only `open` knows what has just been settled or put back.
  const { open } = hold;
  if (open ? !open.has(offer.url) : !hold.entries.includes(id)) return;
  hold.again.add(id);
  store.hosts.holds.put(hold);
  // From now on it counts as a page in flight.
  if (kindOf(row.bits) !== 'page') changeLeased(store, pair, { count: 0, pages: 1 });
  const leased = open?.get(offer.url);
  if (leased) Object.assign(leased, store.entries.get(id));
}

/** Puts a settled URL back into this band of the queue with fresh tries; its record and what that yielded go. */
// oxlint-disable-next-line max-params -- called for every URL of a retry
export function unsettle(store: Store, pair: PairRow, row: StoredRecord, band: Band | 0): void {
  const { counters } = pair.crawl;
  const kind = kindOf(row.bits);
  const { status, ...record } = row;
  const counted = status === null ? record : { ...record, status };
  countRecord(store, pair, { isPage: kind === 'page', record: counted, sign: -1 });
  const gone = store.records.remove(row.id);
  counters.items -= gone.items;
  counters.edges -= gone.edges;
  const ord = placeIn(band, store.entries.nextId());
  store.entries.requeue(row.entry, 0, ord);
  store.queue.push({ pair: pair.id, kind, ord, entry: row.entry });
  changeQueued(store, pair, 1);
}
