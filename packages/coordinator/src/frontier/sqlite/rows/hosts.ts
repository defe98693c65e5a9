import type { HostKey, WaitReason } from '@webfarer/protocol';
import { siteOf } from '@webfarer/protocol/url';
import type { CrawlRow, CrawlRows } from './crawls.ts';
import { type Hold, holdRows, type HoldRows } from './holds.ts';
import type { Database } from '../../../sqlite/node-sqlite.ts';
import type { HostRow, PairRow, StoredPair } from './host-state.ts';
import { pairWriter } from './pairs.ts';
import { siteRows, type SiteRows } from './sites.ts';

export interface HostRows {
  byKey(key: HostKey): HostRow | undefined;
  byId(id: number): HostRow;
  /** The host, made if need be. */
  ensure(key: HostKey): HostRow;
  pairOf(host: HostRow, crawl: CrawlRow): PairRow | undefined;
  ensurePair(host: HostRow, crawl: CrawlRow): PairRow;
  pairById(id: number): PairRow;
  hold(host: HostRow): Hold | undefined;
  /** Known and queued of this pair grew by an entry of the log, and nothing else of it changed. */
  fallBehind(pair: PairRow): void;
  /** The pair's row takes in the log so far, at the next flush. */
  catchUp(pair: number): void;
  /** The host, its pairs or its hold changed: written, with all that follows from it, at the next flush. */
  touch(host: HostRow): void;
  holds: HoldRows;
  sites: SiteRows;
  flush(): boolean;
  /** Drops what is written already from memory. */
  forget(): void;
  /** Forgets everything; it is read again when asked for. */
  reload(): void;
  /** Bounds the memory. Only between transactions, when nothing unwritten is held. */
  trim(): void;
}

/** Hosts kept in memory, at about 1 KiB each. */
const keptHosts = 50_000;

export interface HostRowsOptions {
  crawls: CrawlRows;
  /** The last entry that exists. */
  lastEntry(): number;
  /** The last entry that is listed in the queue: every pair's row takes in at least so much of the log. */
  lastListed(): number;
}

