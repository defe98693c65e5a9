/**
 * Collects the products of a shop: pages are crawled politely, each product is checked and stored once.
 * Stop it any time and run it again: it goes on where it was.
 *
 *   node examples/shop.ts https://shop.example/
 */
import { crawl } from 'webfarer';
import { z } from 'zod';

const Product = z.object({ url: z.url(), name: z.string().min(1), price: z.number() });
const site = process.argv[2] ?? 'https://shop.example/';

const run = crawl({
  name: 'shop',
  seeds: [site],
  scope: { stay: 'host', exclude: ['**/cart/**'] },
  limits: { pages: 5_000, duration: '2h' },
  // A shop on your own machine must be named; everything private is out of reach otherwise.
  fetch: { allowPrivate: process.argv.slice(3) },
  items: Product,
  async onPage(page, { follow, push }) {
    if (page.label === 'product') {
      const $ = await page.$();
      push({
        url: page.url,
        name: $('h1').text(),
        price: Number($('[itemprop=price]').attr('content')),
      });
      return;
    }
    follow(page.links.matching('/p/*'), { label: 'product' });
    follow(page.links.matching('/category/**'));
  },
  onSkipped: (url, reason) => console.debug('skipped', url, reason.code, reason.rule ?? ''),
});

for await (const { balance, waitingFor } of run.progress('5s')) console.log(balance.done, waitingFor ?? '');

const { items, balance } = await run;
for await (const product of items) console.log(`${product.name}: ${product.price}`);
console.log(`${balance.done} pages, ${balance.failed} failed`);
