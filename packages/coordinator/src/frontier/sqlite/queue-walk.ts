import type { QueueFilter } from '../frontier.ts';
import { hostIn } from '../url-search.ts';
import type { CrawlRow } from './rows/crawls.ts';
import type { EntryRow } from './rows/entries.ts';
import type { PairRow } from './rows/host-state.ts';
import { pairsAtOnce } from './rows/busy-pairs.ts';
import { type ListedPlace, queueStart } from './rows/queue.ts';
import type { Store } from './store.ts';

/** A place in the queues of a crawl: hosts by site and number, then the place in the queue of the host. */
export interface QueuePosition extends ListedPlace {
  site: number;
  pair: number;
}

export interface QueuedRow {
  pair: PairRow;
  row: EntryRow;
  position: QueuePosition;
}

const entriesAtOnce = 500;

/**
 * The queued entries behind a place, host by host; leased ones are left out. Hosts with a queue are found by an index,
 * and one host or the hosts of one site by themselves. Entries that are walked over may be settled meanwhile.
 */
export function* queuedFrom(
  store: Store,
  crawl: CrawlRow,
  { from, filter }: { from: QueuePosition; filter: QueueFilter },
): Generator<QueuedRow> {
  for (const { pair, place } of pairsFrom(store, crawl, { from, filter })) {
    const { siteId: site } = pair.host;
    const leased = new Set(store.hosts.hold(pair.host)?.entries);
    for (let at = place, more = true; more; ) {
      const page = store.queue.behind(pair.id, at, entriesAtOnce);
      for (const { entry, ...listed } of page) {
        at = listed;
        const row = leased.has(entry) ? undefined : store.entries.get(entry);
        if (row) yield { pair, row, position: { site, pair: pair.id, ...listed } };
      }
      more = page.length === entriesAtOnce;
    }
  }
}

function* pairsFrom(
  store: Store,
  crawl: CrawlRow,
  { from, filter }: { from: QueuePosition; filter: QueueFilter },
): Generator<{ pair: PairRow; place: ListedPlace }> {
  const host = hostIn(filter);
  if (host !== undefined) {
    const row = store.hosts.byKey(host);
    const pair = row && store.hosts.pairOf(row, crawl);
    if (pair) yield { pair, place: from.pair === pair.id ? from : queueStart };
    return;
  }
  const only = filter.site === undefined ? undefined : store.walks.siteId(filter.site);
  if (only === 0) return;
  // The host that the last page ended in, then those behind it.
  if (from.pair > 0 && store.walks.isPair(from.pair, crawl.id))
    yield { pair: store.hosts.pairById(from.pair), place: from };
  for (let { site, pair: last } = from, more = true; more; ) {
    const rows = store.walks.busyPairs(crawl.id, {
      site: only ?? site,
      pair: last,
      isOnly: only !== undefined,
    });
    for (const { id, site: of } of rows.slice(0, pairsAtOnce)) {
      yield { pair: store.hosts.pairById(id), place: queueStart };
      [site, last] = [of, id];
    }
    more = rows.length >= pairsAtOnce;
  }
}
