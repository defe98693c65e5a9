import type { CrawlState } from './record.ts';

/** One that was stopped goes on when its coordinator is back. */
export function isOver({ state }: { state: CrawlState }): boolean {
  return state === 'finished' || state === 'limited';
}

/** There are some, and none of them goes on. */
export function allOver(crawls: readonly { state: CrawlState }[]): boolean {
  return crawls.length > 0 && crawls.every(isOver);
}
