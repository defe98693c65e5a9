import type { Url } from '@webfarer/protocol';
import { type ChangesOptions, openBoth, whatBecame } from './changes.ts';
import { createItemMatcher } from './item-matcher.ts';

/**
 * An item of a crawl or of the one before it, and how the two compare. `unclear`: trouble, an unfinished crawl or results
 * out of reach hide it.
 */
export interface ItemChange<Item = unknown> {
  change: 'new' | 'changed' | 'same' | 'gone' | 'unclear';
  /** The page that yielded it: now, or for what is gone the last time. */
  page: Url;
  /** For what is gone as it was. */
  item: Item;
  /** What a changed one was before. */
  before?: Item;
  /** In words, for what is not there. */
  why?: string;
}

export interface ItemChangesOptions extends ChangesOptions {
  /** Fields that together say which item is which. */
  key: readonly string[];
}

/**
 * All items of a crawl in their order, each compared with those of an earlier one, then what the earlier one had and this one
 * has not.
 */
export async function* itemChangesIn(options: ItemChangesOptions): AsyncIterable<ItemChange> {
  const both = await openBoth(options);
  const { now, before } = both;
  const matcher = createItemMatcher(options.key);
  try {
    const totals = await Promise.all([now, before].map(({ frontier, crawl }) => frontier.totals(crawl)));
    if (totals.every(({ items }) => items === 0)) return;
    const [then, later] = [await both.finder(before), await both.finder(now)];
    await matcher.addBefore(before.results.items(before.crawl));
    await matcher.addNow(now.results.items(now.crawl));
    matcher.match();
    for (const { url, item, ...match } of matcher.there()) {
      if (match.change === 'new' && then.absent > 0)
        yield { change: 'unclear', page: url, item, why: 'results of the crawl before are out of reach' };
      else
        yield { change: match.change, page: url, item, ...('before' in match && { before: match.before }) };
    }
    for (const { url, item } of matcher.left()) {
      const missing = whatBecame(await later.look(url), later.isWhole);
      const { change, why } = missing ?? { change: 'gone', why: 'its page no longer has it' };
      yield { change, page: url, item, ...(why === undefined ? {} : { why }) };
    }
  } finally {
    matcher.close();
    await both.close();
  }
}
