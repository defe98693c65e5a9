export { WebfarerError } from '@webfarer/protocol';
export type {
  Balance,
  CrawlEvent,
  CrawlSnapshot,
  JobInput,
  PageRecord,
  Reason,
  Url,
} from '@webfarer/protocol';
export {
  type BrowserHandler,
  type BrowserPage,
  type BrowserRoutes,
  type BrowserVisit,
  drop,
  type DroppedItem,
  type FollowOptions,
  type Heading,
  type ItemHook,
  type JsonLdNode,
  type Links,
  type MainText,
  type MicrodataItem,
  type MicrodataValue,
  type OpenGraph,
  type OpenGraphMedia,
  type Page,
  type PageFacts,
  type PageLink,
  type PageTable,
  type ResponseHook,
  router,
  type Routes,
  type Scraper,
  type Tools,
} from '@webfarer/worker';
export type { CrawlRun, Explanation, ItemChange, Progress, Summary } from './crawl/crawl-run.ts';
export type { Handlers } from './handlers/handlers.ts';
export { type PageOrigin, pageFrom } from './handlers/page-from.ts';
export { type ReplayOptions, type ReplaySummary, replay } from './handlers/replay.ts';
export { type FollowedUrl, type Handled, runHandler } from './handlers/run-handler.ts';
export { type CrawlOptions, crawl } from './library.ts';
export type { Credentials } from './secrets/program-credentials.ts';
export { type SearchAnswer, searchCrawl, type SearchOptions } from './search/search-crawl.ts';
export type { SearchHit } from './search/search-index.ts';
