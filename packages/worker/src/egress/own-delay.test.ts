import type { Clock } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { watchOwnDelay } from './own-delay.ts';

/** Timers that come as late as it is said. */
function lateClock() {
  let nowMs = 5_000;
  let wake: (() => void) | undefined;
  const clock: Clock = {
    now: () => nowMs,
    sleep: () => new Promise<void>((resolve) => (wake = resolve)),
  };
  return {
    clock,
    pass: (ms: number) => void (nowMs += ms),
    async ring(): Promise<void> {
      wake?.();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

it('is what timers come late, also before they have come', async () => {
  const { clock, pass, ring } = lateClock();
  const watch = watchOwnDelay(clock);
  const delay = watch.start();
  pass(150);
  await ring();
  expect(delay.totalMs()).toBe(0);
  pass(2_100);
  expect(delay.totalMs()).toBe(2_000);
  await ring();
  expect(delay.totalMs()).toBe(2_000);
  expect(watch.start()).toBe(delay);
  pass(400);
  await ring();
  expect(delay.totalMs()).toBe(2_300);
  watch.stop();
  await ring();
  pass(60_000);
  expect(delay.totalMs()).toBe(2_300);
});
