import type { CrawlSnapshot } from '@webfarer/protocol';

/** A crawl that nobody works on has its counts alone. */
export type CrawlStatus = Partial<CrawlSnapshot>;
