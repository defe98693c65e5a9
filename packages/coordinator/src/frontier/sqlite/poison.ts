import type { Hold } from './rows/holds.ts';
import { settleLeased } from './settling.ts';
import type { Store } from './store.ts';
import { unfetched } from './unfetched.ts';

/**
 * A lease ended without a word. A worker goes through its entries in order, so only the first unsettled one can
 * be to blame: it is charged, and given up when that has happened too often. Another one that was charged wrongly
 * is leased alone next time, and then the right one is first. A lease of one that was charged before says when it is
 * fetched, so a worker that died earlier than that did not die of it.
 */
export function chargeInHand(store: Store, lease: Hold): void {
  const [id] = lease.entries;
  const row = id === undefined ? undefined : store.entries.get(id);
  if (!row || (row.deaths !== null && !lease.begun)) return;
  const crawl = store.crawls.byId(lease.crawlId);
  const pair = store.hosts.pairById(row.pair);
  row.deaths = (row.deaths ?? 0) + 1;
  store.entries.chargeDeath(row.id, row.deaths);
  if (row.deaths < (crawl.settings.poisonAfter ?? Number.POSITIVE_INFINITY)) return;
  const detail = `${row.deaths} workers died while fetching it`;
  settleLeased(store, pair, row, unfetched(store, pair, row, { reason: 'poison', detail }));
  lease.entries.shift();
}
