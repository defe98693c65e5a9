import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crawl } from 'webfarer';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { shopPages, type SmallSite, startSmallSite } from './small-site.ts';

let folder: string;
let site: SmallSite;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-extract-'));
  site = await startSmallSite({
    ...shopPages,
    '/p/file': '<h1>File</h1><meta itemprop=price content="soon">',
  });
});
afterEach(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

const fields = {
  name: { css: 'h1', required: true },
  price: { css: '[itemprop=price]@content', type: 'number', required: true },
} as const;

const shop = () => ({
  name: 'shop',
  folder: join(folder, 'shop.crawl'),
  seeds: [`${site.origin}/`],
  politeness: { gap: '1ms', slowFactor: 0 },
  fetch: { allowPrivate: [site.origin] },
  limits: { minFree: '1MB' },
});

it('a job makes items without code, and says which field of which page is wrong', async () => {
  const failed: unknown[] = [];
  const { items, snapshot } = await crawl({
    ...shop(),
    extract: [{ pages: '/p/*', fields }],
    onFailed: (url, { detail }) => void failed.push([url, detail]),
  });
  const found: unknown[] = [];
  for await (const item of items) found.push(item);
  const expected = [
    { url: `${site.origin}/p/hammer`, name: 'Hammer', price: 12.5 },
    { url: `${site.origin}/p/saw`, name: 'Saw', price: 9 },
  ];
  expect(found).toHaveLength(2);
  expect(found).toEqual(expect.arrayContaining(expected));
  expect(snapshot.byReason).toMatchObject({ 'item-invalid': 1 });
  expect(failed).toEqual([[`${site.origin}/p/file`, 'price: "soon" is not a number']]);
  const lines = readFileSync(join(folder, 'shop.crawl', 'items.jsonl'), 'utf8')
    .trimEnd()
    .split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(found);
});

it('rules and a handler both make items of a page', async () => {
  const { items, balance } = await crawl({
    ...shop(),
    extract: [{ pages: '/p/*', fields: { name: 'h1' } }],
    onPage: (page, { follow, push }) => {
      follow(page.links.matching('/category/**', '/p/*'));
      if (page.url.endsWith('/p/saw')) push({ name: 'by hand' });
    },
  });
  const names: string[] = [];
  for await (const item of items) names.push((item as { name: string }).name);
  expect(names.toSorted()).toEqual(['File', 'Hammer', 'Saw', 'by hand']);
  expect(balance.done).toBe(5);
});
