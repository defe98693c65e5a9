import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { CrawlId, Url } from '@webfarer/protocol';
import { expect, test } from 'vitest';
import type { FolderReader, ItemChange } from '../crawl/local-port.ts';
import { exportItems, type ItemsFormat } from './items-csv.ts';

const page = 'https://a.example/' as Url;
const marks: ItemChange[] = [
  { change: 'new', page, item: { name: 'Cup, blue', sizes: ['S', 'M'] } },
  { change: 'changed', page, item: { name: 'Plate', price: 4 }, before: { name: 'Plate', price: 5 } },
  { change: 'gone', page, item: { name: 'Fork' } },
];

async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}

async function written(format: ItemsFormat): Promise<string> {
  const out = new PassThrough();
  const reader = {
    crawl: 'x' as CrawlId,
    results: { items: () => each(marks.map(({ item }) => ({ item }))) },
    itemChanges: () => each(marks),
  } as unknown as FolderReader;
  const count = await exportItems(reader, out, format);
  out.end();
  const all = await text(out);
  const lines = all.trim().split(/\r?\n/).length - (format.format === 'csv' ? 1 : 0);
  expect(lines).toBe(count);
  return all.replaceAll('\r\n', '\n');
}

test('a table has a column for each field of the items, and lists as JSON', async () => {
  expect(await written({ format: 'csv' })).toBe(
    'name,sizes,price\n"Cup, blue","[""S"",""M""]",\nPlate,,4\nFork,,\n',
  );
});

test('a table of changes begins with what became of each item and its page', async () => {
  expect(await written({ format: 'csv', marks: new Set(['new', 'gone']) })).toBe(
    `_change,_page,name,sizes\nnew,${page},"Cup, blue","[""S"",""M""]"\ngone,${page},Fork,\n`,
  );
});

test('lines of changes have what the item was before', async () => {
  const [line = ''] = (await written({ format: 'jsonl', marks: new Set(['changed']) })).split('\n');
  expect(JSON.parse(line)).toEqual(marks[1]);
});

test('a field that only a late item has is a column like any other', async () => {
  const items = Array.from({ length: 3_000 }, (_, n) => (n === 2_500 ? { name: n, rare: 'x' } : { name: n }));
  const out = new PassThrough();
  const results = { items: () => each(items.map((item) => ({ item }))) };
  const reader = { crawl: 'x' as CrawlId, results } as unknown as FolderReader;
  const all = text(out);
  await exportItems(reader, out, { format: 'csv' });
  out.end();
  const lines = (await all).split('\r\n');
  expect([lines[0], lines[2_501]]).toEqual(['name,rare', '2500,x']);
});
