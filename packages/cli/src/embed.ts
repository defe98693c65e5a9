/** `webfarer/embed`: a coordinator and workers inside a program of your own. */
export {
  type Coordinator,
  type CoordinatorOptions,
  type Crawl,
  type CrawlSummary,
  type CreatedCrawl,
  type CreateOptions,
  openCoordinator,
} from '@webfarer/coordinator';
export { openServer, type Server, type ServerOptions } from '@webfarer/coordinator/server';
export {
  type LinkChoice,
  openWorker,
  type OpenWorker,
  type OpenWorkerOptions,
} from '@webfarer/worker';
