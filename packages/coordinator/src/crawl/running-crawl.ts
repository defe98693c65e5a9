import type { Pause } from '@webfarer/protocol';
import type { CatalogEntry } from '../catalog/catalog.ts';
import type { Crawl } from './crawl.ts';
import type { CrawlSums } from './crawl-sums.ts';

/** A crawl as its coordinator sees it. */
export interface RunningCrawl extends Crawl, CrawlSums {
  /** A fault of ours: continuing would only hide it. */
  fail(error: unknown): void;
  /** It was left by a call, and not because of its end or what another process wants of it. */
  readonly left: boolean;
  /** Resolves when it runs, or has paused, as was wanted; or cannot begin, as `ended` says. */
  readonly begun: Promise<void>;
  /** It is about to end, whatever is asked of it. */
  readonly ending: boolean;
  /** Does what its entry in the catalog says: another process, or an operator, has changed it. */
  followEntry(entry: CatalogEntry): Promise<void>;
  /** A quota of its team is used up: no more leases until it is not. */
  hold(pause: Pause | undefined): void;
}
