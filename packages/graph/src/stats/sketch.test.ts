import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hashOf, PrefixHash, Sketch } from './sketch.ts';

const words = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, i) => `https://example.org/page/${from + i}`);

function sketchOf(values: string[], size?: number): Sketch {
  const sketch = new Sketch(size);
  for (const value of values) sketch.add(value);
  return sketch;
}

describe('sketch', () => {
  it('is exact while it holds everything', () => {
    const value = fc.string({ unit: 'binary', maxLength: 12 });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 80 }), fc.array(value, { maxLength: 80 }), (a, b) => {
        const found = Sketch.overlap(sketchOf(a), sketchOf(b));
        const inB = new Set(b);
        const both = [...new Set(a)].filter((v) => inB.has(v)).length;
        expect(found).toEqual({ both, either: new Set([...a, ...b]).size, exact: true });
        expect(sketchOf(a).distinct).toBe(new Set(a).size);
      }),
    );
  });

  it('estimates within its error beyond that, whatever is repeated', () => {
    const size = 4_096;
    const all = words(0, 200_000);
    const a = sketchOf([...all, ...all.slice(0, 50_000)], size);
    const b = sketchOf(words(150_000, 350_000), size);
    expect(a.exact).toBe(false);
    expect(Math.abs(a.distinct / 200_000 - 1)).toBeLessThan(4 / Math.sqrt(size));
    const { both, either } = Sketch.overlap(a, b);
    expect(Math.abs(both / either - 50_000 / 350_000)).toBeLessThan(2 / Math.sqrt(size));
  });

  it('compares a small crawl with a large one by the coarser of the two', () => {
    const { both, either } = Sketch.overlap(
      sketchOf(words(0, 3_000), 4_096),
      sketchOf(words(0, 60_000), 4_096),
    );
    expect(Math.abs(both / either - 0.05)).toBeLessThan(0.02);
  });
});

describe('the hash of texts that begin alike', () => {
  it('is that of each text', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'é'), maxLength: 300 });
    fc.assert(
      fc.property(fc.array(fc.tuple(text, fc.nat(300), fc.boolean())), (texts) => {
        const hash = new PrefixHash();
        let before = '';
        for (const [end, shared, isNew] of texts) {
          if (isNew) hash.reset();
          const all = before.slice(0, shared) + end;
          const codes = Uint16Array.from(all, (letter) => letter.charCodeAt(0));
          expect(hash.of(codes, all.length, Math.min(shared, before.length))).toBe(hashOf(all));
          if (all !== '') expect(hash.start(1)).toBe(hashOf(all.slice(0, 1)));
          before = all;
        }
      }),
    );
  });
});
