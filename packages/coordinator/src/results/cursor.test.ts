import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeCursor, encodeCursor, groupPlaces, hasSeen, laterCursor, noMark } from './cursor.ts';
import type { Place, ResultsCursor } from './results.ts';

const place = fc.record({
  major: fc.oneof(fc.nat(), fc.integer({ min: 1.7e12, max: 1.8e12 })),
  minor: fc.oneof(fc.constant(0), fc.nat()),
});
const groups = fc
  .uniqueArray(fc.tuple(fc.nat(1_023), place), { selector: ([group]) => group, maxLength: 1_024 })
  .map((list) => new Map<number, Place>(list.toSorted(([a], [b]) => a - b)));

it('gives back the places that it was made of', () => {
  fc.assert(
    fc.property(groups, fc.nat(1_023), fc.string(), (map, next, history) => {
      const places = { history, mark: 'abcdEF-_', next, groups: map };
      const read = decodeCursor(encodeCursor(places), history);
      expect({ ...read, groups: [...read.groups] }).toEqual({ ...places, groups: [...map] });
    }),
  );
});

it('of two, the later place in each group can be had', () => {
  const written = (map: Map<number, Place>) =>
    encodeCursor({ history: 'h', mark: noMark, next: 0, groups: map });
  fc.assert(
    fc.property(groups, groups, (a, b) => {
      const merged = groupPlaces(laterCursor(written(a), written(b)));
      for (const [group, place] of [...a, ...b]) expect(hasSeen(merged.get(group), place)).toBe(true);
      for (const [group, place] of merged) expect([a.get(group), b.get(group)]).toContainEqual(place);
    }),
  );
  const other = encodeCursor({ history: 'i', mark: noMark, next: 0, groups: new Map() });
  expect(() => laterCursor(other, written(new Map()))).toThrow(
    expect.objectContaining({ code: 'cursor-stale' }),
  );
});

it('is short where few groups have moved, and bounded where all have', () => {
  const year = 366 * 86_400_000;
  const moved = (count: number, spreadMs: number) =>
    encodeCursor({
      history: 'h',
      mark: noMark,
      next: 0,
      groups: new Map(
        Array.from({ length: count }, (_, n) => [
          n,
          { major: 1.8e12 - ((n * 7_919_003) % spreadMs), minor: 3 },
        ]),
      ),
    }).length;
  expect(moved(1, year)).toBeLessThan(40);
  expect(moved(10, year)).toBeLessThan(120);
  expect(moved(1_024, 3_600_000)).toBeLessThan(7_200);
  expect(moved(1_024, year)).toBeLessThan(8_600);
});

it('is refused in the history of another crawl', () => {
  const cursor = encodeCursor({
    history: 'one',
    mark: noMark,
    next: 0,
    groups: new Map([[7, { major: 5, minor: 0 }]]),
  });
  expect(() => decodeCursor(cursor, 'two')).toThrow(expect.objectContaining({ code: 'cursor-stale' }));
});

it('is refused when it is cut, longer, or something else', () => {
  const cursor = encodeCursor({
    history: 'h',
    mark: noMark,
    next: 3,
    groups: new Map([[7, { major: 5e11, minor: 200 }]]),
  });
  const others = [...Array.from({ length: cursor.length }, (_, n) => cursor.slice(0, n)), `${cursor}AAAA`];
  for (const other of [...others, 'no cursor', 'A'.repeat(20), '\u0000'.repeat(20), 'x'.repeat(99_999)])
    expect(() => decodeCursor(other as ResultsCursor, 'h'), other).toThrow(
      expect.objectContaining({ code: 'usage' }),
    );
});

it('never loops or throws anything else, whatever bytes it is given', () => {
  const head = Buffer.from(
    encodeCursor({ history: 'h', mark: noMark, next: 0, groups: new Map() }),
    'base64url',
  );
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      const text = Buffer.concat([head.subarray(0, 15), bytes]).toString('base64url') as ResultsCursor;
      try {
        decodeCursor(text, 'h');
      } catch (error) {
        expect(error).toMatchObject({ code: 'usage' });
      }
    }),
  );
});
