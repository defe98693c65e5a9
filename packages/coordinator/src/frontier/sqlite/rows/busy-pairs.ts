import type { Database } from '../../../sqlite/node-sqlite.ts';

/** Hosts that are read at once. */
export const pairsAtOnce = 200;

export interface BusyPairs {
  /** The number of a site; 0: it is not known. */
  siteId(site: string): number;
  /** A cursor may name any. */
  isPair(id: number, crawl: number): boolean;
  /** Hosts with something queued behind a place, by site and number. */
  busyPairs(
    crawl: number,
    from: { site: number; pair: number; isOnly: boolean },
  ): { id: number; site: number }[];
}

export function busyPairRows(db: Database): BusyPairs {
  const siteId = db.prepare('SELECT id FROM sites WHERE name = ?');
  const busy = db.prepare(
    `SELECT id, site FROM pairs WHERE crawl = ? AND busy AND (site, id) > (?, ?) ORDER BY site, id LIMIT ?`,
  );
  const busyOf = db.prepare(
    'SELECT id, site FROM pairs WHERE crawl = ? AND busy AND site = ? AND id > ? ORDER BY id LIMIT ?',
  );
  const isPair = db.prepare('SELECT 1 FROM pairs WHERE id = ? AND crawl = ?');
  return {
    isPair: (id, crawl) => isPair.get(id, crawl) !== undefined,
    siteId: (site) => (siteId.get(site) as { id: number } | undefined)?.id ?? 0,
    busyPairs: (crawl, { site, pair, isOnly }) =>
      (isOnly ? busyOf : busy).all(crawl, site, pair, pairsAtOnce) as { id: number; site: number }[],
  };
}
