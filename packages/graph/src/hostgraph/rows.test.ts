import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csrOf, transpose } from './csr.ts';
import { degreeCounts, degreesOf, reciprocity } from './degrees.ts';
import { fitPowerLaw, zeta } from './power-law.ts';

/** Graphs of up to twelve nodes as sorted rows without repeats. */
const graphs = fc
  .integer({ min: 1, max: 12 })
  .chain((nodes) =>
    fc.array(fc.uniqueArray(fc.nat(nodes - 1), { maxLength: nodes }), { minLength: nodes, maxLength: nodes }),
  )
  .map((rows) => rows.map((row) => row.toSorted((a, b) => a - b)));

const pairsOf = (rows: number[][]) => rows.flatMap((row, from) => row.map((to) => `${from} ${to}`));

describe('a graph in rows', () => {
  it('turned round has each link the other way, in order', () => {
    fc.assert(
      fc.property(graphs, (rows) => {
        const turned = transpose(csrOf(rows));
        const back = rows.map((_, node) =>
          Array.from(turned.targets.subarray(turned.offsets[node], turned.offsets[node + 1])),
        );
        const wanted = rows.map((_, node) => rows.flatMap((row, from) => (row.includes(node) ? [from] : [])));
        expect(back).toEqual(wanted);
      }),
    );
  });

  it('has the degrees that its rows have', () => {
    fc.assert(
      fc.property(graphs, (rows) => {
        const degrees = degreesOf(csrOf(rows));
        expect(Array.from(degrees)).toEqual(rows.map((row) => row.length));
        const counts = degreeCounts(degrees);
        expect(counts.reduce((sum, { nodes }) => sum + nodes, 0)).toBe(rows.length);
        expect(counts.map(({ degree }) => degree)).toEqual(
          [...new Set(rows.map((row) => row.length))].toSorted((a, b) => a - b),
        );
      }),
    );
  });

  it('answers the part of its links that a plain look finds answered', () => {
    fc.assert(
      fc.property(graphs, (rows) => {
        const out = csrOf(rows);
        const pairs = new Set(pairsOf(rows));
        const others = [...pairs].map((pair) => pair.split(' ')).filter(([from, to]) => from !== to);
        const answered = others.filter(([from, to]) => pairs.has(`${to} ${from}`)).length;
        const wanted = others.length === 0 ? 0 : answered / others.length;
        expect(reciprocity(out, transpose(out))).toBeCloseTo(wanted, 12);
      }),
    );
  });
});

describe('power laws', () => {
  it('stand on a zeta function that agrees with the plain sum', () => {
    for (const [s, q] of [
      [2.1, 1],
      [3, 5],
      [2.5, 40],
    ] as const) {
      let sum = 0;
      const last = 200_000;
      for (let k = last; k >= 0; k--) sum += (q + k) ** -s;
      // What is left of the sum lies between two integrals.
      const rest = (q + last + 0.5) ** (1 - s) / (s - 1);
      expect(zeta(s, q)).toBeCloseTo(sum + rest, 9);
    }
    expect(zeta(2, 1)).toBeCloseTo(Math.PI ** 2 / 6, 12);
  });

  it('are not claimed of a handful of nodes or of a single degree', () => {
    expect(fitPowerLaw([])).toBeUndefined();
    expect(fitPowerLaw([{ degree: 3, nodes: 1_000 }])).toBeUndefined();
    expect(fitPowerLaw([1, 2, 3].map((degree) => ({ degree, nodes: 5 })))).toBeUndefined();
  });

  it('begin where the tail does, not where the data does', () => {
    // Up to 9 the counts are flat; from 10 on they fall as degree^-2.5.
    const counts = Array.from({ length: 2_000 }, (_, i) => {
      const degree = i + 1;
      return { degree, nodes: Math.round(4e6 * Math.max(degree, 10) ** -2.5) };
    }).filter(({ nodes }) => nodes > 0);
    const law = fitPowerLaw(counts);
    expect(law?.from).toBeGreaterThanOrEqual(9);
    expect(law?.from).toBeLessThanOrEqual(14);
    expect(law?.exponent).toBeGreaterThan(2.4);
    expect(law?.exponent).toBeLessThan(2.6);
  });
});
