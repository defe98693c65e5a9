import { describe, expect, it } from 'vitest';
import { testClock } from '../frontier/suite/clock.fixture.ts';
import { groupRunner } from './group-runner.ts';
import type { Reply } from './wire/resp.ts';
import { scripts } from './client/scripts.ts';
import type { RedisStore, StoreCall } from './store.ts';

const holdMs = 40_000;

/** A group that keeps its time as time.lua does, and any number of processes with clocks of their own. */
function group() {
  const real = testClock(10_000_000_000);
  let [wall, last, doubtedUntil] = [0, 0, 0];

  function answer({ stamp, args, script }: StoreCall): Reply {
    const now = Number.parseInt(String(stamp?.()), 10);
    const here = Math.max(real.now() + wall, last);
    const [mode, waryMs, forMs] = args as [string, number, number];
    if (script === scripts.doubt) {
      doubtedUntil = real.now() + forMs;
      return ['OK', ''];
    }
    const doubted = mode === 'new' && waryMs === 0 ? Math.max(0, doubtedUntil - real.now()) : 0;
    if (Math.abs(now - here) > 500 || doubted > 0)
      return ['CLOCK', String(here), String(last), String(doubted)];
    if (waryMs === 0) last = here;
    return ['OK', [String(here), '', String(waryMs), []]];
  }

  function member(skewMs = 0) {
    let lostMs = 0;
    let waryMs = 0;
    const clock = { ...real, now: () => real.now() + skewMs - lostMs };
    const store = {
      async run(calls: StoreCall[]): Promise<Reply[]> {
        const replies = calls.map(answer);
        await Promise.resolve();
        return replies;
      },
    };
    const runner = groupRunner({
      store: store as unknown as RedisStore,
      clock,
      time: 'store',
      longestHoldMs: () => holdMs,
      seen: (outlook) => {
        waryMs = outlook.heldUntil;
      },
      doubtful: () => undefined,
    });
    return {
      /** Answers for how long it grants nothing. */
      async asks(): Promise<number> {
        await runner.one(0, scripts.sweep, []);
        return waryMs;
      },
      /** How far its idea of the group's time is from the right one. */
      isOffMs: () => runner.now(0) - Math.max(real.now() + wall, last),
      /** The machine was suspended: its monotonic clock stood still. */
      suspend(ms: number) {
        lostMs += ms;
        real.advance(ms);
      },
    };
  }

  return {
    clock: real,
    member,
    jump(ms: number) {
      wall += ms;
    },
  };
}

describe('a store whose clock jumps forward', () => {
  it('is not trusted by any process that knew it before, for the longest hold', async () => {
    const { clock, member, jump } = group();
    const [a, b] = [member(), member()];
    for (const each of [a, b]) expect(await each.asks()).toBe(0);
    clock.advance(1_000);
    jump(60_000);
    expect(await Promise.all([a.asks(), a.asks(), a.asks()])).toEqual([holdMs, holdMs, holdMs]);
    expect(a.isOffMs()).toBe(0);
    // The first one has taken the new time, but does not vouch for it.
    expect(await b.asks()).toBe(holdMs);
    clock.advance(holdMs);
    expect([await a.asks(), await b.asks()]).toEqual([0, 0]);
  });

  it('is not trusted by a newcomer either, whose own clock agrees with the new time', async () => {
    const { clock, member, jump } = group();
    const a = member();
    await a.asks();
    jump(60_000);
    await a.asks();
    clock.advance(1_000);
    expect(await member(60_000).asks()).toBe(holdMs - 1_000);
    clock.advance(holdMs);
    expect(await member(60_000).asks()).toBe(0);
  });

  it('and back is no reason to wait: time goes on from where it was', async () => {
    const { clock, member, jump } = group();
    const a = member();
    await a.asks();
    jump(-60_000);
    clock.advance(1_000);
    expect(await a.asks()).toBe(0);
    expect(a.isOffMs()).toBe(0);
  });
});

describe('a process whose clock is wrong', () => {
  it.each([2_000, -2_000, 3_600_000, -3_600_000])(
    'by %i ms waits alone when it comes, and once',
    async (ms) => {
      const { clock, member } = group();
      const a = member();
      await a.asks();
      clock.advance(10_000);
      const b = member(ms);
      expect(await b.asks()).toBe(holdMs);
      expect(b.isOffMs()).toBe(0);
      expect(await a.asks()).toBe(0);
      clock.advance(holdMs);
      expect([await a.asks(), await b.asks()]).toEqual([0, 0]);
    },
  );

  it('does not wait where another one has just agreed with the time', async () => {
    const { clock, member } = group();
    await member().asks();
    clock.advance(900);
    expect(await member(2_000).asks()).toBe(0);
  });

  it('because it was suspended waits alone', async () => {
    const { member } = group();
    const [a, b] = [member(), member()];
    for (const each of [a, b]) await each.asks();
    b.suspend(10_000);
    expect([await b.asks(), await a.asks()]).toEqual([holdMs, 0]);
  });

  it('because it was suspended does not wait where others were at work meanwhile', async () => {
    const { member } = group();
    const [a, b] = [member(), member()];
    for (const each of [a, b]) await each.asks();
    b.suspend(10_000);
    await a.asks();
    expect(await b.asks()).toBe(0);
  });
});
