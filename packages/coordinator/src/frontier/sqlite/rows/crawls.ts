import { createHmac, randomUUID } from 'node:crypto';
import {
  type Balance,
  type CrawlId,
  type CrawlState,
  type DroppedReason,
  type OutcomeReason,
  WebfarerError,
} from '@webfarer/protocol';
import { type Fingerprinter, fingerprinter } from '@webfarer/protocol/url';
import type { FrontierCrawl } from '../../frontier.ts';
import type { Barred } from '../../barred.ts';
import { barredRows } from './barred.ts';
import type { Database } from '../../../sqlite/node-sqlite.ts';

/** All sums of a crawl. Kept with every transition, never counted. */
export interface CrawlCounters extends Balance {
  donePages: number;
  leasedPages: number;
  bytes: number;
  items: number;
  edges: number;
  hosts: number;
  hostsQueued: number;
  byReason: Partial<Record<OutcomeReason, number>>;
  byStatus: Record<string, number>;
  dropped: Partial<Record<DroppedReason, number>>;
}

export interface CrawlRow {
  id: number;
  key: CrawlId;
  /** Of this crawl in this file: a crawl is never erased from its file, so it need not be stored. */
  nonce: string;
  settings: FrontierCrawl;
  state: CrawlState;
  /** The ceiling at which it ended; undefined where it did not, or was called limited for another reason. */
  limitedBy: 'pages' | 'bytes' | undefined;
  /** The last wish, and the last version of its settings, that this process was told of. */
  last: Record<'wish' | 'edit', number>;
  /** All its seeds were offered. */
  seeded: boolean;
  /** How long it has run, where its job bounds that. */
  ranMs: number;
  counters: CrawlCounters;
  /** 64 bits of a URL under a key of this crawl alone, so crawls share one seen set without meeting. */
  print: Fingerprinter;
  /** Hosts that were forgotten; undefined: none. */
  barred: Barred | undefined;
  dirty: boolean;
}

/** Whether this comes after what is newer; otherwise it is the newest from now on. */
export function isLate(
  crawl: Pick<CrawlRow, 'last'>,
  what: 'wish' | 'edit',
  number: number | undefined,
): boolean {
  if (number === undefined) return false;
  if (number < crawl.last[what]) return true;
  crawl.last = { ...crawl.last, [what]: number };
  return false;
}

export interface CrawlRows {
  find(key: CrawlId): CrawlRow | undefined;
  byId(id: number): CrawlRow;
  /** The crawl, or an error a person can read. */
  get(key: CrawlId): CrawlRow;
  /** The same, to be changed. */
  change(key: CrawlId): CrawlRow;
  running(): CrawlRow[];
  all(): Iterable<CrawlRow>;
  open(settings: FrontierCrawl): CrawlRow;
  /** Writes which hosts it has forgotten. */
  bar(crawl: CrawlRow, barred: Barred): void;
  flush(): boolean;
  reload(): void;
}

export function freshCounters(): CrawlCounters {
  return {
    known: 0,
    queued: 0,
    leased: 0,
    done: 0,
    failed: 0,
    refused: 0,
    donePages: 0,
    leasedPages: 0,
    bytes: 0,
    items: 0,
    edges: 0,
    hosts: 0,
    hostsQueued: 0,
    byReason: {},
    byStatus: {},
    dropped: {},
  };
}

interface StoredCrawl {
  id: number;
  name: CrawlId;
  settings: string;
  state: CrawlState;
  /** Above 0 until the crawl is seeded. */
  seeding: number;
  counters: string;
}

/**
 * With what was told last, so that it is undone with the step that it belongs to. It means nothing to another process: what
 * was on its way ended with this one, and a catalog that is made anew counts from the start.
 */
type StoredSettings = FrontierCrawl & {
  last?: CrawlRow['last'] & { process: string };
  ranMs?: number;
} & Partial<Pick<CrawlRow, 'limitedBy'>>;
const nothingYet: CrawlRow['last'] = { wish: 0, edit: 0 };

