import type { CrawlId, Url } from '../base/brands.ts';

/** How a crawl fares with one account of a site. It holds nothing that opens the account. */
export interface LoginUse {
  crawl: CrawlId;
  /** The domain that the account is for. */
  site: string;
  as: string;
  /** Pages are read with it; else its hosts wait until it is logged in again. */
  isIn: boolean;
  /** Since when it is in, or out. */
  sinceMs: number;
  /** When a page was last asked for with it; absent: not yet. */
  usedAtMs?: number;
  /** Pages that were answered as to the account. */
  pages: number;
  /** Why it is out; absent while it is in. */
  out?: LoginLoss;
}

export interface LoginLoss {
  why: string;
  /** The site asked for proof of being human. */
  isChallenge: boolean;
  /** The page whose answer showed it; absent: nothing was asked for yet. */
  url?: Url;
}
