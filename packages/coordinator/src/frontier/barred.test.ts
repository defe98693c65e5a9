import { expect, it } from 'vitest';
import { barring, buried } from './barred.ts';

const pattern = 'gone.test';

it('keeps whose folders have captures until they are known to be gone', () => {
  const first = barring(undefined, { pattern, elsewhere: { a: 3, b: 1 } }, 1_000);
  // No record names them any more, so nothing is found the next time.
  const second = barring(first, { pattern, elsewhere: {} }, 2_000);
  expect(second.tombstones).toEqual([{ pattern, sinceMs: 1_000, elsewhere: { a: 3, b: 1 } }]);
  const third = barring(second, { pattern, gone: ['a', 'other'] }, 3_000);
  expect(third.tombstones).toEqual([{ pattern, sinceMs: 1_000, elsewhere: { b: 1 } }]);
  const last = barring(third, { pattern, gone: ['b'] }, 4_000);
  expect(last.tombstones).toEqual([{ pattern, sinceMs: 1_000 }]);
});

it('says nothing of what is done where it is asked for again, and leaves other hosts alone', () => {
  const other = barring(undefined, { pattern: 'other.test', elsewhere: { a: 1 } }, 500);
  const done = buried(barring(other, { pattern }, 1_000), pattern, { urls: 1, captures: 2, atMs: 1_500 });
  expect(done.tombstones[1]).toMatchObject({ pattern, done: { urls: 1 } });
  expect(barring(done, { pattern }, 2_000).tombstones).toEqual([
    { pattern: 'other.test', sinceMs: 500, elsewhere: { a: 1 } },
    { pattern, sinceMs: 1_000 },
  ]);
});
