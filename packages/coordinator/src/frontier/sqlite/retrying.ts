import type { CrawlId } from '@webfarer/protocol';
import type { RecordFilter } from '../frontier.ts';
import type { Store } from './store.ts';
import { unsettle } from './upgrading.ts';

const pageSize = 500;

/** Puts settled URLs back into the queue with fresh tries. One transaction, however many. */
export function retryAll(store: Store, key: CrawlId, filter: RecordFilter): number {
  const crawl = store.crawls.change(key);
  let count = 0;
  let after = 0;
  const upTo = store.records.ids.last();
  for (;;) {
    const page = store.records.page(crawl.id, filter, { after, upTo, limit: pageSize });
    for (const row of page) {
      const pair = store.hosts.pairById(row.pair);
      pair.dead = null;
      pair.troubles = 0;
      unsettle(store, pair, row);
    }
    count += page.length;
    after = page.at(-1)?.id ?? after;
    if (page.length < pageSize) break;
  }
  if (count > 0 && crawl.state === 'finished') crawl.state = 'running';
  return count;
}
