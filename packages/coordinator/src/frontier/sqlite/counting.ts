import type { PageRecord } from '@webfarer/protocol';
import { bump } from './rows/crawls.ts';
import type { PairRow } from './rows/host-state.ts';
import type { Store } from './store.ts';

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