/** There are few crawls on a store: all of them stay in memory. */
export function crawlRows(db: Database, secret: Uint8Array): CrawlRows {
  const select = db.prepare('SELECT id, name, settings, state, seeding, counters FROM crawls');
  const upsert = db.prepare(
    `INSERT INTO crawls (id, name, settings, state, seeding, counters) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET settings = excluded.settings, state = excluded.state,
     seeding = excluded.seeding, counters = excluded.counters`,
  );
  const barred = barredRows(db);
  const process = randomUUID();
  const keys = new Map<CrawlId, CrawlRow>();
  const ids = new Map<number, CrawlRow>();

  function add(row: Omit<CrawlRow, 'print' | 'nonce' | 'barred'>): CrawlRow {
    const key = createHmac('sha256', secret).update(row.key).digest();
    const nonce = createHmac('sha256', secret).update(`\0nonce of ${row.key}`).digest('base64url');
    const crawl: CrawlRow = { ...row, nonce, print: fingerprinter(key), barred: barred.get(row.id) };
    keys.set(crawl.key, crawl);
    ids.set(crawl.id, crawl);
    return crawl;
  }

  function reload(): void {
    keys.clear();
    ids.clear();
    for (const row of select.all() as unknown as StoredCrawl[]) {
      const { last, ranMs = 0, limitedBy: ceiling, ...settings } = JSON.parse(row.settings) as StoredSettings;
      add({
        id: row.id,
        key: row.name,
        settings,
        last: last?.process === process ? last : nothingYet,
        state: row.state,
        limitedBy: ceiling,
        seeded: row.seeding === 0,
        ranMs,
        counters: JSON.parse(row.counters) as CrawlCounters,
        dirty: false,
      });
    }
  }

  function get(key: CrawlId): CrawlRow {
    const crawl = keys.get(key);
    if (!crawl) throw new WebfarerError('not-found', `no crawl ${key} in this store`);
    return crawl;
  }

  reload();
  return {
    reload,
    find: (key) => keys.get(key),
    byId: (id) => ids.get(id) as CrawlRow,
    get,
    change: (key) => Object.assign(get(key), { dirty: true }),
    running: () => [...keys.values()].filter((crawl) => crawl.state === 'running'),
    all: () => keys.values(),
    open(settings) {
      const known = keys.get(settings.id);
      if (known) return Object.assign(known, { settings, dirty: true });
      return add({
        id: 1 + Math.max(0, ...ids.keys()),
        key: settings.id,
        settings,
        last: nothingYet,
        state: 'running',
        limitedBy: undefined,
        seeded: false,
        ranMs: 0,
        counters: freshCounters(),
        dirty: true,
      });
    },
    bar(crawl, next) {
      barred.put(crawl.id, next);
      crawl.barred = next;
    },
    flush() {
      let wrote = false;
      for (const crawl of keys.values()) {
        if (!crawl.dirty) continue;
        const { id, key, settings, last, ranMs, state, limitedBy: ceiling, seeded, counters } = crawl;
        const kept: StoredSettings = {
          ...settings,
          ...(last === nothingYet ? {} : { last: { ...last, process } }),
          ...(ranMs > 0 ? { ranMs } : {}),
          ...(ceiling === undefined ? {} : { limitedBy: ceiling }),
        };
        upsert.run(id, key, JSON.stringify(kept), state, seeded ? 0 : 1, JSON.stringify(counters));
        crawl.dirty = false;
        wrote = true;
      }
      return wrote;
    },
  };
}

/** Why a crawl may be granted nothing more. Leased pages count as if done, so the ceiling is never passed. */
export function limitedBy(crawl: CrawlRow): 'pages' | 'bytes' | undefined {
  const { limits } = crawl.settings;
  const { donePages, leasedPages, bytes } = crawl.counters;
  if (limits.pages !== undefined && donePages + leasedPages >= limits.pages) return 'pages';
  if (limits.bytes !== undefined && bytes >= limits.bytes) return 'bytes';
  return undefined;
}

/** Adds to a sum by name; sums of zero are not kept, so equal states are equal objects. */
export function bump<K extends string>(sums: Partial<Record<K, number>>, name: K, by: number): void {
  const sum = (sums[name] ?? 0) + by;
  if (sum === 0) delete sums[name];
  else sums[name] = sum;
}
