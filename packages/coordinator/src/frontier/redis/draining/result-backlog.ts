import type { CrawlId, Pause } from '@webfarer/protocol';
import type { KeptResults } from './kept-results.ts';

/** Results of a store that does not keep all of them itself: those beyond its backlog are written to files. */
export interface ResultBacklog {
  /** What was written to files, and which of them are not at hand. */
  kept(crawl: CrawlId): Promise<KeptResults>;
  /** Writes results beyond the backlog to files now; the sweep does so by itself. Answers how many. */
  drain(): Promise<number>;
  /** Told why nothing is leased while too many results wait, or that this is over. Answers how to stop listening. */
  onBacklog(listener: (pause: Pause | undefined) => void): () => void;
}
