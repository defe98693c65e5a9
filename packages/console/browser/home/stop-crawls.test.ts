import { expect, it } from 'vitest';
import { doEach, openCrawls, stopCrawls, type StopProgress } from './stop-crawls.ts';

const crawlsOf = (running: number, paused: number) =>
  Array.from({ length: running + paused }, (_, n) => ({
    id: String(n),
    name: `crawl ${n}`,
    wanted: n < running ? 'running' : 'paused',
  }));

it('does a few at a time, and all of them though some fail', async () => {
  let [now, most] = [0, 0];
  const items = Array.from({ length: 50 }, (_, n) => n);
  const { done, failed } = await doEach(items, async (n) => {
    most = Math.max(most, ++now);
    await new Promise((resolve) => setTimeout(resolve));
    now--;
    if (n % 10 === 0) throw new Error(`no ${n}`);
  });
  expect(most).toBe(4);
  expect(done.toSorted((a, b) => a - b)).toEqual(items.filter((n) => n % 10 !== 0));
  expect(failed.map(({ item }) => item)).toEqual([0, 10, 20, 30, 40]);
});

it('pauses many that run before it stops them, and tells how far it is', async () => {
  const calls: string[] = [];
  const told: StopProgress[] = [];
  const crawls = crawlsOf(9, 2);
  const { done, failed } = await stopCrawls(
    crawls,
    {
      pause: async (id) => {
        calls.push(`pause ${id}`);
        if (id === '3') throw new Error('gone');
      },
      stop: async (id) => {
        calls.push(`stop ${id}`);
        if (id === '5') throw new Error('not answered');
      },
    },
    (so) => told.push(so),
  );
  expect(calls.slice(0, 9).every((call) => call.startsWith('pause'))).toBe(true);
  // The paused ones, and the one that could not be paused, are stopped like the others.
  expect(calls.slice(9).toSorted()).toEqual(crawls.map(({ id }) => `stop ${id}`).toSorted());
  expect([done.length, failed.map(({ item }) => item.id)]).toEqual([10, ['5']]);
  expect(told.at(-1)).toEqual({ phase: 'stopping', done: 10, failed: 1 });
});

it('stops a few at once', async () => {
  const calls: string[] = [];
  const steering = {
    pause: async (id: string) => void calls.push(`pause ${id}`),
    stop: async (id: string) => void calls.push(`stop ${id}`),
  };
  await stopCrawls(crawlsOf(2, 1), steering, () => undefined);
  expect(calls).toEqual(['stop 0', 'stop 1', 'stop 2']);
});

it('finds every open crawl, page by page, also behind pages that are empty', async () => {
  const asked: string[] = [];
  const pages = new Map([
    ['', { items: [{ id: 'a', name: 'a', state: 'running' }], next: 'p1' }],
    ['p1', { items: [], next: 'p2' }],
    [
      'p2',
      {
        items: [
          { id: 'b', name: 'b', state: 'paused' },
          { id: 'c', name: 'c', state: 'failed' },
        ],
      },
    ],
  ]);
  const open = await openCrawls({
    listCrawls: async ({ query }) => {
      expect(query.state).toEqual(['running', 'paused']);
      asked.push(query.after);
      return pages.get(query.after) ?? { items: [] };
    },
  });
  expect(asked).toEqual(['', 'p1', 'p2']);
  expect(open.map(({ id, wanted }) => [id, wanted])).toEqual([
    ['a', 'running'],
    ['b', 'paused'],
    ['c', 'running'],
  ]);
});
