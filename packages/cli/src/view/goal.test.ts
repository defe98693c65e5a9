import type { Balance } from '@webfarer/protocol';
import { describe, expect, test } from 'vitest';
import { frame } from './frame.ts';
import { leftWords } from './goal.ts';
import { plainLine } from './plain-view.ts';
import { sampleSnapshot } from './snapshot.fixture.ts';

const columns = 120;
const barColumns = 20;

function shown(change: Partial<Balance>, pageLimit?: number) {
  const balance = { known: 0, queued: 0, leased: 0, done: 0, failed: 0, refused: 0, ...change };
  const snapshot = sampleSnapshot({ balance });
  const size = { columns, colour: false, ...(pageLimit === undefined ? {} : { pageLimit }) };
  const [line = ''] = frame(snapshot, [], size);
  return {
    full: line.split('█').length - 1,
    text: /\S+ done of .* known/.exec(line)?.[0],
    plain: /\S+ done of .* known/.exec(plainLine(snapshot, pageLimit))?.[0],
  };
}

describe('bar and numbers', () => {
  test('measure by the limit while it comes first, on a terminal and in a log', () => {
    const text = '25 done of 50 (limit), 1,000 known';
    expect(shown({ known: 1000, queued: 975, done: 25 }, 50)).toEqual({
      full: barColumns / 2,
      text,
      plain: text,
    });
  });

  test('are full at the limit, not before', () => {
    expect(shown({ known: 1000, queued: 951, done: 49 }, 50).full).toBe(barColumns - 1);
    expect(shown({ known: 1000, queued: 950, done: 50 }, 50).full).toBe(barColumns);
  });

  test('measure by what is known where that ends before the limit', () => {
    const text = '25 done of 50 known';
    expect(shown({ known: 50, queued: 25, done: 25 }, 5000)).toEqual({
      full: barColumns / 2,
      text,
      plain: text,
    });
  });

  test('never say that more is done than the goal', () => {
    // Images and sitemaps are done too, but are not pages.
    const text = '80 done of 160 known';
    expect(shown({ known: 160, queued: 80, done: 80 }, 50)).toEqual({
      full: barColumns / 2,
      text,
      plain: text,
    });
  });

  test('whatever the balance, the filled part is the quotient of the two numbers before it', () => {
    for (const known of [1, 7, 60, 1000])
      for (const limit of [1, 5, 59, 60, 5000])
        for (let done = 0; done <= known; done += Math.ceil(known / 9)) {
          const { full, text = '' } = shown({ known, queued: known - done, done }, limit);
          const [part = 0, goal = 1] = (text.match(/[\d,]+/g) ?? []).map((n) =>
            Number(n.replaceAll(',', '')),
          );
          const expected = part === 0 ? 0 : Math.max(1, Math.floor((part / goal) * barColumns));
          expect([text, full]).toEqual([text, expected]);
        }
  });
});

test('the time left says whether the page limit or the queue decides it', () => {
  expect(leftWords({})).toBeUndefined();
  expect(leftWords({ leftMs: 2_940_000 })).toBe('left about 49 min');
  expect(leftWords({ leftMs: 2_940_000, leftAtMost: true })).toBe('left at most 49 min');
});

test('the time left is a range where new URLs may still be found', () => {
  expect(leftWords({ leftMs: 2_400_000, leftToMs: 7_200_000 })).toBe('left 40 min to 2 h');
  expect(leftWords({ leftMs: 2_800_000, leftToMs: 3_080_000 })).toBe('left about 49 min');
});
