import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { html, jsonLines, nothing, type Recipe, siteOf, smallPrint, unlike } from '../recipe.ts';

const origin = 'https://shop.example';
const products = [
  { id: 'hammer', name: 'Hammer', price: 12.5 },
  { id: 'saw', name: 'Saw, 40 cm', price: 9 },
  { id: 'file', name: 'File "fine"', price: 4.25 },
];

function productPage({ id, name, price }: (typeof products)[number]): string {
  const offers = { '@type': 'Offer', price: String(price), priceCurrency: 'EUR' };
  const product = { '@type': 'Product', name, image: `/i/${id}.jpg`, offers };
  const data = JSON.stringify({
    '@context': 'https://schema.org',
    '@graph': [{ '@type': 'WebPage' }, product],
  });
  return html(
    name,
    `<h1>${name}</h1><p>was 99.99</p>${smallPrint}`,
    `<script type="application/ld+json">${data}</script>`,
  );
}

const items = (file: string) => jsonLines<Record<string, unknown>>(readFileSync(file, 'utf8'));
const fileOf = (folder: string) => join(folder, 'shop.example.crawl/items.jsonl');

export const shop: Recipe = {
  ...nothing,
  name: 'shop-json-ld',
  hosts: {
    'shop.example': siteOf({
      '/': html(
        'Tools',
        products.map(({ id, name }) => `<a href="/p/${id}">${name}</a>`).join(' ') + smallPrint,
      ),
      ...Object.fromEntries(products.map((product) => [`/p/${product.id}`, productPage(product)])),
    }),
  },
  judge({ folder }) {
    const right = products.map(({ id, name, price }) =>
      JSON.stringify([`${origin}/p/${id}`, name, price, 'EUR', `${origin}/i/${id}.jpg`]),
    );
    const found = items(fileOf(folder)).map(({ url, name, price, currency, image }) =>
      JSON.stringify([url, name, price, currency, image]),
    );
    const rows = readFileSync(join(folder, 'products.csv'), 'utf8').trim().split(/\r?\n/).length - 1;
    return [
      ...unlike('items', found, right),
      ...(found.length === right.length && rows === right.length
        ? []
        : [`${found.length} items, ${rows} rows`]),
    ];
  },
  harm({ folder }) {
    const [first, ...others] = items(fileOf(folder));
    const changed = [{ ...first, price: 99.99 }, ...others];
    writeFileSync(fileOf(folder), changed.map((item) => `${JSON.stringify(item)}\n`).join(''));
  },
};
