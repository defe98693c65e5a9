import type { Clock } from '@webfarer/protocol';
import { expect, test } from 'vitest';
import { cpuShare, parseCpuShare } from './cpu-share.ts';

/** A world in which time passes only by work and by sleep. */
function world(share: number) {
  const time = { now: 0, cpu: 0 };
  const clock: Clock = {
    now: () => time.now,
    sleep: async (ms) => {
      time.now += ms;
    },
  };
  const rest = cpuShare(share, clock, () => time.cpu);
  return {
    time,
    async work(cpuMs: number, wallMs = cpuMs) {
      time.cpu += cpuMs;
      time.now += wallMs;
      await rest();
    },
  };
}

test('however the work is cut, its share of the time is kept', async () => {
  for (const piece of [0.3, 5, 700]) {
    const { time, work } = world(0.25);
    while (time.cpu < 60_000) await work(piece);
    expect(time.cpu / time.now).toBeCloseTo(0.25, 2);
  }
});

test('time that was slept through is not made up for at full speed', async () => {
  const { time, work } = world(0.25);
  await work(100);
  await work(0, 3_600_000);
  const before = { ...time };
  while (time.now - before.now < 20_000) await work(10);
  expect((time.cpu - before.cpu) / (time.now - before.now)).toBeLessThan(0.35);
});

test('nothing is slept where the share is not used up', async () => {
  const { time, work } = world(0.5);
  for (let n = 0; n < 1_000; n++) await work(1, 3);
  expect(time.now).toBe(3_000);
});

test('shares are per cent', () => {
  expect([parseCpuShare('25'), parseCpuShare('12.5%')]).toEqual([0.25, 0.125]);
  for (const wrong of ['', '0', '101', 'a lot', '-3'])
    expect(() => parseCpuShare(wrong)).toThrow('--cpu-share');
});
