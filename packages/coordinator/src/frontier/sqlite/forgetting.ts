import type { CrawlId, HostKey, Url } from '@webfarer/protocol';
import { packEdges, unpackEdges } from '@webfarer/protocol/link';
import { type HostMatch, hostMatch } from '@webfarer/protocol/url';
import { barring, buried } from '../barred.ts';
import { linksWithout, movedFinder, withoutHosts } from '../forgetting.ts';
import type { ForgetOrder, ForgetStep, ForgottenSums } from '../frontier.ts';
import { decodePlace, encodePlace, malformed } from '../url-search.ts';
import { countRecord } from './counting.ts';
import { expire, outlive } from './leasing.ts';
import { changeQueued } from './moving.ts';
import type { CrawlRow } from './rows/crawls.ts';
import { type EntryRow, kindOf } from './rows/entries.ts';
import type { HostRow, PairRow } from './rows/host-state.ts';
import type { Store } from './store.ts';

/** Rows that a step looks at, and URLs that it deletes: one transaction. */
const lookedAt = 50_000;
const deletedAtOnce = 500;
const blocksAtOnce = 20;

/**
 * What is done, in this order. Nothing that is still there refers to an entry that is gone, whenever it is cut off: entries
 * found on pages of the hosts are told so before those pages go.
 */
const phases = ['referrers', 'entries', 'records', 'links', 'hosts'] as const;
type Phase = (typeof phases)[number];

interface Forgetting {
  store: Store;
  crawl: CrawlRow;
  match: HostMatch;
  order: ForgetOrder;
  pairs: PairRow[];
}

/** Where a phase goes on; undefined: it is over. */
interface PhaseStep {
  urls?: number;
  next: number | undefined;
}

export function forgetStep(store: Store, key: CrawlId, order: ForgetOrder, after: string): ForgetStep {
  const crawl = store.crawls.change(key);
  const match = hostMatch(order.pattern);
  // The tombstone, before anything is deleted.
  if (after === '') store.crawls.bar(crawl, barring(crawl.barred, order, store.clock.wall()));
  const hosts = hostsOf(store, match);
  const waitMs = endLeases(store, crawl, hosts);
  const pairs = hosts.flatMap((host) => store.hosts.pairOf(host, crawl) ?? []);
  // What is left of their queues is granted no more.
  for (const pair of pairs) pair.dead ??= 'host-dead';
  for (const host of hosts) store.hosts.touch(host);
  const [phase, from] = placeIn(after, crawl.nonce);
  // What is queued or in memory only must be in the tables that are read here.
  store.flush();
  const step = work[phase]({ store, crawl, match, order, pairs }, from);
  const following = step.next === undefined ? phases[phases.indexOf(phase) + 1] : phase;
  const held = phase === 'hosts' && waitMs !== undefined;
  const place = held ? (['hosts', 0] as const) : ([following, step.next ?? 0] as const);
  return {
    urls: step.urls ?? 0,
    next: place[0] === undefined ? undefined : encodePlace(crawl.nonce, ['forget', place[0], place[1]]),
    ...(held ? { waitMs } : {}),
  };
}

/** Everything is gone. */
export function forgotten(store: Store, key: CrawlId, pattern: string, sums: ForgottenSums): void {
  const crawl = store.crawls.change(key);
  store.crawls.bar(crawl, buried(crawl.barred, pattern, { ...sums, atMs: store.clock.wall() }));
}

function hostsOf(store: Store, { pattern, host }: HostMatch): HostRow[] {
  const name = pattern.replace(/^\*\./, '');
  const select = store.db.prepare(
    pattern === name
      ? 'SELECT name FROM hosts WHERE name = ?'
      : "SELECT name FROM hosts WHERE name = ?1 OR name LIKE '%.' || ?1",
  );
  store.flush();
  return (select.all(name) as { name: HostKey }[])
    .filter((row) => host(row.name))
    .flatMap((row) => store.hosts.byKey(row.name) ?? []);
}

/** The entries of leases go back, to be deleted. Answers how long a request may still be under way. */
function endLeases(store: Store, crawl: CrawlRow, hosts: HostRow[]): number | undefined {
  const now = store.clock.now();
  let waitMs: number | undefined;
  for (const host of hosts) {
    const hold = store.hosts.hold(host);
    if (hold?.crawlId !== crawl.id) continue;
    if (!hold.over) expire(store, hold);
    if (hold.heldUntil > now) waitMs = Math.max(waitMs ?? 0, hold.heldUntil - now);
    else outlive(store, hold);
  }
  return waitMs;
}

