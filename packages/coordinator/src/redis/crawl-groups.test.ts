import { expect, it } from 'vitest';
import { bothGroups, groupsReader } from './crawl-groups.ts';

it('reads the groups of a crawl, four to a digit', () => {
  const read = groupsReader(12);
  expect(read('').list).toEqual([]);
  expect(read('1').list).toEqual([0]);
  expect(read('08f').list).toEqual([7, 8, 9, 10, 11]);
  expect(read('08f').has(7)).toBe(true);
  expect(read('08').has(11)).toBe(false);
  expect(read('all').list).toHaveLength(12);
  expect(read('all').has(12)).toBe(false);
});

it('adds up two lists that each know something the other lacks', () => {
  expect(bothGroups('1', '04')).toBe('14');
  expect(bothGroups('3', '5')).toBe('7');
  expect(bothGroups('', '08')).toBe('08');
  expect(bothGroups('all', '1')).toBe('all');
  expect(bothGroups('1', 'all')).toBe('all');
});
