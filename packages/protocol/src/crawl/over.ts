import type { CrawlState } from './record.ts';

/** A stopped crawl resumes when its coordinator is back. */
export function isOver({ state }: { state: CrawlState }): boolean {
  return state === 'finished' || state === 'limited';
}

/** There is at least one crawl, and every one is over. */
export function allOver(crawls: readonly { state: CrawlState }[]): boolean {
  return crawls.length > 0 && crawls.every(isOver);
}
