import { describe, expect, it } from 'vitest';
import { type DatedClock, systemClock } from '@webfarer/protocol';
import { asked, okAnswer, rawServer, testEgress } from './servers.fixture.ts';

const connectTimeoutMs = 7_777;

/** A clock that is an hour on once the moment has come; its timers do not know, as after a frozen process. */
function frozenFrom(isMoment: (sleepMs: number) => boolean): DatedClock {
  const real = systemClock();
  let lostMs = 0;
  return {
    now: () => real.now() + lostMs,
    wall: () => real.wall() + lostMs,
    sleep(ms, signal) {
      if (isMoment(ms)) lostMs = 3_600_000;
      return real.sleep(ms, signal);
    },
  };
}

describe('a process that was frozen', () => {
  it('sends no request on the connection it had been waiting for', async () => {
    const heads: string[] = [];
    const { base } = await rawServer((socket, head) => {
      heads.push(head);
      socket.write(okAnswer('x'));
    });
    const clock = frozenFrom((ms) => ms === connectTimeoutMs);
    const answer = await testEgress({ clock, connectTimeoutMs }).fetch(asked(base));
    expect(answer).toMatchObject({ ok: false, reason: 'connect-timeout', contacted: true });
    expect(heads).toEqual([]);
  });

  it('opens no connection after its deadline', async () => {
    const { base } = await rawServer((socket) => socket.write(okAnswer('x')));
    const clock = frozenFrom(() => true);
    const answer = await testEgress({ clock, connectTimeoutMs }).fetch(asked(base));
    expect(answer).toMatchObject({ ok: false, reason: 'dns-failed', contacted: false });
  });
});

describe('a process that was busy', () => {
  /** Of the time since it was made, this share. */
  const busyFor = (share: number) => {
    const clock = systemClock();
    const fromMs = clock.now();
    return { totalMs: () => (clock.now() - fromMs) * share };
  };

  it('does not say that a host was late which it did not look at', async () => {
    const { base } = await rawServer((socket) =>
      socket.write('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx'),
    );
    const silent = await rawServer(() => undefined);
    const late = (to: string, share: number) =>
      testEgress({ delay: busyFor(share) }).fetch(asked(to, { timeoutMs: 150 }));
    expect(await late(silent.base, 0.9)).toMatchObject({ ok: false, reason: 'timeout', notBegun: true });
    expect(await late(base, 0.9)).toMatchObject({ ok: false, reason: 'timeout', notBegun: true });
    const fault = await late(silent.base, 0.2);
    expect(fault).toMatchObject({ ok: false, reason: 'timeout' });
    expect(fault).not.toHaveProperty('notBegun');
    expect(await late(base, 0.2)).toMatchObject({ ok: true, truncated: 'time' });
  });
});
