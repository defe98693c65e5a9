import { describe, expect, test } from 'vitest';
import { isKept, judge, type Pair } from './judge.ts';

/** Rounds whose machine is slower or faster by the load of the moment, which weighs on both sides, and by chance. */
function rounds(count: number, loss: number, scatter: readonly number[]): Pair[] {
  return Array.from({ length: count }, (_, n) => {
    const load = 1 + (n % 4) / 2;
    const chance = scatter[n % scatter.length] ?? 0;
    return { here: 500 * load * loss * (1 + chance), base: 500 * load };
  });
}

describe('judge', () => {
  const scatter = [0.01, -0.02, 0.015, -0.005];

  test('keeps a figure that has not changed, whatever the load of each round', () => {
    expect(judge(rounds(4, 1, scatter), 0.95)).toMatchObject({ verdict: 'kept' });
  });

  test('loses a figure that costs an eighth more', () => {
    expect(judge(rounds(4, 1.125, scatter), 0.95)).toMatchObject({ verdict: 'lost' });
  });

  test('asks for more rounds near the bar, and loses nothing by chance when there is no time', () => {
    const worse = judge(rounds(6, 1 / 0.94, [0]), 0.95);
    const better = judge(rounds(6, 1 / 0.96, [0]), 0.95);
    expect([worse.verdict, better.verdict]).toEqual(['open', 'open']);
    expect([isKept(worse), isKept(better)]).toEqual([true, true]);
  });

  test('keeps by two rounds, and loses by three', () => {
    expect(judge(rounds(1, 1, [0]), 0.95).verdict).toBe('open');
    expect(judge(rounds(2, 1, [0]), 0.95).verdict).toBe('kept');
    expect(judge(rounds(2, 2, [0]), 0.95).verdict).toBe('open');
    expect(judge(rounds(3, 2, [0]), 0.95).verdict).toBe('lost');
  });

  test('leaves out one round that is far off', () => {
    const [first, ...others] = rounds(6, 1, scatter) as [Pair, ...Pair[]];
    const { ratio, verdict } = judge([{ ...first, here: first.here * 3 }, ...others], 0.95);
    expect(ratio).toBeCloseTo(1, 1);
    expect(verdict).toBe('kept');
  });

  test('does not keep a figure that was not measured', () => {
    expect(isKept(judge([], 0.95))).toBe(false);
    expect(isKept(judge([{ here: 0, base: 0 }], 0.95))).toBe(false);
  });

  test('keeps a figure that has become nothing', () => {
    const gone = Array.from({ length: 3 }, () => ({ here: 0, base: 4 }));
    expect(isKept(judge(gone, 0.95))).toBe(true);
  });
});
