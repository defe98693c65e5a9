import { expect, it } from 'vitest';
import { createBlockRule } from './block-rule.ts';

it('leaves a crawl alone that blocks the loop once or twice in five minutes', () => {
  const rule = createBlockRule();
  for (let nowMs = 0; nowMs < 3_600_000; nowMs += 150_000)
    expect(rule.add('slow', 60_000, nowMs)).toBeUndefined();
});

it('pauses a crawl that does it three times, for at least five minutes', () => {
  const rule = createBlockRule();
  expect([0, 1_000].map((nowMs) => rule.add('bad', 1_500, nowMs))).toEqual([undefined, undefined]);
  expect(rule.add('other', 1_500, 2_000)).toBeUndefined();
  expect(rule.add('bad', 2_000, 299_999)).toEqual({ count: 3, sumMs: 5_000, pauseMs: 300_000 });
  // It begins anew.
  expect(rule.add('bad', 1_500, 300_000)).toBeUndefined();
});

it('pauses for longer where the blocks were long', () => {
  const rule = createBlockRule();
  for (const nowMs of [0, 50_000]) rule.add('bad', 30_000, nowMs);
  expect(rule.add('bad', 30_000, 100_000)?.pauseMs).toBe(1_800_000);
});
