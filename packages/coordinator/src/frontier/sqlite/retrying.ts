import type { CrawlId } from '@webfarer/protocol';
import type { RecordFilter } from '../frontier.ts';
import { kindOf } from './entry-rows.ts';
import { changeQueued } from './moving.ts';
import type { StoredRecord } from './record-rows.ts';
import { countRecord } from './settling.ts';
import type { Store } from './store.ts';

const pageSize = 500;

/** Puts settled URLs back into the queue with fresh tries. One transaction, however many. */
export function retryAll(store: Store, key: CrawlId, filter: RecordFilter): number {
  const crawl = store.crawls.change(key);
  let count = 0;
  let after = 0;
  for (;;) {
    const page = store.records.page(crawl.id, filter, { after, limit: pageSize });
    for (const row of page) retryOne(store, row);
    count += page.length;
    after = page.at(-1)?.id ?? after;
    if (page.length < pageSize) break;
  }
  if (count > 0 && crawl.state === 'finished') crawl.state = 'running';
  return count;
}

function retryOne(store: Store, row: StoredRecord): void {
  const pair = store.hosts.pairById(row.pair);
  const { counters } = pair.crawl;
  const kind = kindOf(row.bits);
  const { status, ...record } = row;
  const counted = status === null ? record : { ...record, status };
  countRecord(store, pair, { isPage: kind === 'page', record: counted, sign: -1 });
  const gone = store.records.remove(row.id);
  counters.items -= gone.items;
  counters.edges -= gone.edges;
  pair.dead = null;
  pair.troubles = 0;
  const ord = store.entries.nextId();
  store.entries.requeue(row.entry, 0, ord);
  store.queue.push({ pair: pair.id, kind, ord, entry: row.entry });
  changeQueued(store, pair, 1);
}
