import { describe, expect, it } from 'vitest';
import { climbStopLadder, stopTimes } from './stop-ladder.ts';

/** A clock that a test moves; what sleeps wakes in order. */
function handClock() {
  let nowMs = 0;
  let sleeping: { at: number; wake: () => void }[] = [];
  return {
    now: () => nowMs,
    wall: () => nowMs,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        const one = { at: nowMs + ms, wake: resolve };
        sleeping.push(one);
        signal?.addEventListener('abort', () => {
          sleeping = sleeping.filter((other) => other !== one);
          reject(new Error('aborted'));
        });
      }),
    async pass(ms: number) {
      for (const end = nowMs + ms; nowMs < end; ) {
        nowMs += 1_000;
        for (const { wake } of sleeping.filter(({ at }) => at <= nowMs)) wake();
        sleeping = sleeping.filter(({ at }) => at > nowMs);
        await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
}

function setUp() {
  const clock = handClock();
  const said: string[] = [];
  const did: string[] = [];
  let signal = () => {};
  const ladder = climbStopLadder(
    {
      clock,
      onInterrupt(handler) {
        signal = handler;
        return () => {
          signal = () => {};
        };
      },
      exitNow: (code) => void did.push(`exit ${code}`),
      terminal: {
        out: () => {},
        err: (text) => void said.push(text),
        live: false,
        colour: false,
        columns: () => 80,
        rows: () => 24,
      },
    },
    { stop: () => void did.push('stop'), drop: () => void did.push('drop') },
  );
  return { clock, said, did, ladder, signal: () => signal() };
}

describe('the stop ladder', () => {
  it('stops, drops and leaves at the first, second and third signal', () => {
    const { did, signal } = setUp();
    for (let n = 0; n < 3; n++) signal();
    expect(did).toEqual(['stop', 'drop', 'exit 130']);
  });

  it('takes the same steps by itself when a stop does not come to its end', async () => {
    const { did, said, signal, clock } = setUp();
    signal();
    await clock.pass(stopTimes.dropMs - 1_000);
    expect(did).toEqual(['stop']);
    await clock.pass(1_000);
    expect(did).toEqual(['stop', 'drop']);
    await clock.pass(stopTimes.leaveMs - stopTimes.dropMs);
    expect(did).toEqual(['stop', 'drop', 'exit 130']);
    expect(said.join('')).toContain('run the same command to resume');
  });

  it('enforces nothing once the process ends by itself, or before a signal', async () => {
    const { did, signal, clock, ladder } = setUp();
    await clock.pass(60_000);
    expect(did).toEqual([]);
    signal();
    ladder.end();
    await clock.pass(60_000);
    expect(did).toEqual(['stop']);
  });
});
