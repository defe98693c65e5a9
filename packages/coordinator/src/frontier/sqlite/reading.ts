import type { Balance, CrawlId, HostKey, HostSums, HostWait, Url } from '@webfarer/protocol';
import { hostOf } from '@webfarer/protocol/url';
import type { CrawlTotals, UrlStory } from '../frontier.ts';
import { clockOf, mustSettle } from './rows/allowance.ts';
import { classOf, type EntryRow, kindOf } from './rows/entries.ts';
import type { PairRow } from './rows/host-state.ts';
import { isFull } from './rows/sites.ts';
import type { Store } from './store.ts';

export interface Reading {
  balance(crawl: CrawlId): Balance;
  totals(crawl: CrawlId): CrawlTotals;
  waiting(crawl: CrawlId, limit: number): (HostWait & HostSums)[];
  hostSums(crawl: CrawlId, hosts: readonly HostKey[]): Map<HostKey, HostSums>;
  look(crawl: CrawlId, url: Url): UrlStory | undefined;
}

/** Read beyond what was asked for: hosts of a site that filled up may still stand in the index. */
const stale = 20;

/** Questions that change nothing. */
export function reading(store: Store): Reading {
  const next = store.db.prepare(
    'SELECT host FROM pairs WHERE crawl = ? AND due IS NOT NULL ORDER BY due LIMIT ?',
  );
  function queuedStory(pair: PairRow, row: EntryRow): UrlStory {
    const level = classOf(kindOf(row.bits));
    const place = row.ord ?? row.id;
    const n = store.queue.ahead({ pair: pair.id, kind: kindOf(row.bits), ord: place, entry: row.id });
    // Leased entries keep their place in the queue, but nobody waits for them.
    const leased = (store.hosts.hold(pair.host)?.entries ?? []).filter((id) => {
      const other = store.entries.get(id);
      if (!other || other.pair !== pair.id) return false;
      const otherLevel = classOf(kindOf(other.bits));
      return otherLevel < level || (otherLevel === level && (other.ord ?? other.id) < place);
    });
    const entry = store.entries.toEntry(row, pair.host.key);
    return { state: 'queued', entry, host: hostWait(store, pair), ahead: n - leased.length };
  }

  return {
    balance(key) {
      const { known, queued, leased, done, failed, refused } = store.crawls.get(key).counters;
      return { known, queued, leased, done, failed, refused };
    },
    totals(key) {
      const { state, counters } = store.crawls.get(key);
      const { bytes, items, edges, hosts, hostsQueued } = counters;
      const byReason: CrawlTotals['byReason'] = { ...counters.byReason };
      const byStatus = { ...counters.byStatus };
      const dropped: CrawlTotals['dropped'] = { ...counters.dropped };
      return { state, bytes, items, edges, hosts, hostsQueued, byReason, byStatus, dropped };
    },
    waiting(key, limit) {
      const crawl = store.crawls.get(key);
      const found: (HostWait & HostSums)[] = [];
      for (const { host } of next.all(crawl.id, limit + stale) as { host: number }[]) {
        const pair = store.hosts.pairOf(store.hosts.byId(host), crawl);
        if (pair && !mustSettle(pair) && !isFull(pair.site)) found.push(hostWait(store, pair));
      }
      return found.slice(0, limit);
    },
    hostSums(key, hosts) {
      const crawl = store.crawls.get(key);
      const found = new Map<HostKey, HostSums>();
      for (const name of hosts) {
        const host = store.hosts.byKey(name);
        const pair = host && store.hosts.pairOf(host, crawl);
        if (pair) found.set(name, sumsOf(pair));
      }
      return found;
    },
    look(key, url) {
      const crawl = store.crawls.get(key);
      const id = store.seen.find(crawl.print, url);
      const row = id === 0 ? undefined : store.entries.get(id);
      const host = row && store.hosts.byKey(hostOf(url));
      if (!row || !host) return undefined;
      if (row.record !== null) {
        const record = store.records.get(row.record);
        return record && { state: 'settled', record: store.records.toRecord(record) };
      }
      const hold = store.hosts.hold(host);
      if (hold?.entries.includes(row.id)) {
        const forMs = store.clock.now() - hold.granted;
        return { state: 'leased', entry: store.entries.toEntry(row, host.key), worker: hold.worker, forMs };
      }
      return queuedStory(store.hosts.pairOf(host, crawl) as PairRow, row);
    },
  };
}

const sumsOf = ({ donePages, bytes, troubles }: PairRow): HostSums => ({ pages: donePages, bytes, troubles });

function hostWait(store: Store, pair: PairRow): HostWait & HostSums {
  const { host, crawl, queued } = pair;
  const hold = store.hosts.hold(host);
  const now = store.clock.now();
  const from = clockOf(host, crawl, hold);
  const held = hold !== undefined && hold.heldUntil >= from && hold.heldUntil > now;
  const dead = pair.dead !== null;
  const [dueInMs, why] = [Math.max(0, from - now), held ? 'held' : host.why] as const;
  return { host: host.key, queued, dueInMs, why, dead, ...sumsOf(pair) };
}
