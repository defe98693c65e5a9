import type { CrawlId } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { Crawl } from '../crawl/crawl.ts';
import { createCrawlHomes, type CrawlHomesOptions } from './crawl-homes.ts';

const balance = { known: 9, queued: 0, leased: 0, done: 2, failed: 7, refused: 0 };
const retried = { ...balance, queued: 7, failed: 0 };

/** A crawl of which this coordinator has the last snapshot, in a store that knows more. */
async function statusIn(state: string): Promise<Record<string, unknown>> {
  const crawl = { state, snapshot: () => Promise.resolve({ state, balance, elapsedMs: 5_000 }) };
  const homes = createCrawlHomes({
    frontier: {
      overview: () => Promise.resolve({ balance: retried, totals: { state: 'stopped', bytes: 8 } }),
    },
    find: () => Promise.resolve({ id: 'a' as CrawlId, name: 'a', nonce: 'n', folder: '' }),
    running: () => crawl as unknown as Crawl,
  } as unknown as CrawlHomesOptions);
  const home = await homes.open('a');
  return await home.status();
}

it('counts what was retried since a crawl was over, and keeps the rest of its last figures', async () => {
  expect(await statusIn('finished')).toEqual({
    crawl: 'a',
    name: 'a',
    state: 'stopped',
    balance: retried,
    bytes: 8,
    elapsedMs: 5_000,
  });
  expect(await statusIn('running')).toEqual({ state: 'running', balance, elapsedMs: 5_000 });
});
