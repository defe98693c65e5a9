import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crawl, type CrawlOptions } from 'webfarer';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Answer, type SmallSite, startSmallSite } from './small-site.ts';

let folder: string;
let site: SmallSite;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-labels-'));
});
afterEach(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

const products = ['/p/axe', '/p/bow', '/p/cup', '/p/die', '/p/elf', '/p/fan'];
const categories = ['/category/a', '/category/b'];
const page = (path: string) => `<h1>${path}</h1><a href="/">Home</a>`;
const links = (paths: string[]) => paths.map((path) => `<a href="${path}">${path}</a>`).join(' ');

/** Each category lists half of the products; the sitemap, if there is one, lists these paths in this order. */
function shop(sitemap: string[]): Record<string, Answer> {
  const pages: Record<string, Answer> = {
    '/': links(categories),
    '/category/a': links(products.slice(0, 3)),
    '/category/b': links([...products.slice(3), '/p/axe']),
  };
  for (const path of products) pages[path] = page(path);
  if (sitemap.length === 0) return pages;
  pages['/robots.txt'] = {
    status: 200,
    headers: { 'content-type': 'text/plain' },
    body: 'Sitemap: /sitemap.xml',
  };
  const urls = (origin: string) => sitemap.map((path) => `<url><loc>${origin}${path}</loc></url>`).join('');
  pages['/sitemap.xml'] = (origin) => ({
    status: 200,
    headers: { 'content-type': 'application/xml' },
    body: `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls(origin)}</urlset>`,
  });
  return pages;
}

async function collect(
  pages: Record<string, Answer>,
  { fetch = {}, ...changes }: Partial<CrawlOptions> = {},
) {
  site = await startSmallSite(pages);
  const { items, balance, state } = await crawl({
    name: 'shop',
    folder: join(folder, 'shop.crawl'),
    seeds: [`${site.origin}/`],
    politeness: { gap: '1ms', slowFactor: 0 },
    fetch: { allowPrivate: [site.origin], ...fetch },
    limits: { minFree: '1MB' },
    async onPage(shown, { follow, push }) {
      if (shown.label === 'product') return push(new URL(shown.url).pathname);
      follow(shown.links.matching('/p/*'), { label: 'product' });
      follow(shown.links.matching('/category/**'));
    },
    ...changes,
  });
  const found: string[] = [];
  for await (const item of items) found.push(String(item));
  return { found: found.toSorted(), balance, state };
}

const orders: [string, string[]][] = [
  ['no sitemap', []],
  ['a sitemap that lists products first', [...products, ...categories, '/']],
  ['a sitemap that lists categories first', ['/', ...categories, ...products]],
  [
    'a sitemap that mixes them',
    ['/p/fan', '/category/b', '/p/axe', '/p/bow', '/category/a', '/p/cup', '/p/die'],
  ],
  ['a sitemap of products only', products],
];

it.each(orders)('yields each product exactly once with %s', async (_, sitemap) => {
  const { found, balance, state } = await collect(shop(sitemap));
  expect(state).toBe('finished');
  expect(found).toEqual(products);
  const known = 1 + categories.length + products.length + (sitemap.length > 0 ? 1 : 0);
  expect(balance).toMatchObject({ known, done: known, queued: 0, failed: 0 });
  // A product that was fetched before its label was known is fetched once more, never more often.
  for (const path of products) expect(site.asked.filter((one) => one === path).length).toBeLessThanOrEqual(2);
});

it('gives a page its label when the handler follows it twice, first without', async () => {
  const { found } = await collect(shop([]), {
    onPage(shown, { follow, push }) {
      if (shown.label === 'product') return push(new URL(shown.url).pathname);
      follow(shown.links);
      follow(shown.links.matching('/p/*'), { label: 'product' });
    },
  });
  expect(found).toEqual(products);
});

it.each([false, true])(
  'shows the handler an image that it follows, with requisites %s',
  async (requisites) => {
    const image: Answer = { status: 200, headers: { 'content-type': 'image/png' }, body: 'PNG' };
    const pages = {
      '/': '<img src="/logo.png"> <a href="/gallery">Gallery</a>',
      '/gallery': '<img src="/logo.png"> <img src="/big.png">',
      '/logo.png': image,
      '/big.png': image,
    };
    const { found } = await collect(pages, {
      scope: { requisites },
      contact: 'https://lab.example/',
      fetch: { types: { save: ['text/*', 'image/*'] } },
      onPage(shown, { follow, push }) {
        if (shown.mime === 'image/png') push(new URL(shown.url).pathname);
        // Only the gallery is interested: the front page shows one of its images first.
        if (shown.url.endsWith('/gallery')) follow(['/logo.png', '/big.png']);
        follow(shown.links);
      },
    });
    expect(found).toEqual(['/big.png', '/logo.png']);
  },
);
