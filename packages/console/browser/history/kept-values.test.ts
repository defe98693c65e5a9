import { expect, it } from 'vitest';
import { keptValues } from './kept-values.ts';

it('keeps what was used last, and no more', () => {
  const kept = keptValues<number>(2);
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 3],
    ['c', 4],
  ] as const)
    kept.keep(key, value);
  expect(['a', 'b', 'c'].map((key) => kept.get(key))).toEqual([3, undefined, 4]);
});
