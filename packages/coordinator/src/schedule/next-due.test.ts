import { expect, it } from 'vitest';
import { createDueTimes, nextDue } from './next-due.ts';
import { someSchedule } from './schedule.fixture.ts';

const hour = 3_600_000;
const anchorMs = Date.UTC(2026, 0, 1);
const planned = (change: Parameters<typeof someSchedule>[0] = {}) => ({
  id: 's1',
  schedule: someSchedule(change),
  anchorMs,
});

it('counts regular instants from the anchor, whatever the run before does', () => {
  expect(nextDue(planned(), anchorMs, {})).toBe(anchorMs + hour);
  expect(nextDue(planned(), anchorMs, { endedAtMs: anchorMs + 5 })).toBe(anchorMs + hour);
});

it('counts from the end of the run before, and not while it is in progress', () => {
  const after = planned({ timing: 'after-previous' });
  expect(nextDue(after, anchorMs - 1, undefined)).toBe(anchorMs);
  expect(nextDue(after, anchorMs, {})).toBeUndefined();
  expect(nextDue(after, anchorMs, { endedAtMs: anchorMs + 90 })).toBe(anchorMs + 90 + hour);
});

it('counts a cron schedule after the end of the run before', () => {
  const after = planned({ when: { cron: '0 4 * * *' }, timing: 'after-previous' });
  expect(nextDue(after, anchorMs, { endedAtMs: anchorMs + 5 * hour })).toBe(anchorMs + 28 * hour);
});

it('delays each instant by a share of the jitter that never changes and differs between instants', () => {
  const times = createDueTimes(planned({ jitterMs: hour / 2 }));
  const delays = Array.from(
    { length: 50 },
    (_, n) => times.startOf(anchorMs + n * hour) - anchorMs - n * hour,
  );
  expect(delays).toEqual(
    delays.map(
      (_, n) =>
        createDueTimes(planned({ jitterMs: hour / 2 })).startOf(anchorMs + n * hour) - anchorMs - n * hour,
    ),
  );
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
  expect(Math.max(...delays)).toBeLessThan(hour / 2);
  expect(new Set(delays).size).toBeGreaterThan(40);
});

it('never delays an instant past the next one', () => {
  const times = createDueTimes(planned({ jitterMs: 24 * hour }));
  for (let n = 0; n < 50; n++)
    expect(times.startOf(anchorMs + n * hour)).toBeLessThan(anchorMs + (n + 1) * hour);
});

it('finds the latest instants of ten years without looking at them all', () => {
  const everyMinute = createDueTimes(planned({ when: { cron: '* * * * *' }, timeZone: 'Europe/Paris' }));
  const untilMs = Date.UTC(2036, 0, 1);
  const { instants, before } = everyMinute.latest(anchorMs, untilMs, 3);
  expect(instants).toEqual([2, 1, 0].map((minutes) => untilMs - minutes * 60_000));
  expect(before).toBeGreaterThanOrEqual(1_000);
});

it('finds all instants where there are few', () => {
  const daily = createDueTimes(planned({ when: { cron: '0 4 * * *' } }));
  const { instants, before } = daily.latest(anchorMs, anchorMs + 9 * 24 * hour, 3);
  expect([instants.length, instants.at(-1), before]).toEqual([3, anchorMs + (8 * 24 + 4) * hour, 6]);
  expect(daily.latest(anchorMs, anchorMs + hour, 3)).toEqual({ instants: [], before: 0 });
});
