import { expect, it } from 'vitest';
import { testClock } from '../../frontier/suite/clock.fixture.ts';
import { createRunningTime } from './running-time.ts';

it('stands still while the crawl is paused, for whatever reason and however often that is said', () => {
  const clock = testClock();
  const time = createRunningTime(clock, 2_000);
  clock.advance(8_000);
  time.set(false);
  clock.advance(30_000);
  time.set(false);
  clock.advance(15_000);
  expect(time.elapsedMs()).toBe(10_000);
  time.set(true);
  clock.advance(500);
  time.set(true);
  clock.advance(500);
  expect(time.elapsedMs()).toBe(11_000);
});

it('tells the store what it saw since it last did, and takes over what others saw', async () => {
  const clock = testClock();
  const time = createRunningTime(clock, 1_000);
  const told: [number, number][] = [];
  const answering = (all: number) => async (ran: { sinceMs: number; atLeastMs: number }) => {
    told.push([ran.sinceMs, ran.atLeastMs]);
    return all;
  };
  clock.advance(5_000);
  await time.keep(answering(20_000));
  expect(time.elapsedMs()).toBe(20_000);
  clock.advance(5_000);
  await time.keep(answering(25_000));
  expect(time.elapsedMs()).toBe(25_000);
  expect(told).toEqual([
    [5_000, 6_000],
    [5_000, 25_000],
  ]);
});
