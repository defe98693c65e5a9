import { mustSettle } from './rows/allowance.ts';
import type { CrawlRow } from './rows/crawls.ts';
import type { EntryRow } from './rows/entries.ts';
import type { HostRow, PairRow } from './rows/host-state.ts';
import { expireLeases } from './leasing.ts';
import { sweepLimit } from './moving.ts';
import { settleQueued } from './settling.ts';
import type { Store } from './store.ts';
import { unfetched } from './unfetched.ts';

export interface SweepAnswer {
  expired: number;
  settled: number;
  more: boolean;
}

export function sweepOnce(store: Store, index: DoomedHosts): SweepAnswer {
  const expired = expireLeases(store);
  if (expired.more) return { expired: expired.leases, settled: 0, more: true };
  const settled = settleDoomed(store, index, sweepLimit - expired.entries);
  return { expired: expired.leases, ...settled };
}

/** Hosts that are dead or over budget and still have a queue, read from the index. */
export interface DoomedHosts {
  doomed(crawl: number, limit: number): number[];
}

export function doomedHosts({ db }: Store): DoomedHosts {
  const select = db.prepare('SELECT host FROM pairs WHERE crawl = ? AND doomed LIMIT ?');
  return {
    doomed: (crawl, limit) => (select.all(crawl, limit) as { host: number }[]).map(({ host }) => host),
  };
}

function settleDoomed(store: Store, index: DoomedHosts, room: number): { settled: number; more: boolean } {
  let settled = 0;
  let more = false;
  for (const crawl of store.crawls.all()) {
    store.flush();
    for (const id of store.hosts.sites.doomedHosts(crawl, sweepLimit))
      store.hosts.touch(store.hosts.byId(id));
    store.flush();
    for (const id of index.doomed(crawl.id, sweepLimit)) {
      if (settled >= room) break;
      settled += settleHost(store, { host: store.hosts.byId(id), crawl, room: room - settled });
    }
    store.flush();
    const left = () => index.doomed(crawl.id, 1).length + store.hosts.sites.doomedHosts(crawl, 1).length;
    more ||= left() > 0;
  }
  return { settled, more };
}

function settleHost(
  store: Store,
  { host, crawl, room }: { host: HostRow; crawl: CrawlRow; room: number },
): number {
  const pair = store.hosts.pairOf(host, crawl);
  store.hosts.touch(host);
  const reason = pair && mustSettle(pair);
  // A raised budget or a revived host: touching it puts it back among the due ones.
  if (!reason) return 0;
  const leased = store.hosts.hold(host)?.entries ?? [];
  const ids = store.queue.front(pair.id, room + leased.length).filter((id) => !leased.includes(id));
  const todo = ids.slice(0, room);
  const why = reason === 'host-dead' ? { reason, detail: deathOf(pair) } : { reason };
  for (const id of todo) {
    const row = store.entries.get(id) as EntryRow;
    settleQueued(store, pair, row, unfetched(store, pair, row, why));
  }
  return todo.length;
}

function deathOf(pair: PairRow): string {
  return `${pair.troubles} failed rounds without a response, the last one: ${pair.dead}`;
}
