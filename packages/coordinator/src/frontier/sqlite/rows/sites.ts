import type { SiteKey } from '@webfarer/protocol';
import type { CrawlRow } from './crawls.ts';
import type { Database } from '../../../sqlite/node-sqlite.ts';

/** Pages and bytes of one registered domain in one crawl. */
export interface SiteRow {
  siteId: number;
  crawl: CrawlRow;
  donePages: number;
  leasedPages: number;
  bytes: number;
  /** Its budget is spent and hosts of it may still have a queue: the sweep must look. */
  doomed: boolean;
  /** As of the last flush: pages in flight took up what was left. */
  wasFull: boolean;
  wasSpent: boolean;
}

export interface SiteRows {
  ensure(key: SiteKey): number;
  sums(siteId: number, crawl: CrawlRow): SiteRow;
  touch(site: SiteRow): void;
  /** Hosts that were shut out because their site was full, of touched sites that have room again. */
  reopened(): number[];
  /** Hosts that have a queue in sites whose budget is spent. At most `limit`. */
  doomedHosts(crawl: CrawlRow, limit: number): number[];
  flush(): boolean;
  reload(): void;
}

/** Hosts of a doomed site or of one with room again that are looked at in one go: bounded work (F16). */
const hostsAtOnce = 500;

export function siteRows(db: Database): SiteRows {
  const selectId = db.prepare('SELECT id FROM sites WHERE name = ?');
  const insertSite = db.prepare('INSERT INTO sites (name) VALUES (?)');
  const select = db.prepare(
    `SELECT done_pages AS donePages, leased_pages AS leasedPages, bytes, doomed
     FROM site_sums WHERE site = ? AND crawl = ?`,
  );
  const upsert = db.prepare('INSERT OR REPLACE INTO site_sums VALUES (?, ?, ?, ?, ?, ?)');
  const shutOut = db.prepare(
    'SELECT host FROM pairs WHERE site = ? AND crawl = ? AND busy AND due IS NULL LIMIT ?',
  );
  const alive = db.prepare(
    'SELECT host FROM pairs WHERE site = ? AND crawl = ? AND busy AND NOT doomed LIMIT ?',
  );
  const doomedSites = db.prepare('SELECT site FROM site_sums WHERE crawl = ? AND doomed LIMIT 20');
  const kept = new Map<string, SiteRow>();
  let touched = new Set<SiteRow>();

  function sums(siteId: number, crawl: CrawlRow): SiteRow {
    const key = `${siteId} ${crawl.id}`;
    const found = kept.get(key);
    if (found) return found;
    const stored = select.get(siteId, crawl.id) as Record<string, number> | undefined;
    const { donePages = 0, leasedPages = 0, bytes = 0, doomed = 0 } = stored ?? {};
    const site = { siteId, crawl, donePages, leasedPages, bytes, doomed: doomed === 1 };
    const row = Object.assign(site, { wasFull: false, wasSpent: false });
    remember(row);
    kept.set(key, row);
    return row;
  }

  function hostsOf(statement: typeof shutOut, siteId: number, crawl: CrawlRow): number[] {
    const rows = statement.all(siteId, crawl.id, hostsAtOnce) as { host: number }[];
    return rows.map((row) => row.host);
  }

  return {
    sums,
    ensure(key) {
      const row = selectId.get(key) as { id: number } | undefined;
      return row?.id ?? Number(insertSite.run(key).lastInsertRowid);
    },
    touch: (site) => void touched.add(site),
    reopened() {
      const found: number[] = [];
      for (const site of touched) {
        if (site.wasFull && !isFull(site)) found.push(...hostsOf(shutOut, site.siteId, site.crawl));
      }
      return found;
    },
    doomedHosts(crawl, limit) {
      const found: number[] = [];
      for (const { site: siteId } of doomedSites.all(crawl.id) as { site: number }[]) {
        if (found.length >= limit) break;
        const site = sums(siteId, crawl);
        // Not spent: its budget was raised meanwhile.
        const hosts = isSpent(site) ? hostsOf(alive, siteId, crawl) : [];
        found.push(...hosts);
        if (hosts.length > 0) continue;
        site.doomed = false;
        touched.add(site);
      }
      return found.slice(0, limit);
    },
    flush() {
      const now = touched;
      touched = new Set();
      for (const site of now) {
        const { siteId, crawl, donePages, leasedPages, bytes } = site;
        if (isSpent(site) && !site.wasSpent) site.doomed = true;
        remember(site);
        upsert.run(siteId, crawl.id, donePages, leasedPages, bytes, site.doomed ? 1 : 0);
      }
      return now.size > 0;
    },
    reload() {
      kept.clear();
      touched.clear();
    },
  };
}

function remember(site: SiteRow): void {
  site.wasFull = isFull(site);
  site.wasSpent = isSpent(site);
}

/** Pages in flight count as if done: nothing more may be leased from this site. */
export function isFull(site: SiteRow): boolean {
  const { sitePages } = site.crawl.settings.limits;
  return isSpent(site) || (sitePages !== undefined && site.donePages + site.leasedPages >= sitePages);
}

export function isSpent(site: SiteRow): boolean {
  const { sitePages, siteBytes } = site.crawl.settings.limits;
  if (sitePages !== undefined && site.donePages >= sitePages) return true;
  return siteBytes !== undefined && site.bytes >= siteBytes;
}
