import { type DatedClock, systemClock } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { asked, okAnswer, rawServer, testEgress } from './servers.fixture.ts';

const real = systemClock();
const hourMs = 3_600_000;

/** As after a suspension, or where the wall clock was set: it is ahead of the one that runs on evenly. */
const ahead = (ms: number): DatedClock => ({ ...real, wall: () => real.wall() + ms });

it.each([
  ['a machine that slept', 8 * hourMs],
  ['a clock that was an hour fast', -hourMs],
])('dates a request by the wall clock, and measures it by the other one: %s', async (_, aheadMs) => {
  const clock = ahead(aheadMs);
  const server = await rawServer((socket) => socket.write(okAnswer('hello')));
  const beforeMs = clock.wall();
  const answer = await testEgress({ clock }).fetch(asked(`${server.base}/`));
  if (!answer.ok) throw new Error(answer.detail);
  expect(answer.startedAtMs).toBeGreaterThanOrEqual(beforeMs);
  expect(answer.startedAtMs).toBeLessThanOrEqual(clock.wall());
  expect(answer.durationMs).toBeLessThan(hourMs / 2);
  expect(answer.firstByteMs).toBeGreaterThanOrEqual(0);
  expect(answer.firstByteMs).toBeLessThanOrEqual(answer.durationMs);
  const failure = await testEgress({ clock }).fetch(asked('http://127.0.0.1:1/'));
  if (failure.ok) throw new Error('nobody listens there');
  expect(failure.startedAtMs).toBeGreaterThanOrEqual(beforeMs);
  answer.release();
});
