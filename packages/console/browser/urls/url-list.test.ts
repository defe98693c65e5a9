import type { ShownUrl } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import { type ListAnswer, openUrlList, type UrlList } from './url-list.ts';

const row = (n: number): ShownUrl => ({
  url: `https://a.test/${n}`,
  state: 'done',
  kind: 'page',
  depth: 1,
  attempts: 1,
});
const rows = (from: number, count: number) => Array.from({ length: count }, (_, n) => row(from + n));

/** Pages of 100 rows, of a list that has so many. */
function listOf(total: number, change?: (after: number, answer: ListAnswer) => ListAnswer) {
  const asked: string[] = [];
  const fetchPage = (after: string): Promise<ListAnswer> => {
    asked.push(after);
    const from = Number(after);
    const count = Math.min(100, total - from);
    const next = from + 100 < total ? { next: String(from + 100) } : {};
    const answer = { items: rows(from, count), searched: 100, ...next };
    return Promise.resolve(change ? change(from, answer) : answer);
  };
  return { asked, fetchPage };
}

async function settled(list: UrlList): Promise<void> {
  for (let turn = 0; turn < 2_000; turn++) await Promise.resolve();
  expect(list.state().isAsking).toBe(false);
}

it('reads on as far as a person looks, and a little farther', async () => {
  const { asked, fetchPage } = listOf(1_000);
  const list = openUrlList({ fetchPage });
  list.show(0, 20);
  await settled(list);
  expect(asked).toEqual(['', '100']);
  expect(list.state()).toMatchObject({ count: 200, searched: 200, isWhole: false });
  list.show(180, 199);
  await settled(list);
  expect(list.state().count).toBe(300);
  list.show(940, 960);
  await settled(list);
  expect(list.state()).toMatchObject({ count: 1_000, isWhole: true });
  expect(list.row(999)?.url).toBe('https://a.test/999');
});

it('keeps the rows around the view alone, and reads others again when they are looked at', async () => {
  const { asked, fetchPage } = listOf(2_000);
  const list = openUrlList({ fetchPage, mostKept: 300 });
  list.show(1_980, 1_999);
  await settled(list);
  const held = Array.from({ length: 2_000 }, (_, n) => list.row(n)).filter(Boolean).length;
  expect(held).toBeLessThanOrEqual(500);
  expect(list.row(50)).toBeUndefined();
  asked.length = 0;
  list.show(40, 60);
  await settled(list);
  expect(list.row(50)?.url).toBe('https://a.test/50');
  expect(asked).toEqual(['', '100']);
  expect(list.state()).toMatchObject({ count: 2_000, isWhole: true });
});

it('goes on behind answers without a row, and asks a person after many of them', async () => {
  const { asked, fetchPage } = listOf(1_000, (from, answer) =>
    from < 800 ? { ...answer, items: [] } : answer,
  );
  const list = openUrlList({ fetchPage, mostEmpty: 5 });
  list.show(0, 20);
  await settled(list);
  expect(list.state()).toMatchObject({ count: 0, searched: 500, isWhole: false, halt: 'nothing' });
  list.goOn();
  await settled(list);
  expect(list.state()).toMatchObject({ count: 200, searched: 1_000, isWhole: true, halt: undefined });
  expect(asked).toHaveLength(10);
});

it('reads what is behind a changed page again, so that no row is missed', async () => {
  let isChanged = false;
  const { asked, fetchPage } = listOf(1_000, (from, answer) =>
    isChanged && from === 0 ? { ...answer, items: rows(0, 60), next: '60' } : answer,
  );
  const list = openUrlList({ fetchPage, mostKept: 200 });
  list.show(980, 999);
  await settled(list);
  isChanged = true;
  asked.length = 0;
  list.show(0, 20);
  await settled(list);
  expect(asked.slice(0, 2)).toEqual(['', '60']);
  expect(Array.from({ length: 100 }, (_, n) => list.row(n)?.url)).toEqual(rows(0, 100).map(({ url }) => url));
});

it('says what went wrong, and tries once more when it is told to', async () => {
  let isGone = true;
  const { fetchPage } = listOf(50);
  const list = openUrlList({
    fetchPage: (after) => (isGone ? Promise.reject(new Error('gone')) : fetchPage(after)),
  });
  list.show(0, 10);
  await settled(list);
  expect(list.state().error).toMatchObject({ message: 'gone' });
  isGone = false;
  list.goOn();
  await settled(list);
  expect(list.state()).toMatchObject({ count: 50, isWhole: true, error: undefined });
});

it('stops at the most rows that a screen can show', async () => {
  const { fetchPage } = listOf(10_000);
  const list = openUrlList({ fetchPage, mostRows: 300 });
  list.show(0, 5_000);
  await settled(list);
  expect(list.state()).toMatchObject({ count: 300, halt: 'full', isWhole: false });
});
