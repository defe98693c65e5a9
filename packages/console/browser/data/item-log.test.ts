import { expect, it } from 'vitest';
import type { Client } from '../api/client.ts';
import { createItemColumns, fieldOf, fieldsOf, itemHas, shortValue } from './item-columns.ts';
import { exportItems, itemFetcher } from './item-log.ts';

type Line = { kind: 'item'; url: string; item: unknown } | { kind: 'bookmark'; token: string; more: boolean };

const item = (n: number, value: unknown): Line => ({ kind: 'item', url: `https://a.test/${n}`, item: value });
const log: Record<string, Line[]> = {
  '': [item(1, { name: '=1+1', price: 2 }), item(1, 'bare'), { kind: 'bookmark', token: 'b', more: true }],
  b: [
    item(2, { name: 'two, "quoted"', tags: ['x', { deep: 'needle' }] }),
    { kind: 'bookmark', token: 'c', more: false },
  ],
};

/** The coordinator, as far as items go; counts how often it was asked. */
function coordinator(lines = log) {
  const asked: string[] = [];
  const client = {
    readItems: ({ query }: { query?: { after?: string } }) => {
      asked.push(query?.after ?? '');
      // oxlint-disable-next-line typescript/require-await
      return Promise.resolve(
        (async function* () {
          yield* lines[query?.after ?? ''] ?? [];
        })(),
      );
    },
  } as unknown as Pick<Client, 'readItems'>;
  return { client, asked };
}

const { signal } = new AbortController();

it('reads the log to its end, and finds columns in the order in which fields come', async () => {
  const { client, asked } = coordinator();
  const columns = createItemColumns();
  const fetchPage = itemFetcher({ client, crawl: 'a', q: '', columns });
  const first = await fetchPage('', signal);
  expect(first).toMatchObject({ next: 'b', searched: 2 });
  expect(await fetchPage('b', signal)).toMatchObject({ next: undefined, searched: 1 });
  expect(asked).toEqual(['', 'b']);
  expect(columns.names()).toEqual(['name', 'price', 'value', 'tags']);
});

it('finds a text in names and nested values, and counts what it looked at', async () => {
  const columns = createItemColumns();
  const find = async (q: string) =>
    await Promise.all(
      ['', 'b'].map((after) =>
        itemFetcher({ client: coordinator().client, crawl: 'a', q, columns })(after, signal),
      ),
    );
  expect((await find('NEEDLE')).map(({ items, searched }) => [items.length, searched])).toEqual([
    [0, 2],
    [1, 1],
  ]);
  expect(columns.names()).toEqual(['name', 'tags']);
  expect((await find('price')).map(({ items }) => items.length)).toEqual([1, 0]);
  expect((await find('a.test/2')).map(({ items }) => items.length)).toEqual([0, 1]);
  expect(itemHas({ url: '', item: ['0'] }, '1')).toBe(false);
});

it('exports all columns that any item has, and no cell that a spreadsheet would run', async () => {
  let text = '';
  const options = { signal, write: (piece: string) => void (text += piece), tell: () => undefined };
  const { client } = coordinator();
  expect(await exportItems({ client, crawl: 'a', q: '' }, { ...options, format: 'csv' })).toMatchObject({
    rows: 3,
    cut: undefined,
  });
  expect(text.split('\r\n')).toEqual([
    'page,name,price,value,tags,other fields',
    "https://a.test/1,'=1+1,2,,,",
    'https://a.test/1,,,bare,,',
    'https://a.test/2,"two, ""quoted""",,,"[""x"",{""deep"":""needle""}]",',
    '',
  ]);
  text = '';
  await exportItems({ client, crawl: 'a', q: 'bare' }, { ...options, format: 'jsonl' });
  expect(text).toBe('{"url":"https://a.test/1","item":"bare"}\n');
});

it('leaves out the URL of the page where that is all that a field says', () => {
  const columns = createItemColumns();
  columns.add({ url: 'https://a.test/1', name: 'one' }, 'https://a.test/1');
  expect([columns.names(), columns.shownNames()]).toEqual([['url', 'name'], ['name']]);
  columns.add({ url: 'https://a.test/other', name: 'two' }, 'https://a.test/2');
  expect(columns.shownNames()).toEqual(['url', 'name']);
});

it('puts what has no column into one of its own, and names of fields as they are', async () => {
  const columns = createItemColumns(1);
  columns.add({ a: 1, b: 2 }, '');
  expect([columns.names(), columns.isCut()]).toEqual([['a'], true]);
  let text = '';
  const odd = { '=cmd()': 'x', __proto__: 1 };
  const { client } = coordinator({ '': [item(1, odd), { kind: 'bookmark', token: 'c', more: false }] });
  const options = { signal, write: (piece: string) => void (text += piece), tell: () => undefined };
  await exportItems({ client, crawl: 'a', q: '' }, { ...options, format: 'csv' });
  expect(text.split('\r\n')[0]).toBe("page,'=cmd(),other fields");
  expect(fieldOf({ a: 1 }, 'constructor')).toBeUndefined();
  expect(fieldsOf(null)).toEqual(['value']);
  expect([shortValue(null), shortValue([1]), shortValue('x'.repeat(400)).length]).toEqual(['', '[1]', 301]);
});
