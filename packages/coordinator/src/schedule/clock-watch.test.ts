import { expect, it } from 'vitest';
import { createClockComparison, createClockWatch } from './clock-watch.ts';

it('tells a clock that was set from one that runs a little fast', () => {
  let now = 0;
  let wall = 1_000_000;
  const watch = createClockWatch({ now: () => now, wall: () => wall });
  for (let n = 0; n < 100; n++) {
    now += 1_000;
    wall += 1_500;
    expect(watch.look()).toBe(0);
  }
  wall -= 3_600_000;
  expect(watch.look()).toBe(-3_600_000);
  expect(watch.look()).toBe(0);
});

it('reports a clock that differs once, again where it differs by another amount, and when it agrees', () => {
  const { news } = createClockComparison();
  expect([0, 5_000, -29_000].map((ms) => news(ms, 0))).toEqual([undefined, undefined, undefined]);
  expect([3_600_000, 3_601_000, 3_640_000, 200, 200].map((ms) => news(ms, 0))).toEqual([
    3_600_000,
    undefined,
    3_640_000,
    0,
    undefined,
  ]);
});
