import type { CrawlState } from '@webfarer/protocol';
import type { CrawlHome } from './crawl-home.ts';
import { memoryCrawl, type MemoryResults } from './memory-results.fixture.ts';

/** A crawl in memory whose state the test sets. */
export function memoryHome(results: MemoryResults): CrawlHome & { is: CrawlState } {
  return {
    is: 'running',
    id: memoryCrawl,
    nonce: memoryCrawl,
    results,
    state() {
      return Promise.resolve(this.is);
    },
    status: () => Promise.resolve({}),
    hosts: () => Promise.resolve([]),
    check: () => Promise.resolve(),
    close: () => Promise.resolve(),
  };
}
