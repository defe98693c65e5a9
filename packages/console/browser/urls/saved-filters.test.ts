import { expect, it } from 'vitest';
import { forgetFilter, savedFilters, saveFilter } from './saved-filters.ts';
import { countIn, urlsSearchIn } from '../api/url-search.ts';

function storageOf(text?: string) {
  const kept = new Map<string, string>(text === undefined ? [] : [['webfarer.url-filters', text]]);
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
}

it('keeps filters by name, and replaces one of the same name', () => {
  const storage = storageOf();
  saveFilter(storage, { name: 'server errors', search: { state: 'failed', reason: 'http-5xx' } });
  saveFilter(storage, { name: 'deep', search: { depth: 9 } });
  saveFilter(storage, { name: ' deep ', search: { depth: 7 } });
  expect(savedFilters(storage)).toEqual([
    { name: 'deep', search: { depth: 7 } },
    { name: 'server errors', search: { state: 'failed', reason: 'http-5xx' } },
  ]);
  expect(forgetFilter(storage, 'deep')).toHaveLength(1);
});

it('leaves out what is no filter', () => {
  expect(savedFilters(storageOf('{"a":'))).toEqual([]);
  expect(savedFilters(storageOf('{"a":1}'))).toEqual([]);
  const kept = [{ name: 'x' }, null, { name: '', search: {} }, { name: 'y', search: { depth: 'a', q: 1 } }];
  expect(savedFilters(storageOf(JSON.stringify(kept)))).toEqual([{ name: 'y', search: {} }]);
});

it('reads filters from an address, and ignores what is none', () => {
  expect(
    urlsSearchIn({ state: 'failed', reason: 'http-5xx', status: 503, depth: '2', host: 'A.test', more: 1 }),
  ).toEqual({ state: 'failed', reason: 'http-5xx', status: '503', depth: 2, host: 'A.test' });
  // A reason that a URL in this state cannot have would find nothing and look like an answer.
  expect(urlsSearchIn({ state: 'refused', reason: 'http-5xx' })).toEqual({ state: 'refused' });
  expect(urlsSearchIn({ prefix: 'a.test/x', status: '6xx', depth: '-1', state: 'lost' })).toEqual({});
});

it('takes counts from the figures of the crawl where these tell them', () => {
  const balance = { known: 20, queued: 5, leased: 3, done: 8, failed: 2, refused: 2 };
  const figures = { balance, byReason: { 'http-5xx': 2 }, errorAnswers: 0 };
  expect(countIn({}, figures)).toBe(20);
  expect(countIn({ state: 'failed' }, figures)).toBe(2);
  expect(countIn({ state: 'failed', reason: 'http-5xx' }, figures)).toBe(2);
  expect(countIn({ state: 'failed', reason: 'timeout' }, figures)).toBe(0);
  expect(countIn({ state: 'failed', host: 'a.test' }, figures)).toBeUndefined();
});
