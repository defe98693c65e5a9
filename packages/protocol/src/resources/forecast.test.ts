import { expect, it } from 'vitest';
import { forecastEmpty } from './forecast.ts';

const minute = 60_000;
const hour = 60 * minute;
const gib = 2 ** 30;
/** One look a minute. */
const times = (count: number) => Array.from({ length: count }, (_, n) => 1_800_000_000_000 + n * minute);

it('says when what shrinks evenly is used up', () => {
  const left = times(60).map((_, n) => 10 * gib - (n * gib) / 60);
  const found = forecastEmpty(times(60), left, 16 * gib);
  expect(Math.round((found?.soonestMs ?? 0) / hour)).toBe(9);
  expect(Math.round((found?.latestMs ?? 0) / hour)).toBe(9);
});

it('answers a range where the pace changed, and no end where half of it showed none', () => {
  const faster = times(60).map(
    (_, n) => 10 * gib - (n < 30 ? n * gib * 0.01 : (0.3 + (n - 30) * 0.04) * gib),
  );
  const range = forecastEmpty(times(60), faster, 16 * gib);
  expect(range?.soonestMs).toBeLessThan((range?.latestMs ?? 0) / 2);
  const stopped = times(60).map((_, n) => 10 * gib - Math.min(n, 30) * gib * 0.02);
  expect(forecastEmpty(times(60), stopped, 16 * gib)).toMatchObject({ latestMs: undefined });
});

it('says nothing of what grows, stands still, wavers or was hardly seen', () => {
  const flat = times(60).map((_, n) => 10 * gib + (n % 2) * gib * 0.001);
  expect(forecastEmpty(times(60), flat, 16 * gib)).toBeUndefined();
  expect(
    forecastEmpty(
      times(60),
      flat.map((value, n) => value + n * 1e6),
      16 * gib,
    ),
  ).toBeUndefined();
  const short = times(8).map((_, n) => 10 * gib - n * gib);
  expect(forecastEmpty(times(8), short, 16 * gib)).toBeUndefined();
  expect(
    forecastEmpty(
      times(60),
      times(60).map(() => null),
      16 * gib,
    ),
  ).toBeUndefined();
});
