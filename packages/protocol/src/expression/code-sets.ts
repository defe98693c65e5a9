/** Sets of code points as sorted ranges that do not touch, both ends included. */
export type CodeSet = readonly (readonly [from: number, to: number])[];

const lastUnit = 0xffff;

export const digits: CodeSet = [[0x30, 0x39]];
export const wordCharacters: CodeSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
/** What `\s` is in JavaScript: white space and line terminators of all scripts. */
export const spaces: CodeSet = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
/** What `.` does not match in JavaScript. */
export const lineTerminators: CodeSet = [
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
];

export function union(...sets: readonly CodeSet[]): CodeSet {
  const merged: [number, number][] = [];
  for (const [from, to] of sets.flat().toSorted(([one], [other]) => one - other)) {
    const last = merged.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

export function complement(set: CodeSet, most: number): CodeSet {
  const rest: [number, number][] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) rest.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= most) rest.push([next, most]);
  return rest;
}

export const isAscii = (set: CodeSet): boolean => (set.at(-1)?.[1] ?? 0) < 0x80;

const has = (set: CodeSet, code: number): boolean => set.some(([from, to]) => from <= code && code <= to);

/** With all code units that flag `i` without `u` takes for the same. */
export function withOtherCases(set: CodeSet): CodeSet {
  if (!isAscii(set) && allCases.length === 0) allCases.push(...casesOfAll());
  const added = (isAscii(set) ? asciiCases : allCases).filter((units) => {
    const inside = units.filter((unit) => has(set, unit)).length;
    return inside > 0 && inside < units.length;
  });
  return added.length === 0 ? set : union(set, unitsOf(added.flat()));
}

const unitsOf = (units: readonly number[]): CodeSet => union(units.map((unit) => [unit, unit] as const));

const asciiCases: readonly (readonly number[])[] = Array.from({ length: 26 }, (_, letter) => [
  0x41 + letter,
  0x61 + letter,
]);

/** A table, filled when an expression first needs it. */
const allCases: (readonly number[])[] = [];

/**
 * The groups of code units with one canonical form (ECMA-262, Canonicalize): their upper case, if that is one unit and not
 * ASCII for a unit that is not.
 */
function casesOfAll(): readonly (readonly number[])[] {
  const groups = new Map<number, number[]>();
  for (let unit = 0; unit <= lastUnit; unit++) {
    const form = canonical(unit);
    const group = groups.get(form);
    if (group) group.push(unit);
    else groups.set(form, [unit]);
  }
  return [...groups.values()].filter(({ length }) => length > 1);
}

function canonical(unit: number): number {
  const upper = String.fromCharCode(unit).toUpperCase();
  const code = upper.charCodeAt(0);
  return upper.length !== 1 || (unit >= 0x80 && code < 0x80) ? unit : code;
}