export function hostRows(db: Database, { crawls, lastEntry, lastListed }: HostRowsOptions): HostRows {
  const byName = db.prepare('SELECT id, name, site, not_before, last_end, why FROM hosts WHERE name = ?');
  const byNumber = db.prepare('SELECT id, name, site, not_before, last_end, why FROM hosts WHERE id = ?');
  const insertHost = db.prepare('INSERT INTO hosts VALUES (?, ?, ?, ?, ?, ?)');
  const updateHost = db.prepare('UPDATE hosts SET not_before = ?, last_end = ?, why = ? WHERE id = ?');
  const selectPairs = db.prepare('SELECT * FROM pairs WHERE host = ?');
  const selectPairHost = db.prepare('SELECT host FROM pairs WHERE id = ?');
  const countBehind = db.prepare(
    `SELECT e.pair, count(*) AS n FROM entries e JOIN pairs p ON p.id = e.pair
     WHERE e.id > ? AND e.id > p.upto GROUP BY e.pair`,
  );
  const lastId = db.prepare(
    'SELECT (SELECT max(id) FROM hosts) AS host, (SELECT max(id) FROM pairs) AS pair',
  );
  const sites = siteRows(db);
  const holds = holdRows(db);
  const pairs = pairWriter(db);

  const keys = new Map<HostKey, HostRow>();
  const ids = new Map<number, HostRow>();
  const pairIds = new Map<number, PairRow>();
  let touched = new Set<HostRow>();
  /** Pairs in memory whose rows do not count the latest entries yet. */
  const behind = new Set<PairRow>();
  /** The same of pairs that are not in memory: how many entries their rows lack. */
  let lacking: Map<number, number> | undefined;
  let last: { host: number | null; pair: number | null };

  function forget(): void {
    keys.clear();
    ids.clear();
    pairIds.clear();
    behind.clear();
    lacking = undefined;
    sites.reload();
  }

  function reload(): void {
    forget();
    touched.clear();
    last = lastId.get() as typeof last;
    holds.reload();
  }

  function keep(host: HostRow): HostRow {
    keys.set(host.key, host);
    ids.set(host.id, host);
    return host;
  }

  function load(row: Record<string, unknown>): HostRow {
    const host: HostRow = {
      id: row['id'] as number,
      key: row['name'] as HostKey,
      siteId: row['site'] as number,
      notBefore: row['not_before'] as number,
      lastEnd: row['last_end'] as number,
      why: row['why'] as WaitReason,
      pairs: [],
      isNew: false,
      dirty: false,
    };
    for (const stored of selectPairs.all(host.id) as unknown as StoredPair[]) {
      host.pairs.push(loadPair(host, stored));
    }
    return keep(host);
  }

  function lack(): Map<number, number> {
    if (lacking) return lacking;
    const rows = countBehind.all(lastListed()) as { pair: number; n: number }[];
    lacking = new Map(rows.map(({ pair, n }) => [pair, n]));
    return lacking;
  }

  function loadPair(host: HostRow, stored: StoredPair): PairRow {
    const more = lack().get(stored.id) ?? 0;
    lack().delete(stored.id);
    const pair: PairRow = {
      id: stored.id,
      crawl: crawls.byId(stored.crawl),
      host,
      site: sites.sums(host.siteId, crawls.byId(stored.crawl)),
      known: stored.known + more,
      queued: stored.queued + more,
      leased: stored.leased,
      donePages: stored.done_pages,
      leasedPages: stored.leased_pages,
      bytes: stored.bytes,
      troubles: stored.troubles,
      dead: stored.dead,
      ready: stored.ready,
      turn: stored.turn,
      stored,
    };
    if (more > 0) behind.add(pair);
    pairIds.set(pair.id, pair);
    return pair;
  }

  function byKey(key: HostKey): HostRow | undefined {
    const kept = keys.get(key);
    if (kept) return kept;
    const row = byName.get(key);
    return row && load(row);
  }

  function byId(id: number): HostRow {
    return ids.get(id) ?? load(byNumber.get(id) as Record<string, unknown>);
  }

  function ensure(key: HostKey): HostRow {
    const found = byKey(key);
    if (found) return found;
    last.host = (last.host ?? 0) + 1;
    const host = keep({
      id: last.host,
      key,
      siteId: sites.ensure(siteOf(key)),
      notBefore: 0,
      lastEnd: 0,
      why: 'gap',
      pairs: [],
      isNew: true,
      dirty: true,
    });
    touched.add(host);
    return host;
  }

  function pairOf(host: HostRow, crawl: CrawlRow): PairRow | undefined {
    // Hardly ever more than one crawl on a host.
    for (const pair of host.pairs) if (pair.crawl === crawl) return pair;
    return undefined;
  }

  function ensurePair(host: HostRow, crawl: CrawlRow): PairRow {
    const found = pairOf(host, crawl);
    if (found) return found;
    last.pair = (last.pair ?? 0) + 1;
    const site = sites.sums(host.siteId, crawl);
    const sums = { known: 0, queued: 0, leased: 0, donePages: 0, leasedPages: 0, bytes: 0, troubles: 0 };
    const pair: PairRow = {
      id: last.pair,
      crawl,
      host,
      site,
      ...sums,
      dead: null,
      ready: 0,
      turn: 0,
      stored: undefined,
    };
    host.pairs.push(pair);
    pairIds.set(pair.id, pair);
    touched.add(host);
    return pair;
  }

  function writeHost(host: HostRow): void {
    const { id, key, siteId, notBefore, lastEnd, why } = host;
    if (host.isNew) insertHost.run(id, key, siteId, notBefore, lastEnd, why);
    else if (host.dirty) updateHost.run(notBefore, lastEnd, why, id);
    host.isNew = false;
    host.dirty = false;
    for (const pair of host.pairs) {
      pairs.write(pair, holds.get(id), lastEntry());
      behind.delete(pair);
    }
  }

  function flush(): boolean {
    // A site whose pages came back frees hosts of it that are not touched yet.
    for (const hostId of sites.reopened()) touched.add(byId(hostId));
    const now = touched;
    touched = new Set();
    for (const host of now) writeHost(host);
    const wroteSites = sites.flush();
    return holds.flush() || wroteSites || now.size > 0;
  }

  function pairById(id: number): PairRow {
    if (!pairIds.has(id)) byId((selectPairHost.get(id) as { host: number }).host);
    return pairIds.get(id) as PairRow;
  }

  reload();
  return {
    byKey,
    byId,
    ensure,
    pairOf,
    ensurePair,
    holds,
    sites,
    flush,
    forget,
    reload,
    pairById,
    fallBehind: (pair) => void behind.add(pair),
    catchUp(id) {
      // A pair that is not in memory and lacks nothing has taken in all there is.
      const pair = pairIds.get(id) ?? (lack().has(id) ? pairById(id) : undefined);
      if (pair && behind.has(pair)) touched.add(pair.host);
    },
    hold: (host) => holds.get(host.id),
    touch: (host) => void touched.add(host),
    trim() {
      // All at once, because hosts of one site share its row.
      if (ids.size > keptHosts) forget();
    },
  };
}
