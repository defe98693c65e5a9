import type { Clock } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { trackStreams } from './open-streams.ts';

function world(limits?: { all: number; each: number }) {
  const sleeping: (() => void)[] = [];
  const clock: Clock = {
    now: () => 0,
    sleep: () => new Promise((resolve) => sleeping.push(resolve)),
  };
  const streams = trackStreams(clock, limits);
  const withdrawn: string[] = [];
  const accepted = new Set(['a', 'b']);
  const enter = (token: string) =>
    streams.enter({
      token,
      isAccepted: () => accepted.has(token),
      withdraw: () => withdrawn.push(token),
    });
  const pass = async () => {
    for (const wake of sleeping.splice(0)) wake();
    await Promise.resolve();
  };
  return { streams, enter, accepted, withdrawn, pass, sleeping };
}

it('withdraws a stream whose token is no longer accepted, and looks no further once all have ended', async () => {
  const { enter, accepted, withdrawn, pass, sleeping } = world();
  const [leaveA, leaveB] = [enter('a'), enter('b')];
  await pass();
  expect(withdrawn).toEqual([]);
  accepted.delete('b');
  await pass();
  expect(withdrawn).toEqual(['b']);
  leaveA();
  leaveB();
  await pass();
  expect(sleeping).toEqual([]);
  enter('a');
  expect(sleeping).toHaveLength(1);
});

it('refuses more than its share to a token, and more than there may be to everyone', () => {
  const { streams, enter } = world({ all: 3, each: 2 });
  const leave = enter('a');
  enter('a');
  expect(() => streams.refuseMore('a')).toThrow('the token has 2 streams open');
  expect(() => streams.refuseMore('b')).not.toThrow();
  enter('b');
  expect(() => streams.refuseMore('b')).toThrow('the coordinator has 3 streams open');
  leave();
  expect(() => streams.refuseMore('a')).not.toThrow();
});
