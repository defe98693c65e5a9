import type { Random } from '../fuzz/random.ts';

/** Where something stands in a frame. */
export type Path = readonly (string | number)[];

/** One change of a frame. `undefined` as a value takes the field out. */
export interface Mutation {
  path: Path;
  value: unknown;
}

const nested = (depth: number): unknown => (depth === 0 ? [] : [nested(depth - 1)]);

/** What no honest worker writes, for any field. Texts spoil packed texts, numbers spoil sums, shapes spoil readers. */
export const wrongs: readonly unknown[] = [
  undefined,
  null,
  true,
  '',
  ' ',
  'a b',
  'x.a b.com',
  'a\nb',
  'a\tb',
  'a\0b',
  'a;b',
  '\ud800',
  '../../etc/passwd',
  '/etc/passwd',
  'http://a b/',
  'http://a.test/\n0000',
  'HTTP://A.TEST:80/../x',
  '127.1',
  '%',
  '-1',
  'x'.repeat(70_000),
  -1,
  -0.5,
  1.5,
  2 ** 53,
  1e15,
  1e308,
  [],
  {},
  ['a b'],
  { length: 1e9 },
  nested(2_000),
];

/** Every place in a value, itself left out. */
export function pathsOf(value: unknown, at: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => {
    const path = [...at, Array.isArray(value) ? Number(key) : key];
    return [path, ...pathsOf(inner, path)];
  });
}

/** A copy of the frame with the changes made, in order; a place that an earlier one took away is passed over. */
export function mutated(frame: object, changes: readonly Mutation[]): object {
  const copy = structuredClone(frame);
  for (const { path, value } of changes) {
    let holder: unknown = copy;
    for (const key of path.slice(0, -1)) holder = (holder as Record<string, unknown> | undefined)?.[key];
    const last = path.at(-1);
    if (typeof holder !== 'object' || holder === null || last === undefined) continue;
    // An earlier change may have put a list where a field was.
    if (Array.isArray(holder) && typeof last === 'string') continue;
    if (value === undefined) delete (holder as Record<string, unknown>)[last];
    // A copy: a later change inside it must not change the list of wrong values.
    else (holder as Record<string, unknown>)[last] = structuredClone(value);
  }
  return copy;
}

/** First every wrong value in every place, then several at once without end. */
export function* mutations(paths: readonly Path[], random: Random): Generator<Mutation[]> {
  for (const path of paths) for (const value of wrongs) yield [{ path, value }];
  for (;;) {
    yield Array.from({ length: 1 + random.below(3) }, () => ({
      path: random.pick(paths),
      value: random.pick(wrongs),
    }));
  }
}
