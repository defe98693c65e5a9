import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crawl, type CrawlOptions, type Page, type Tools } from 'webfarer';
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

const byPath = (shown: Page, { follow, push }: Tools) => {
  if (shown.label !== undefined) push(`${shown.label} ${new URL(shown.url).pathname}`);
  follow(shown.links);
};

it.each(orders)('labels pages by the patterns of the job with %s', async (_, sitemap) => {
  const { found } = await collect(shop(sitemap), {
    labels: { product: /\/P\/[a-z]+$/i, list: ['/category/*', '/'] },
    onPage: byPath,
  });
  const lists = ['/', ...categories].map((path) => `list ${path}`);
  expect(found).toEqual([...lists, ...products.map((path) => `product ${path}`)]);
  // The label is known wherever the URL is found: no page is visited twice for it.
  for (const path of products) expect(site.asked.filter((one) => one === path)).toHaveLength(1);
});

it('gives the label of the job, not that of follow, and that of the target after a redirect', async () => {
  const moved: Answer = { status: 301, headers: { location: '/p/axe' }, body: '' };
  const pages = { '/': links(['/old']), '/old': moved, '/p/axe': page('/p/axe') };
  const { found } = await collect(pages, {
    labels: { product: '/p/*' },
    onPage(shown, { follow, push }) {
      push(`${shown.label} ${new URL(shown.url).pathname}`);
      follow(shown.links.matching(/old$/g), { label: 'old' });
    },
  });
  expect(found).toEqual(['product /p/axe', 'undefined /']);
});

it('shows the handler a labelled file of any type, and no other', async () => {
  const file = (type: string): Answer => ({ status: 200, headers: { 'content-type': type }, body: 'bytes' });
  const pages = {
    '/': links(['/a.zip', '/b.zip', '/c.gif']),
    '/a.zip': file('application/zip'),
    '/b.zip': file('application/zip'),
    '/c.gif': file('image/gif'),
  };
  const { found, balance } = await collect(pages, {
    labels: { picture: '*.gif' },
    onPage(shown, { follow, push }) {
      if (shown.mime !== 'text/html') push(`${shown.label} ${shown.mime} ${shown.body.toString()}`);
      follow(shown.links.matching('/a.*'), { label: 'file' });
      follow(shown.links);
    },
  });
  expect(found).toEqual(['file application/zip bytes', 'picture image/gif bytes']);
  expect(balance).toMatchObject({ done: 3, refused: 1 });
});
