import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobInput } from '@webfarer/protocol';
import { type ChangingShop, startChangingShop } from './changing-shop.ts';
import { startCrawler, writeJob } from './lab.ts';

/**
 * A shop is crawled, its stock changes, and it is crawled again by a crawler that is killed on the way and started anew.
 * The recrawl must have every product that is for sale, once and with its price, and mark each as the shop itself would.
 */
export async function recrawlShop(folder: string, { products, kills }: { products: number; kills: number }) {
  const shop = await startChangingShop(products);
  try {
    const file = join(folder, 'shop.json');
    await writeJob(file, jobOf(shop));
    const crawl = (...args: string[]) => startCrawler(file, join(folder, 'shop.crawl'), { args });
    await endedWell(crawl());
    shop.turn();
    let killed = 0;
    for (let n = 0; n < kills; n++) {
      const held = shop.holdAfter(Math.floor(products / 4 / kills));
      const crawler = crawl('--recrawl');
      await Promise.race([held, endedWell(crawler)]);
      if (crawler.child.kill('SIGKILL')) killed++;
      await crawler.ended;
      shop.release();
    }
    await endedWell(crawl('--recrawl'));
    const again = join(folder, 'shop.2.crawl');
    const items = linesOf<Item>(join(again, 'items.jsonl')).map(({ sku, price }) => `${sku} ${price}`);
    const marks = linesOf<{ change: string; item: Item }>(join(again, 'item-changes.jsonl'));
    const marked = marks.map(({ change, item }) => `${change} ${item.sku}`);
    return {
      items: items.length,
      itemsNotModified: shop.asked.notModified,
      itemsKilled: killed,
      wrongItems: difference(items, shop.stock()),
      wrongMarks: difference(marked, shop.truth()),
    };
  } finally {
    await shop.stop();
  }
}

interface Item {
  sku: string;
  price: number;
}

function jobOf({ origin }: ChangingShop): JobInput {
  return {
    name: 'shop',
    seeds: [`${origin}/`],
    extract: [
      {
        each: '[data-sku]',
        fields: {
          sku: { css: '@data-sku', required: true },
          price: { css: '@data-price', type: 'integer', required: true },
          // The page is no part of what a product is: some move to another.
          url: { css: '@data-none', default: '' },
        },
      },
    ],
    itemKey: 'sku',
    limits: { minFree: '50MB' },
    politeness: { gap: '3ms', slowFactor: 0 },
    fetch: { allowPrivate: [origin], retries: { backoff: '50ms', poisonAfter: 35 } },
  };
}

async function endedWell({ ended, output }: ReturnType<typeof startCrawler>): Promise<void> {
  const code = await ended;
  if (code !== 0) throw new Error(`the crawler ended with ${code}: ${output()}`);
}

function linesOf<T>(file: string): T[] {
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as T);
}

/** Lines that are in one list and not in the other, each as often as it is. */
function difference(found: readonly string[], expected: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const line of found) counts.set(line, (counts.get(line) ?? 0) + 1);
  for (const line of expected) counts.set(line, (counts.get(line) ?? 0) - 1);
  return [...counts.values()].reduce((sum, count) => sum + Math.abs(count), 0);
}
