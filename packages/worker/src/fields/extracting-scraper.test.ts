import type { Entry, HostKey, Url } from '@webfarer/protocol';
import { type JobInput } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { describe, expect, test } from 'vitest';
import type { Exchange } from '../fetch/fetch.ts';
import { createPage } from '../scrape/page.ts';
import { openAccount } from '../shares/account.ts';
import { extractingScraper } from './extracting-scraper.ts';
import { itemsAside } from './items-aside.ts';

const account = openAccount();

type Rules = NonNullable<JobInput['extract']>;

const resolved = (extract: Rules) => resolveJob({ seeds: ['https://shop.example/'], extract }).extract;

const pageOf = (html: string, { path = '/p/1', mime = 'text/html' } = {}) =>
  createPage({
    account,
    entry: { url: `https://shop.example${path}` as Url, depth: 0 } as Entry,
    fetched: { status: 200, headers: [] } as unknown as Exchange,
    mime,
    body: Buffer.from(html),
    source: () => html,
    links: [],
    title: 'Page title',
    language: 'en',
    picture: undefined,
  });

async function itemsOf(html: string, extract: Rules, as: { path?: string; mime?: string } = {}) {
  const items: unknown[] = [];
  const scraper = extractingScraper(() => undefined, resolved(extract), {
    seedHosts: ['shop.example' as HostKey],
    account,
  });
  await scraper(pageOf(html, as), {
    push: (item) => void items.push(item),
    follow: () => undefined,
    signal: new AbortController().signal,
  });
  return items as Record<string, unknown>[];
}

/** The one item of a page, without its URL. */
async function fieldsOf(html: string, fields: Rules[number]['fields']): Promise<Record<string, unknown>> {
  const [{ url: _url, ...item } = {}] = await itemsOf(html, [{ fields }]);
  return item;
}

