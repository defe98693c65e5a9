import { systemClock } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { createCpuProfiler } from './cpu-profile.ts';

const never = new AbortController().signal;

/** Keeps a core busy until it is told that this is enough. */
async function burnWhile(isWanted: () => boolean): Promise<number> {
  let sum = 0;
  while (isWanted()) {
    sum += burnABit();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return sum;
}

function burnABit(): number {
  let sum = 0;
  for (let n = 0; n < 1e6; n++) sum += Math.sqrt(n);
  return sum;
}

it('names the function that takes the time, and where it stands', async () => {
  const profiler = createCpuProfiler(systemClock());
  let isOver = false;
  const burning = burnWhile(() => !isOver);
  const profile = await profiler.profile({ ms: 300, top: 5, signal: never });
  isOver = true;
  await burning;
  expect(profile.functions.length).toBeLessThanOrEqual(5);
  // The runtime may put the one into the other.
  const found = profile.functions.find(({ name }) => name.startsWith('burn'));
  expect(found).toMatchObject({ file: 'packages/coordinator/src/resources/cpu-profile.test.ts' });
  expect(found?.line).toBeGreaterThan(5);
  expect(found?.ownMs).toBeGreaterThan(0);
  for (const one of profile.functions) expect(one.totalMs).toBeGreaterThanOrEqual(one.ownMs);
  expect(profile.samples).toBeGreaterThan(10);
});

it('takes one at a time, and ends early for a reader that has gone', async () => {
  const profiler = createCpuProfiler(systemClock());
  const gone = new AbortController();
  const first = profiler.profile({ ms: 60_000, top: 5, signal: gone.signal });
  await expect(profiler.profile({ ms: 10, top: 5, signal: never })).rejects.toMatchObject({
    code: 'conflict',
  });
  gone.abort();
  expect((await first).tookMs).toBeLessThan(60_000);
  expect((await profiler.profile({ ms: 10, top: 5, signal: never })).functions.length).toBeLessThanOrEqual(5);
});
