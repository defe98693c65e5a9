import { describe, expect, it } from 'vitest';
import { startDeadline } from './deadline.ts';

/** A request whose time passes by hand, and a body that is told how it does. */
function started(timeoutMs: number) {
  let nowMs = 0;
  let timer: { atMs: number; ring: () => void } | undefined;
  const body = { bytes: 0, waitedMs: 0 };
  // A process may have been busy before this request.
  let delayedMs = 77_000;
  const ended: [number, string][] = [];
  const callOff = startDeadline({
    timeoutMs,
    bounds: {
      within(ms, ring) {
        timer = { atMs: nowMs + ms, ring };
        return () => (timer = undefined);
      },
      unlessAborted: () => () => {},
    },
    holder: { bytes: () => body.bytes, waitedMs: () => body.waitedMs },
    delayedMs: () => delayedMs,
    expired: (why) => ended.push([nowMs, why]),
  });
  return {
    ended,
    callOff,
    /** Lets time pass; each second, as many bytes come or it is made to wait, or nobody looks. */
    pass(seconds: number, each: { bytes?: number; waits?: boolean; unseen?: boolean } = {}) {
      for (let n = 0; n < seconds; n++) {
        nowMs += 1_000;
        body.bytes += each.bytes ?? 0;
        if (each.waits) body.waitedMs += 1_000;
        if (each.unseen) delayedMs += 1_000;
        while (timer && timer.atMs <= nowMs) {
          const { ring } = timer;
          timer = undefined;
          ring();
        }
      }
    },
  };
}

describe('the deadline of a request', () => {
  it('comes after the time allowed, short or long', () => {
    for (const seconds of [5, 10, 25, 30]) {
      const { pass, ended } = started(seconds * 1_000);
      pass(100);
      expect(ended).toEqual([[seconds * 1_000, `not complete within ${seconds}000 ms`]]);
    }
  });

  it('does not come once it was called off', () => {
    const { pass, ended, callOff } = started(30_000);
    pass(15, { bytes: 9_000 });
    callOff();
    pass(100);
    expect(ended).toEqual([]);
  });

  it('comes early for a body that drips', () => {
    const { pass, ended } = started(300_000);
    pass(300, { bytes: 10 });
    expect(ended).toEqual([[20_000, 'only 100 bytes in 10000 ms']]);
  });

  it('waits for a server that thinks before it sends', () => {
    const { pass, ended } = started(120_000);
    pass(61);
    pass(1, { bytes: 5_000 });
    expect(ended).toEqual([]);
    pass(8);
    pass(40, { bytes: 2_000 });
    expect(ended).toEqual([]);
  });

  it('is put off by what we made the body wait, at most by as much again', () => {
    const once = started(30_000);
    once.pass(5, { bytes: 50_000 });
    once.pass(12, { waits: true });
    once.pass(24, { bytes: 50_000 });
    expect(once.ended).toEqual([]);
    once.pass(1);
    expect(once.ended).toEqual([[42_000, 'not complete within 30000 ms']]);
    const always = started(30_000);
    always.pass(1, { bytes: 50_000 });
    always.pass(200, { waits: true });
    expect(always.ended).toEqual([[60_000, 'not complete within 30000 ms']]);
  });

  it('is put off by the time for which this process was too busy to look', () => {
    const busy = started(30_000);
    busy.pass(5, { bytes: 50_000 });
    busy.pass(12, { unseen: true });
    busy.pass(24, { bytes: 50_000 });
    expect(busy.ended).toEqual([]);
    busy.pass(1);
    expect(busy.ended).toEqual([[42_000, 'not complete within 30000 ms']]);
  });

  it('does not take a busy process for a body that drips, and a little work for no excuse', () => {
    const busy = started(300_000);
    busy.pass(10, { bytes: 10 });
    busy.pass(4, { bytes: 10 });
    busy.pass(6, { unseen: true });
    expect(busy.ended).toEqual([]);
    busy.pass(2, { unseen: true });
    busy.pass(8, { bytes: 10 });
    expect(busy.ended).toEqual([[30_000, 'only 80 bytes in 10000 ms']]);
  });
});
