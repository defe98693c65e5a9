import type { DatedClock } from '@webfarer/protocol';
import type { ApiParts } from './api/call/api-parts.ts';
import type { CrawlDirectory } from './api/call/crawl-directory.ts';
import type { Tallies } from './api/call/crawl-surveys.ts';
import type { CoordinatorParts } from './coordinator-parts.ts';
import { createCrawlComparisons } from './crawl-comparisons.ts';
import { createCrawlForgetting } from './crawl-forgetting.ts';
import { createCrawlHistory } from './crawl-history.ts';
import { createCrawlSurveys } from './crawl-surveys.ts';
import { createCrawlUrls } from './crawl-urls.ts';
import type { FrontierOfOptions } from './frontier-of.ts';

export interface CrawlReadersOptions {
  opened: CoordinatorParts;
  crawls: CrawlDirectory;
  clock: DatedClock;
  /** Of the software. */
  version: string;
  /** Undefined: results are not counted. */
  tallies: Tallies | undefined;
}

export interface CrawlReaders
  extends Pick<ApiParts, 'urls' | 'history' | 'comparisons' | 'surveys' | 'forgetting'> {
  close(): void;
}

/** What the API reads and changes of crawls beside those who work on them. */
export function createCrawlReaders({
  opened,
  crawls,
  clock,
  version,
  tallies,
}: CrawlReadersOptions): CrawlReaders {
  const { joined, rules, host } = opened;
  const kept: FrontierOfOptions = {
    clock,
    frontier: joined?.frontier,
    running: (entry) => crawls.running(entry),
    folderOf: (name) => opened.folderOf(name),
  };
  const comparisons = createCrawlComparisons(kept);
  const surveys = tallies && createCrawlSurveys({ ...kept, tallies });
  return {
    urls: createCrawlUrls({ ...kept, version, rules }),
    history: createCrawlHistory(kept),
    comparisons,
    surveys,
    forgetting: createCrawlForgetting({
      clock,
      frontier: joined?.frontier,
      catalog: () => opened.catalog(),
      host,
      find: (id) => crawls.find(id),
      lately: (entry) => crawls.lately(entry),
      isRunning: (entry) => crawls.running(entry) !== undefined,
      folderOf: (name) => opened.folderOf(name),
      closeAtWorkers({ id, nonce }) {
        opened.router.forget(nonce);
        opened.pool.announce(id);
      },
    }),
    close() {
      comparisons.close();
      surveys?.close();
    },
  };
}
