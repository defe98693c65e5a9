import type { Clock } from '@webfarer/protocol';
import type { ApiParts } from './api/call/api-parts.ts';
import type { CrawlDirectory } from './api/call/crawl-directory.ts';
import type { CoordinatorParts } from './coordinator-parts.ts';
import { createCrawlComparisons } from './crawl-comparisons.ts';
import { createCrawlForgetting } from './crawl-forgetting.ts';
import { createCrawlHistory } from './crawl-history.ts';
import { createCrawlUrls } from './crawl-urls.ts';
import type { FrontierOfOptions } from './frontier-of.ts';

export interface CrawlReadersOptions {
  opened: CoordinatorParts;
  crawls: CrawlDirectory;
  clock: Clock;
  /** Of the software. */
  version: string;
}

/** What the API reads and changes of crawls beside those who work on them. */
export function createCrawlReaders({
  opened,
  crawls,
  clock,
  version,
}: CrawlReadersOptions): Pick<ApiParts, 'urls' | 'history' | 'comparisons' | 'forgetting'> {
  const { joined, rules, host } = opened;
  const kept: FrontierOfOptions = {
    clock,
    frontier: joined?.frontier,
    running: (entry) => crawls.running(entry),
    folderOf: (name) => opened.folderOf(name),
  };
  return {
    urls: createCrawlUrls({ ...kept, version, rules }),
    history: createCrawlHistory(kept),
    comparisons: createCrawlComparisons(kept),
    forgetting: createCrawlForgetting({
      clock,
      frontier: joined?.frontier,
      catalog: () => opened.catalog(),
      host,
      isRunning: (entry) => crawls.running(entry) !== undefined,
      folderOf: (name) => opened.folderOf(name),
      closeAtWorkers({ nonce }) {
        opened.router.forget(nonce);
        opened.pool.announce();
      },
    }),
  };
}
