import { expect, it } from 'vitest';
import { type Change, chosenChanges, detailWords, readChanges } from './audit-log.ts';

const change = (n: number): Change => ({
  atMs: new Date(2026, 10, n, 12).getTime(),
  who: n % 2 ? 'owner:a.example' : 'tok_1',
  team: 'red',
  action: n === 3 ? 'putTeam' : 'createCrawl',
  what: `/v1/thing/${n}`,
  detail: `{"name":"N${n}"}`,
});

it('reads all pages, and has the newest first', async () => {
  const asked: string[] = [];
  const told: number[] = [];
  const read = await readChanges(
    async (after) => {
      asked.push(after);
      const n = Number(after || 0);
      return {
        items: [change(2 * n + 1), change(2 * n + 2)],
        ...(n < 2 ? { next: String(n + 1) } : {}),
        dropped: n === 0 ? 7 : 0,
      };
    },
    (count) => told.push(count),
  );
  expect(asked).toEqual(['', '1', '2']);
  expect(told).toEqual([2, 4, 6]);
  expect(read.dropped).toBe(7);
  expect(read.changes.map(({ what }) => what)).toEqual([6, 5, 4, 3, 2, 1].map((n) => `/v1/thing/${n}`));
});

it('chooses by who, action, what and day, the last day included', () => {
  const all = [1, 2, 3, 4].map(change);
  const chosen = (search: Parameters<typeof chosenChanges>[1]) =>
    chosenChanges(all, search).map(({ what }) => Number(what.slice('/v1/thing/'.length)));
  expect(chosen({})).toEqual([1, 2, 3, 4]);
  expect(chosen({ who: 'OWNER' })).toEqual([1, 3]);
  expect(chosen({ who: 'red' })).toEqual([1, 2, 3, 4]);
  expect(chosen({ action: 'team' })).toEqual([3]);
  expect(chosen({ what: 'n2' })).toEqual([2]);
  expect(chosen({ from: '2026-11-02', to: '2026-11-03' })).toEqual([2, 3]);
  expect(chosen({ who: 'owner', to: '2026-11-02' })).toEqual([1]);
});

it('says of a change what its path does not', () => {
  const words = (what: string, detail: string) => detailWords({ what, detail });
  expect(words('/v1/crawls', '{"id":"c1","name":"museum","version":4}')).toBe('id c1 · name museum');
  expect(words('/v1/teams/red', '{"name":"red","version":4}')).toBe('');
  expect(words('/v1/x', 'not JSON')).toBe('not JSON');
});
