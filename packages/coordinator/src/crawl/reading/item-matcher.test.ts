import type { Url } from '@webfarer/protocol';
import { expect, test } from 'vitest';
import { createItemMatcher, type PageItem } from './item-matcher.ts';

async function* each(items: readonly PageItem[]): AsyncIterable<PageItem> {
  yield* items;
}

/** `page: items`, by the last part of the URL of each page. */
function itemsOf(pages: Record<string, unknown[]>): PageItem[] {
  return Object.entries(pages).flatMap(([page, items]) =>
    items.map((item) => ({ url: `http://a.test/${page}` as Url, item })),
  );
}

async function compare(
  before: Record<string, unknown[]>,
  now: Record<string, unknown[]>,
  key: string[] = [],
): Promise<string[]> {
  const matcher = createItemMatcher(key);
  try {
    await matcher.addBefore(each(itemsOf(before)));
    await matcher.addNow(each(itemsOf(now)));
    matcher.match();
    const there = Array.from(matcher.there(), ({ item, ...match }) => {
      const was = match.change === 'changed' ? ` was ${JSON.stringify(match.before)}` : '';
      return `${match.change} ${JSON.stringify(item)}${was}`;
    });
    return [...there, ...Array.from(matcher.left(), ({ item }) => `left ${JSON.stringify(item)}`)];
  } finally {
    matcher.close();
  }
}

test('the only item of a page is that item, changed or not; the order of its fields says nothing', async () => {
  const before = { one: [{ a: 1, b: { c: 1, d: 2 } }], two: [{ a: 1 }], three: [{ a: 3 }] };
  const now = { one: [{ b: { d: 2, c: 1 }, a: 1 }], two: [{ a: 2 }], four: [{ a: 1 }] };
  expect(await compare(before, now)).toEqual([
    'same {"b":{"d":2,"c":1},"a":1}',
    'changed {"a":2} was {"a":1}',
    'new {"a":1}',
    'left {"a":3}',
  ]);
});

test('of several items on a page without a key, what differs is another item', async () => {
  expect(await compare({ list: ['a', 'b', 'b', 'c'] }, { list: ['b', 'c', 'b', 'd'] })).toEqual([
    'same "b"',
    'same "c"',
    'same "b"',
    'new "d"',
    'left "a"',
  ]);
});

test('with a key an item is known wherever it stands', async () => {
  const before = {
    1: [
      { id: 1, p: 1 },
      { id: 2, p: 1 },
    ],
    2: [{ id: 3, p: 1 }, { p: 9 }],
  };
  const now = {
    1: [
      { id: 2, p: 1 },
      { id: 3, p: 2 },
    ],
    2: [{ id: 4, p: 1 }, { p: 8 }],
  };
  expect(await compare(before, now, ['id'])).toEqual([
    'same {"id":2,"p":1}',
    'changed {"id":3,"p":2} was {"id":3,"p":1}',
    'new {"id":4,"p":1}',
    // Without a value for the key it is known by its page, where it is the only such item.
    'changed {"p":8} was {"p":9}',
    'left {"id":1,"p":1}',
  ]);
  // Text and number are two values, and all fields of a key count.
  expect(await compare({ 1: [{ id: 1, x: 1 }] }, { 1: [{ id: '1', x: 1 }] }, ['id'])).toEqual([
    'new {"id":"1","x":1}',
    'left {"id":1,"x":1}',
  ]);
  expect(await compare({ 1: [{ a: 1, b: 1, p: 1 }] }, { 2: [{ a: 1, b: 1, p: 2 }] }, ['a', 'b'])).toEqual([
    'changed {"a":1,"b":1,"p":2} was {"a":1,"b":1,"p":1}',
  ]);
});

test('a key that is not unique never takes an equal item from another', async () => {
  const now = {
    1: [
      { id: 1, p: 2 },
      { id: 1, p: 1 },
    ],
  };
  expect(await compare({ 1: [{ id: 1, p: 1 }] }, now, ['id'])).toEqual([
    'new {"id":1,"p":2}',
    'same {"id":1,"p":1}',
  ]);
});

test('a key that is on several pages pairs what is left of it', async () => {
  const before = { 1: [{ id: 1, p: 1 }], 2: [{ id: 1, p: 2 }] };
  expect(await compare(before, { 1: [{ id: 1, p: 1 }], 2: [{ id: 1, p: 3 }] }, ['id'])).toEqual([
    'same {"id":1,"p":1}',
    'changed {"id":1,"p":3} was {"id":1,"p":2}',
  ]);
});
