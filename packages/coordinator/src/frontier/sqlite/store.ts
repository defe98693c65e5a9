import { createHash, randomBytes } from 'node:crypto';
import type { DatedClock } from '@webfarer/protocol';
import type { HostLedger } from '../../ledger/host-ledger.ts';
import { type Claims, ledgerClaims, ledgerOwner, noClaims } from './claims.ts';
import { type BusyPairs, busyPairRows } from './rows/busy-pairs.ts';
import { type CrawlRows, crawlRows } from './rows/crawls.ts';
import { type EntryRows, entryRows } from './rows/entries.ts';
import { type HostRows, hostRows } from './rows/hosts.ts';
import type { Database } from '../../sqlite/node-sqlite.ts';
import { type QueueRows, queueRows, type QueueRowsOptions } from './rows/queue.ts';
import { type RecordRows, recordRows } from './rows/records.ts';
import { type RobotsRows, robotsRows } from './rows/robots.ts';
import { type SeenRows, seenRows, type SeenSizes } from './rows/seen.ts';
import { type StoreClock, storeClock } from './store-clock.ts';

/** Everything a transition works on. Memory is written back by `flush` before each commit. */
export interface Store {
  db: Database;
  clock: StoreClock;
  /** Hosts that other crawls of this machine must leave alone. */
  claims: Claims;
  crawls: CrawlRows;
  hosts: HostRows;
  entries: EntryRows;
  queue: QueueRows;
  seen: SeenRows;
  records: RecordRows;
  robots: RobotsRows;
  /** Tells it from other stores. */
  mark: string;
  /** Which hosts of a crawl have something queued. */
  walks: BusyPairs;
  /** A number larger than any fence given before in this store. */
  nextFence(): number;
  /** Writes what questions within a transaction look at. */
  flush(): void;
  /** Writes the rest as well, before a commit. */
  flushAll(): void;
  reload(): void;
  trim(): void;
}

export interface StoreOptions {
  readOnly?: boolean | undefined;
  sizes?: StoreSizes | undefined;
  /** Absent: no other crawl is to be considered. */
  ledger?: HostLedger | undefined;
  failpoint: (name: string) => void;
}

/** How much is gathered in memory before it is written sorted. Tests make these small. */
export interface StoreSizes {
  seen?: Partial<SeenSizes>;
  /** Entries that are not listed in the queue yet. */
  unlisted?: number;
}

/**
 * Fences begin above the time at which the store was opened, so a file that went back in time never repeats a fence that
 * a worker may still hold. The store never grants more leases per millisecond than this.
 */
const fencesPerMs = 1_024;

export function createStore(
  db: Database,
  clock: DatedClock,
  { readOnly = false, sizes = {}, ledger, failpoint }: StoreOptions,
): Store {
  const meta = metaRows(db);
  const secret = meta.secret();
  const crawls = crawlRows(db, secret);
  const entries = entryRows(db);
  const marks = queueMarks(meta);
  const queue = queueRows(db, { marks, unlisted: sizes.unlisted });
  const seen = seenRows(db, { readOnly, sizes: sizes.seen ?? {} });
  const hosts = hostRows(db, { crawls, lastEntry: entries.lastId, lastListed: () => marks.get().listed });
  const time = storeClock(db, clock);
  const robots = robotsRows(db);
  const records = recordRows(db, entries, { readOnly });
  const claims = ledger ? ledgerClaims(ledger, ledgerOwner(db, secret), failpoint) : noClaims;
  const firstFence = Math.floor(clock.now()) * fencesPerMs;
  const lastFence = () => Math.max(meta.get('fence'), firstFence);
  let fence = lastFence();

  function flush(): void {
    seen.flush();
    for (const pair of queue.fold(entries.lastId())) hosts.catchUp(pair);
    const wroteHosts = hosts.flush();
    if (!crawls.flush() && !wroteHosts) return;
    meta.set('time', time.last());
    meta.set('fence', fence);
    meta.set('ord', entries.lastId());
  }

  return {
    db,
    crawls,
    hosts,
    entries,
    robots,
    clock: time,
    claims,
    queue,
    seen,
    records,
    walks: busyPairRows(db),
    mark: createHash('sha256').update(secret).digest('base64url').slice(0, 8),
    nextFence: () => ++fence,
    flush,
    flushAll() {
      records.edges.flush();
      flush();
    },
    reload() {
      meta.reload();
      crawls.reload();
      hosts.reload();
      entries.reload();
      queue.reload();
      seen.reload();
      robots.reload();
      records.edges.reload();
      records.ids.reload();
      fence = lastFence();
    },
    trim: () => hosts.trim(),
  };
}

type Meta = ReturnType<typeof metaRows>;

function queueMarks(meta: Meta): QueueRowsOptions['marks'] {
  return {
    get: () => ({ listed: meta.get('listed'), listing: meta.get('listing'), pair: meta.get('listing-pair') }),
    set({ listed, listing, pair }) {
      meta.set('listed', listed);
      meta.set('listing', listing);
      meta.set('listing-pair', pair);
    },
  };
}

function metaRows(db: Database) {
  const select = db.prepare('SELECT value FROM meta WHERE key = ?');
  const upsert = db.prepare('INSERT OR REPLACE INTO meta VALUES (?, ?)');
  const written = new Map<string, number>();
  return {
    get: (key: string) => (select.get(key) as { value: number } | undefined)?.value ?? 0,
    set(key: string, value: number) {
      if (written.get(key) !== value) upsert.run(key, value);
      written.set(key, value);
    },
    reload: () => written.clear(),
    /** Keys the fingerprints: without it a site could craft URLs that look like known ones. */
    secret(): Uint8Array {
      const row = select.get('secret') as { value: Uint8Array } | undefined;
      if (row) return row.value;
      const secret = randomBytes(32);
      upsert.run('secret', secret);
      return secret;
    },
  };
}
