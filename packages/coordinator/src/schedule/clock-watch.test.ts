import { expect, it } from 'vitest';
import { createClockWatch } from './clock-watch.ts';

it('tells a clock that was set from one that runs a little fast', () => {
  let now = 0;
  let wall = 1_000_000;
  const watch = createClockWatch({ clock: { now: () => now }, wallMs: () => wall });
  for (let n = 0; n < 100; n++) {
    now += 1_000;
    wall += 1_500;
    expect(watch.look()).toBe(0);
  }
  wall -= 3_600_000;
  expect(watch.look()).toBe(-3_600_000);
  expect(watch.look()).toBe(0);
});
