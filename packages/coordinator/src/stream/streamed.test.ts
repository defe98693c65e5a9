import type { Url } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { ResultEntry, ResultsCursor } from '../results/results.ts';
import { createEntryFrames } from './streamed.ts';

const entries: ResultEntry[] = [
  { kind: 'item', group: 3, place: { major: 1, minor: 0 }, url: 'https://a.test/' as Url, item: { n: 1 } },
];
const [one, other] = ['one' as ResultsCursor, 'other' as ResultsCursor];

it('a page is one frame for all who stand behind it, and another for those who have read more', () => {
  const frameOf = createEntryFrames();
  const first = frameOf({ entries, cursor: one });
  expect(first).toEqual({
    type: 'entries',
    entries: [{ kind: 'item', group: 3, position: '3-1-0', url: 'https://a.test/', item: { n: 1 } }],
    token: 'one',
  });
  expect(frameOf({ entries, cursor: one })).toBe(first);
  expect(frameOf({ entries, cursor: other })).toMatchObject({ token: 'other' });
});
