import type { CrawlDirectory } from './crawl-directory.ts';

/** What handlers work with. A family that needs more adds it here, and `server.ts` hands it in. */
export interface ApiParts {
  /** Of the software. */
  version: string;
  crawls: CrawlDirectory;
}
