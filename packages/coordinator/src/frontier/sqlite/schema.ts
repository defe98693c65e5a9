import { WebfarerError } from '@webfarer/protocol';
import { type Database, sqlite } from '../../sqlite/node-sqlite.ts';

/** Raised with every change of the tables below; a file of another version is refused, never guessed at. */
export const schemaVersion = 3;

/**
 * One row per known URL for ever (`entries`), one per outcome (`records`), small rows for hosts. What is
 * queued is `queue`; what is leased is listed in `holds`; nothing is ever counted by scanning.
 */
const tables = `
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

-- counters: JSON of all sums of the crawl; settings: JSON of FrontierCrawl
CREATE TABLE crawls (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, settings TEXT NOT NULL, state TEXT NOT NULL,
  seeding INTEGER NOT NULL, counters TEXT NOT NULL
);

CREATE TABLE sites (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);

-- not_before and last_end: store time in ms. Shared by all crawls.
CREATE TABLE hosts (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, site INTEGER NOT NULL,
  not_before REAL NOT NULL, last_end REAL NOT NULL, why TEXT NOT NULL
);

-- One host in one crawl. due: when it may next be granted, NULL when it has nothing to grant.
-- doomed: its queue waits to be settled by the sweep. blocked: its site has no pages left to lease.
-- upto: known and queued include entries up to this id; later ones are counted from the log's end.
CREATE TABLE pairs (
  id INTEGER PRIMARY KEY, crawl INTEGER NOT NULL, host INTEGER NOT NULL, site INTEGER NOT NULL,
  known INTEGER NOT NULL, queued INTEGER NOT NULL, leased INTEGER NOT NULL,
  done_pages INTEGER NOT NULL, leased_pages INTEGER NOT NULL, bytes INTEGER NOT NULL,
  troubles INTEGER NOT NULL, dead TEXT, ready REAL NOT NULL, turn INTEGER NOT NULL,
  upto INTEGER NOT NULL, due REAL, doomed INTEGER NOT NULL, blocked INTEGER NOT NULL, busy INTEGER NOT NULL
);
CREATE UNIQUE INDEX pairs_host ON pairs (host, crawl);
CREATE INDEX pairs_due ON pairs (crawl, due) WHERE due IS NOT NULL;
CREATE INDEX pairs_doomed ON pairs (crawl) WHERE doomed;
CREATE INDEX pairs_site ON pairs (site, crawl) WHERE busy;

-- Pages and bytes of one site in one crawl. doomed: spent, its hosts wait for the sweep.
CREATE TABLE site_sums (
  site INTEGER NOT NULL, crawl INTEGER NOT NULL, done_pages INTEGER NOT NULL, leased_pages INTEGER NOT NULL,
  bytes INTEGER NOT NULL, doomed INTEGER NOT NULL, PRIMARY KEY (site, crawl)
) WITHOUT ROWID;
CREATE INDEX site_sums_doomed ON site_sums (crawl) WHERE doomed;

-- rest: the URL behind its host; parent: the entry it was found on; ord: its place in the queue, by band and number;
-- deaths: leases that ended without a word while it was in hand; record: its outcome, NULL while queued or
-- leased. Immutable but for attempt, deaths, ord and record,
-- and for what an upgrade changes.
CREATE TABLE entries (
  id INTEGER PRIMARY KEY, pair INTEGER NOT NULL, rest TEXT NOT NULL, bits INTEGER NOT NULL,
  parent INTEGER, cost REAL, label TEXT, attempt INTEGER, deaths INTEGER, ord INTEGER,
  record INTEGER
);

-- The latest entries are queued without being listed here yet: see queue-rows.ts.
CREATE TABLE queue (
  pair INTEGER NOT NULL, class INTEGER NOT NULL, ord INTEGER NOT NULL, entry INTEGER NOT NULL,
  PRIMARY KEY (pair, class, ord)
) WITHOUT ROWID;

-- Hosts that somebody may be talking to. over: 1: the lease ran out, only the hold is left; 2: it is live, and its entry,
-- charged with a death before, is being fetched.
CREATE TABLE holds (
  host INTEGER PRIMARY KEY, crawl INTEGER NOT NULL, fence INTEGER NOT NULL, worker TEXT NOT NULL,
  granted REAL NOT NULL, deadline REAL NOT NULL, held_until REAL NOT NULL, over INTEGER NOT NULL,
  entries TEXT NOT NULL
);

CREATE TABLE records (
  id INTEGER PRIMARY KEY, crawl INTEGER NOT NULL, entry INTEGER NOT NULL, verdict TEXT NOT NULL,
  reason TEXT NOT NULL, status INTEGER, bytes INTEGER NOT NULL, attempts INTEGER NOT NULL,
  started REAL NOT NULL, duration REAL NOT NULL, more TEXT NOT NULL
);
CREATE TABLE items (record INTEGER NOT NULL, n INTEGER NOT NULL, data TEXT NOT NULL, PRIMARY KEY (record, n))
  WITHOUT ROWID;
-- Links of many pages in one block; last: the last record among them; size: of data before compression.
CREATE TABLE edge_blocks (last INTEGER PRIMARY KEY, pages TEXT NOT NULL, size INTEGER NOT NULL, data BLOB NOT NULL);
CREATE TABLE robots (origin TEXT PRIMARY KEY, copy TEXT NOT NULL) WITHOUT ROWID;

-- Which URLs are known: sorted runs of (fingerprint, entry) in chunks of one page, and behind them the
-- fingerprints of the latest commits. fences: the first fingerprint of each chunk; filter: a Bloom filter.
CREATE TABLE seen_runs (
  id INTEGER PRIMARY KEY, level INTEGER NOT NULL, count INTEGER NOT NULL, fences BLOB NOT NULL,
  filter BLOB NOT NULL
);
CREATE TABLE seen_chunks (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
CREATE TABLE seen_tail (id INTEGER PRIMARY KEY, data BLOB NOT NULL);
`;

/** Bytes of SQLite's own page cache; the operating system caches the rest. */
const cacheKiB = 32 * 1024;
/** The log is folded into the file every 32 MiB: pages that change often are then written once, not often. */
const checkpointPages = 8192;

export function openDatabase(path: string, readOnly: boolean): Database {
  const db = new (sqlite().DatabaseSync)(path, { readOnly, timeout: 10_000 });
  try {
    db.exec(`PRAGMA cache_size = -${cacheKiB}`);
    if (readOnly) checkVersion(db, path);
    else prepareForWriting(db, path);
  } catch (error) {
    db.close();
    throw error;
  }
  return db;
}

function prepareForWriting(db: Database, path: string): void {
  // FULL: a commit in the write-ahead log has reached the disk before it returns; on macOS only with fullfsync.
  db.exec(
    `PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA fullfsync = ON; PRAGMA wal_autocheckpoint = ${checkpointPages};
     PRAGMA journal_size_limit = ${checkpointPages * 4096 * 2}`,
  );
  if (userVersion(db) !== 0) return checkVersion(db, path);
  db.exec(`BEGIN IMMEDIATE; ${tables}; PRAGMA user_version = ${schemaVersion}; COMMIT`);
}

function userVersion(db: Database): number {
  return (db.prepare('PRAGMA user_version').get() as { user_version: number }).user_version;
}

function checkVersion(db: Database, path: string): void {
  const version = userVersion(db);
  if (version === schemaVersion) return;
  throw new WebfarerError('folder-foreign', `${path} holds a frontier of version ${version}`, {
    next: `This program reads version ${schemaVersion}. Start over in another folder.`,
  });
}
