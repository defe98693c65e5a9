import type { CrawlId, Offer } from '@webfarer/protocol';
import type { Frontier } from './frontier.ts';

/** Seeds of one call: a list of 100,000 must not hold up whatever else the store is asked for. */
const seedsAtOnce = 5_000;

/** Offers all seeds of a crawl, from the first one: a process that was cut off may have offered some of them. */
export async function seedAll(
  frontier: Pick<Frontier, 'seed'>,
  crawl: CrawlId,
  offers: readonly Offer[],
): Promise<void> {
  let from = 0;
  do {
    const part = offers.slice(from, from + seedsAtOnce);
    from += seedsAtOnce;
    await frontier.seed(crawl, part, { last: from >= offers.length });
  } while (from < offers.length);
}