const work: Record<Phase, (forgetting: Forgetting, from: number) => PhaseStep> = {
  referrers({ store, pairs }, from) {
    const to = Math.min(store.entries.lastId(), from + lookedAt);
    const list = pairs.map(({ id }) => id).join(',');
    store.db
      .prepare(
        `UPDATE entries SET parent = NULL WHERE id > ? AND id <= ? AND parent IS NOT NULL AND NOT EXISTS
         (SELECT 1 FROM entries p WHERE p.id = entries.parent AND p.pair NOT IN (${list}))`,
      )
      .run(from, to);
    return { next: to < store.entries.lastId() ? to : undefined };
  },
  entries(forgetting, from) {
    const { store, pairs } = forgetting;
    const to = Math.min(store.entries.lastId(), from + lookedAt);
    const list = pairs.map(({ id }) => id).join(',');
    const rows = store.db
      .prepare(`SELECT * FROM entries WHERE id > ? AND id <= ? AND pair IN (${list}) ORDER BY id LIMIT ?`)
      .all(from, to, deletedAtOnce) as unknown as EntryRow[];
    for (const row of rows) deleteEntry(forgetting, row);
    // Where entries were read lately, their URLs are still in memory.
    store.entries.reload();
    const reached = rows.length < deletedAtOnce ? to : (rows.at(-1)?.id ?? to);
    return { urls: rows.length, next: reached < store.entries.lastId() ? reached : undefined };
  },
  records({ store, crawl, match, order }, from) {
    const last = store.records.ids.last();
    const to = Math.min(last, from + lookedAt);
    const name = order.pattern.replace(/^\*\./, '');
    const rows = store.db
      .prepare(
        'SELECT id, more FROM records WHERE id > ? AND id <= ? AND crawl = ? AND instr(lower(more), ?) > 0',
      )
      .all(from, to, crawl.id, name) as { id: number; more: string }[];
    const update = store.db.prepare('UPDATE records SET more = ? WHERE id = ?');
    const findMoved = movedFinder(order.moved);
    for (const { id, more } of rows) {
      const kept = withoutHosts(JSON.parse(more) as object, match, findMoved);
      if (kept) update.run(JSON.stringify(kept), id);
    }
    return { next: to < last ? to : undefined };
  },
  links({ store, crawl, match }, from) {
    const { edges } = store.records;
    const urlOf = (record: number): Url | undefined => {
      const row = store.records.get(record);
      return row && row.crawl === crawl.id ? store.entries.urlOf(row.entry) : undefined;
    };
    const { removed, to } = edges.change({ after: from, blocks: blocksAtOnce }, ({ record, packed }) => {
      const url = urlOf(record);
      if (url === undefined) return undefined;
      const links = unpackEdges(url, packed);
      const kept = linksWithout(links, match);
      return kept === links ? undefined : { record, count: kept.length, packed: packEdges(url, kept) };
    });
    crawl.counters.edges -= removed;
    return { next: to };
  },
  hosts({ store, crawl, match, pairs }) {
    // Whoever waits for a request under way comes here again.
    const free = pairs.filter(({ host }) => store.hosts.hold(host)?.crawlId !== crawl.id);
    store.flush();
    deleteHosts(store, free);
    deleteRobots(store, match);
    store.hosts.forget();
    return { next: undefined };
  },
};

function deleteEntry({ store, pairs }: Forgetting, row: EntryRow): void {
  const pair = pairs.find(({ id }) => id === row.pair) as PairRow;
  const { counters } = pair.crawl;
  const kind = kindOf(row.bits);
  const record = row.record === null ? undefined : store.records.get(row.record);
  if (record) {
    const { status, ...rest } = record;
    const counted = status === null ? rest : { ...rest, status };
    countRecord(store, pair, { isPage: kind === 'page', record: counted, sign: -1 });
    const gone = store.records.remove(record.id);
    counters.items -= gone.items;
    counters.edges -= gone.edges;
  } else {
    store.queue.remove({ pair: pair.id, kind, ord: row.ord ?? row.id, entry: row.id });
    changeQueued(store, pair, -1);
  }
  store.db.prepare('DELETE FROM entries WHERE id = ?').run(row.id);
  pair.known--;
  counters.known--;
  if (pair.known === 0) counters.hosts--;
  store.hosts.touch(pair.host);
}

/** Hosts that no other crawl of the store has; their clocks go with them. */
function deleteHosts(store: Store, pairs: readonly PairRow[]): void {
  const { db } = store;
  const removePair = db.prepare('DELETE FROM pairs WHERE id = ?');
  const removeHost = db.prepare(
    'DELETE FROM hosts WHERE id = ? AND NOT EXISTS (SELECT 1 FROM pairs WHERE host = hosts.id)',
  );
  for (const { id, host } of pairs) {
    removePair.run(id);
    removeHost.run(host.id);
  }
  for (const site of new Set(pairs.map(({ host }) => host.siteId))) {
    const left = db.prepare('SELECT 1 FROM hosts WHERE site = ?').get(site);
    if (left) continue;
    db.prepare('DELETE FROM site_sums WHERE site = ?').run(site);
    db.prepare('DELETE FROM sites WHERE id = ?').run(site);
  }
}

function deleteRobots(store: Store, match: HostMatch): void {
  const remove = store.db.prepare('DELETE FROM robots WHERE origin = ?');
  for (const { origin } of store.db.prepare('SELECT origin FROM robots').all() as { origin: string }[])
    if (match.url(origin)) remove.run(origin);
  store.robots.reload();
}

function placeIn(after: string, history: string): [Phase, number] {
  const place = decodePlace(after, history);
  if (!place) return [phases[0], 0];
  const [what, phase, from] = place;
  if (what !== 'forget' || !phases.includes(phase as Phase) || typeof from !== 'number') throw malformed();
  return [phase as Phase, from];
}