describe('extract', () => {
  test('a selector that would take minutes on a page is ended', async () => {
    const html = '<i></i>'.repeat(90_000);
    let longestMs = 0;
    let before = performance.now();
    const watching = setInterval(() => {
      longestMs = Math.max(longestMs, performance.now() - before);
      before = performance.now();
    }, 1);
    await expect(fieldsOf(html, { field: 'i:not(i ~ i ~ i ~ b) ~ b' })).rejects.toThrow(
      'took longer than 5 s',
    );
    clearInterval(watching);
    // Meanwhile this thread works on; on a busy machine with pauses.
    expect(longestMs).toBeLessThan(3_000);
  });

  // A thread that loads its code, on a machine that may be busy.
  test('a thread makes the same items, with the same problems', { retry: 2, timeout: 60_000 }, async () => {
    const html = '<link rel=canonical href=/c><h1>A lamp</h1>SKU 17';
    const fields = {
      name: { css: 'h1', required: true },
      title: { page: 'title' },
      sku: { regex: 'SKU (\\d+)', type: 'integer' },
    } as const;
    expect(await itemsAside(pageOf(html), resolved([{ fields }]), account)).toEqual(
      await itemsOf(html, [{ fields }]),
    );
    const missing = { ean: { regex: 'EAN (\\d+)', required: true } } as const;
    await expect(itemsAside(pageOf(html), resolved([{ fields: missing }]), account)).rejects.toThrow(
      'ean: missing (regex EAN (\\d+))',
    );
  });

  test('makes an item of each page that fits, with its URL', async () => {
    const rules: Rules = [{ pages: ['/p/*', { regex: 'special$' }], fields: { name: 'h1' } }];
    const html = '<h1>A <b>lamp</b></h1>';
    expect(await itemsOf(html, rules)).toEqual([{ url: 'https://shop.example/p/1', name: 'A lamp' }]);
    expect(await itemsOf(html, rules, { path: '/special' })).toHaveLength(1);
    expect(await itemsOf(html, rules, { path: '/about' })).toEqual([]);
    expect(await itemsOf('{}', [{ fields: { name: 'h1' } }], { mime: 'application/json' })).toEqual([]);
  });

  test('reads attributes, texts, HTML and lists by selector', async () => {
    const html = `<base href="/img/"><h1 class="x"> Lamp </h1><img src="a b.png"><img src="c.png">
      <div class="d"><p>one</p><p>two</p></div><ul><li>a<li><li>b</ul>`;
    expect(
      await fieldsOf(html, {
        kind: 'h1@class',
        image: { css: 'img@src', type: 'url' },
        images: { css: 'img@src', type: 'url', list: true },
        text: '.d',
        html: { css: '.d', type: 'html' },
        tags: { css: 'li', list: true },
        second: 'p:nth-child(2)',
        none: '.none',
        nothing: { css: '.none', list: true },
      }),
    ).toEqual({
      kind: 'x',
      image: 'https://shop.example/img/a%20b.png',
      images: ['https://shop.example/img/a%20b.png', 'https://shop.example/img/c.png'],
      text: 'one two',
      html: '<p>one</p><p>two</p>',
      tags: ['a', 'b'],
      second: 'two',
      nothing: [],
    });
  });

  test('each makes an item of every element', async () => {
    const html = '<ul><li data-id="1"><a href="/a">A</a><li data-id="2"><a href="/b">B</a></ul>';
    const rule = {
      each: 'li',
      fields: {
        id: { css: '@data-id', type: 'integer' },
        url: { css: 'a@href', type: 'url' },
        page: { page: 'title' },
      },
    } as const;
    expect(await itemsOf(html, [rule])).toEqual([
      { id: 1, url: 'https://shop.example/a', page: 'Page title' },
      { id: 2, url: 'https://shop.example/b', page: 'Page title' },
    ]);
    expect(await itemsOf('<p>', [rule])).toEqual([]);
  });

  test('reads JSON-LD, microdata, Open Graph, expressions and facts', async () => {
    const html = `<meta property="og:title" content="T"><meta property="product:price:amount" content="5">
      <script type="application/ld+json">{"@graph":[{"@type":"WebPage","mainEntity":{"@type":["Thing","Product"],"name":"Lamp",
      "offers":[{"price":9.5},{"price":"8"}],"brand":{"@id":"#b"},"inStock":true}},{"@id":"#b","name":"Lux"}]}</script>
      <div itemscope itemtype="https://schema.org/Recipe"><i itemprop="name">Soup</i>
      <p itemprop="author" itemscope itemtype="http://schema.org/Person"><i itemprop="name">Ann</i></p></div> SKU 17, SKU 18`;
    expect(
      await fieldsOf(html, {
        name: { jsonLd: 'Product.name' },
        prices: { jsonLd: 'Product.offers.price', type: 'number', list: true },
        brand: { jsonLd: 'Product.brand' },
        brandName: { jsonLd: 'Product.brand.name' },
        stock: { jsonLd: 'Product.inStock', type: 'boolean' },
        outer: { jsonLd: 'mainEntity.name' },
        recipe: { microdata: 'Recipe.name' },
        cook: { microdata: 'Person.name' },
        title: { openGraph: 'title' },
        amount: { openGraph: 'product:price:amount', type: 'integer' },
        skus: { regex: 'SKU (\\d+)', type: 'integer', list: true },
        language: { page: 'language' },
        proto: { jsonLd: 'Product.constructor.name' },
      }),
    ).toEqual({
      name: 'Lamp',
      prices: [9.5, 8],
      brand: 'Lux',
      brandName: 'Lux',
      stock: true,
      outer: 'Lamp',
      recipe: 'Soup',
      cook: 'Ann',
      title: 'T',
      amount: 5,
      skus: [17, 18],
      language: 'en',
    });
  });

  test('defaults stand in for what is missing or cannot be read', async () => {
    expect(
      await fieldsOf('<i>soon</i>', {
        price: { css: 'i', type: 'number', default: 0 },
        tags: { css: 'b', list: true, default: 'none' },
        date: { css: 'i', type: 'date' },
      }),
    ).toEqual({ price: 0, tags: ['none'] });
  });

  test('a required field that is missing or cannot be read says which and why', async () => {
    const fields = {
      name: { css: 'h1', required: true },
      price: { css: '.p', type: 'number', required: true },
      tags: { css: '.t', list: true, required: true },
    } as const;
    await expect(itemsOf('<i class="p">soon</i>', [{ fields }])).rejects.toThrow(
      'name: missing (css h1); price: "soon" is not a number; tags: missing (css .t)',
    );
    await expect(
      itemsOf('<ul><li><b>1</b><li></ul>', [{ each: 'li', fields: { n: { css: 'b', required: true } } }]),
    ).rejects.toThrow('n: missing (css b) (li, number 2)');
  });

  test('a page of more elements than selectors can be run on has no values', async () => {
    const html = `<h1>x</h1>${'<b></b>'.repeat(100_001)}`;
    expect(await fieldsOf(html, { name: 'h1', title: { page: 'title' } })).toEqual({ title: 'Page title' });
  });
});
