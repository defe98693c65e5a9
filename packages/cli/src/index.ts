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
export type {
  FollowOptions,
  JsonLdNode,
  Links,
  MicrodataItem,
  MicrodataValue,
  OpenGraph,
  OpenGraphMedia,
  Page,
  PageFacts,
  PageLink,
  Scraper,
  Tools,
} from '@webfarer/worker';
export type { CrawlRun, Explanation, Progress, Summary } from './crawl/crawl-run.ts';
export { type CrawlOptions, crawl } from './library.ts';
