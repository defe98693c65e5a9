import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { HostMap } from '../survey/host-map.ts';
import { graphPicture } from './graph-picture.ts';
import { stretchesOf, timeChart } from './over-time.ts';
import { logScale, short, ticks, wholeTicks } from './scale.ts';
import { squarify, treemap } from './treemap.ts';

describe('scales', () => {
  it('have round marks that reach the largest value, never too many', () => {
    fc.assert(
      fc.property(fc.double({ min: 1e-9, max: 1e15, noNaN: true }), (max) => {
        const marks = ticks(max);
        expect(marks[0]).toBe(0);
        expect(marks.at(-1)).toBeGreaterThanOrEqual(max * (1 - 1e-9));
        expect(marks.length).toBeLessThanOrEqual(6);
      }),
    );
    expect(ticks(1_650, 3)).toEqual([0, 1_000, 2_000]);
    expect(wholeTicks(2)).toEqual([0, 1, 2]);
    expect([short(0), short(1_500), short(2e7), short(0.25)]).toEqual(['0', '1.5k', '20M', '0.25']);
    expect(logScale(1, 1_000, 300)(10)).toBeCloseTo(100);
  });
});

describe('treemap', () => {
  it('gives every value its share of the room, and nothing overlaps', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 60 }),
        (values) => {
          const sorted = values.toSorted((a, b) => b - a);
          const boxes = squarify(sorted, { x: 0, y: 0, w: 500, h: 200 });
          const total = sorted.reduce((sum, value) => sum + value, 0);
          expect(boxes).toHaveLength(sorted.length);
          for (const [i, { x, y, w, h }] of boxes.entries()) {
            expect((w * h) / 100_000).toBeCloseTo((sorted[i] ?? 0) / total, 6);
            expect(Math.min(x, y)).toBeGreaterThan(-1e-6);
            expect(x + w).toBeLessThan(500.001);
            expect(y + h).toBeLessThan(200.001);
          }
        },
      ),
    );
  });
});

describe('a treemap of one type', () => {
  const tile = (label: string) => ({ label, figure: '7', words: label, value: 7, tone: 'c0' }) as const;
  it('is a strip, and with two of them as tall as ever', () => {
    expect(treemap('x', [tile('a')]).html).toContain('viewBox="0 0 520 48"');
    expect(treemap('x', [tile('a'), tile('b')]).html).toContain('viewBox="0 0 520 210"');
  });
});

describe('the map of hosts', () => {
  const at = (n: number) => ({ x: Math.cos(n), y: Math.sin(n * 3) });
  const host = (name: string, n: number, crawled: boolean): HostMap['hosts'][number] => ({
    host: name,
    centrality: crawled ? 0 : 10,
    linkedFrom: 1,
    linksTo: 0,
    linksHere: 1,
    community: 0,
    crawled,
    place: crawled ? { x: 0, y: 0 } : at(n),
  });
  const others = Array.from({ length: 80 }, (_, n) => host(`other-${n}.test`, n, false));
  const map = { hosts: [...others, host('own.test', 0, true)], links: [], total: 81 };
  const picture = graphPicture('x', map, { width: 1_080, height: 560, names: 22, letter: 6.6 }).html;

  it('names what was crawled, however central others are', () => {
    expect(picture).toContain('>own.test</text>');
  });

  it('draws what was crawled on top, and not as the smallest dot', () => {
    const circles = [...picture.matchAll(/<circle class="([^"]*)"[^>]* r="([\d.]+)"/g)];
    expect(circles.at(-1)?.[1]).not.toContain('outside');
    expect(Number(circles.at(-1)?.[2])).toBeGreaterThanOrEqual(16);
  });
});

describe('time', () => {
  it('has no two equal labels side by side', () => {
    const stretches = Array.from({ length: 12 }, (_, n) => ({ atMs: n * 250, counts: [1] }));
    const layers = [{ name: 'a', tone: 'done' as const, of: ([n = 0]: number[]) => n }];
    const picture = timeChart({
      words: 'x',
      stretches,
      layers,
      show: String,
      tell: () => '',
      width: 1_080,
      height: 200,
    }).html;
    const labels = [...picture.matchAll(/>(?:01-01 )?(00:00:\d\d)</g)].map(([, label]) => label);
    expect(labels).toEqual(['00:00:00', '00:00:01', '00:00:02']);
  });

  it('fills short silences and shows long ones as pauses', () => {
    const at = (atMs: number) => ({ atMs, counts: [1] });
    const found = stretchesOf([at(0), at(1_000), at(4_000), at(100_000)], 1_000);
    expect(found).toEqual([
      at(0),
      at(1_000),
      { atMs: 2_000, counts: [0] },
      { atMs: 3_000, counts: [0] },
      at(4_000),
      { pauseMs: 95_000 },
      at(100_000),
    ]);
  });
});
