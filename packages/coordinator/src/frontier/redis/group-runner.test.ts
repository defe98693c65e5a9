import { describe, expect, it } from 'vitest';
import { testClock } from '../clock.fixture.ts';
import { groupRunner } from './group-runner.ts';
import type { Reply } from './resp.ts';
import { scripts } from './scripts.ts';
import type { RedisStore, StoreCall } from './store.ts';

/** A group that keeps its time as time.lua does, and answers when all calls of a moment have come. */
function jumpingGroup() {
  const clock = testClock();
  let [wall, off, last] = [0, 0, 0];
  const modes: string[] = [];

  function answer({ stamp, args }: StoreCall): Reply {
    const now = Number.parseInt(String(stamp?.()), 10);
    const here = clock.now() + wall + off;
    modes.push(String(args[0]));
    if (args[0] === 'repair') {
      last = Math.max(last, now);
      off = last - clock.now() - wall;
      return ['CLOCK', String(last)];
    }
    if (Math.abs(now - here) > 500 || here < last - 500) return ['CLOCK', String(here), String(last)];
    last = Math.max(here, last);
    return ['OK', [String(last), '', '0', []]];
  }

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
    longestHoldMs: () => 1000,
    seen: () => undefined,
    doubtful: () => undefined,
  });
  return {
    clock,
    modes,
    sweep: () => runner.one(0, scripts.sweep, []),
    now: () => runner.now(0),
    jump(ms: number) {
      wall += ms;
    },
  };
}

describe('a clock that jumps', () => {
  it.each([60_000, -60_000, 1_000, -1_000])(
    'by %i ms is not believed by calls that meet it at once',
    async (ms) => {
      const group = jumpingGroup();
      await group.sweep();
      group.clock.advance(1_000);
      group.jump(ms);
      await Promise.all([group.sweep(), group.sweep(), group.sweep()]);
      expect(group.modes).toContain('repair');
      expect(group.now()).toBe(group.clock.now());
      group.clock.advance(1_000);
      await group.sweep();
      expect(group.now()).toBe(group.clock.now());
    },
  );
});
