import { expect, it } from 'vitest';
import { createCrawlPace } from './crawl-pace.ts';

const minute = 60_000;

/** A clock whose sleeps end when they are told to. */
function lab() {
  let now = 0;
  let held = false;
  let isRunning = true;
  let leftMs = Number.POSITIVE_INFINITY;
  const slept: number[] = [];
  const clock = {
    now: () => now,
    sleep(ms: number, signal?: AbortSignal) {
      slept.push(ms);
      return new Promise<void>((_, fail) => {
        signal?.addEventListener('abort', () => fail(new Error('aborted')));
      });
    },
  };
  const pace = createCrawlPace({
    clock,
    isHeld: () => held,
    isRunning: () => isRunning,
    leftMs: () => leftMs,
  });
  return {
    pace,
    slept,
    /** How long a duty that looks once a second sleeps now. */
    sleepNow() {
      void pace
        .clock({ resting: 15_000 })
        .sleep(1_000)
        .catch(() => undefined);
      return slept.at(-1);
    },
    pass(ms: number) {
      now += ms;
    },
    hold(isHeld: boolean) {
      held = isHeld;
    },
    run(runs: boolean) {
      isRunning = runs;
    },
    leave(ms: number) {
      leftMs = ms;
    },
  };
}

it('duties sleep longer once a crawl has been calm for a while and is due much later', () => {
  const { pace, sleepNow, pass } = lab();
  pace.due(60 * minute);
  expect(sleepNow()).toBe(5_000);
  pass(9_999);
  expect(sleepNow()).toBe(5_000);
  pass(1);
  expect(sleepNow()).toBe(15_000);
});

it('a crawl does not rest when it may be due soon, when workers hold leases of it, or when nobody knows', () => {
  const { pace, sleepNow, pass, hold } = lab();
  pass(10_000);
  expect(sleepNow()).toBe(1_000);
  pace.due(minute - 1);
  expect(sleepNow()).toBe(5_000);
  pace.due(Number.POSITIVE_INFINITY);
  expect(sleepNow()).toBe(15_000);
  hold(true);
  expect(sleepNow()).toBe(5_000);
});

it('a crawl that rests wakes a minute before it is due', () => {
  const { pace, sleepNow, pass } = lab();
  pace.due(5 * minute);
  pass(4 * minute);
  expect(sleepNow()).toBe(15_000);
  pass(1);
  expect(sleepNow()).toBe(5_000);
});

it('duties sleep a little longer while the next page is due later, or leased here', () => {
  const { pace, sleepNow, pass, hold, run } = lab();
  pace.due(8_000);
  expect(sleepNow()).toBe(5_000);
  pass(7_001);
  expect(sleepNow()).toBe(1_000);
  hold(true);
  expect(sleepNow()).toBe(5_000);
  pass(999);
  expect(sleepNow()).toBe(1_000);
  pace.due(8_000);
  run(false);
  expect(sleepNow()).toBe(1_000);
});

it('duties do not sleep longer where all that is left is elsewhere, which nobody tells of', () => {
  const { pace, sleepNow } = lab();
  pace.due(Number.POSITIVE_INFINITY);
  expect(sleepNow()).toBe(1_000);
});

it('what happens to a crawl ends the sleep of its duties, and they are done at their own pace again', async () => {
  const { pace, sleepNow, pass } = lab();
  pace.due(60 * minute);
  pass(10_000);
  let isAwake = false;
  const sleeping = pace.clock({ resting: 15_000 }).sleep(1_000);
  void sleeping.then(() => (isAwake = true));
  pace.stir();
  await new Promise((resolve) => setImmediate(resolve));
  expect(isAwake).toBe(true);
  expect(sleepNow()).toBe(5_000);
});

it('a duty that is stopped stops its sleep', async () => {
  const { pace, pass } = lab();
  pace.due(60 * minute);
  pass(10_000);
  const over = new AbortController();
  const sleeping = pace.clock({ resting: 15_000 }).sleep(1_000, over.signal);
  over.abort();
  await expect(sleeping).rejects.toThrow('aborted');
});

it('a crawl wakes a minute before its time is over, unless it is paused', () => {
  const { pace, sleepNow, pass, leave, run } = lab();
  pace.due(60 * minute);
  pass(10_000);
  leave(minute);
  expect(sleepNow()).toBe(15_000);
  leave(minute - 1);
  expect(sleepNow()).toBe(5_000);
  run(false);
  expect(sleepNow()).toBe(15_000);
});

/** How often it is looked at in so many ms. */
function looksIn({ pace, pass }: ReturnType<typeof lab>, ms: number): number {
  let looks = 0;
  for (let passed = 0; passed < ms; passed += 400) {
    pass(400);
    if (pace.isLookDue()) looks++;
  }
  return looks;
}

it('looks are left out while it rests, but for one now and then', () => {
  const world = lab();
  world.pace.due(600 * minute);
  expect(looksIn(world, 10_000)).toBe(1);
  expect(looksIn(world, 30 * minute)).toBe(3);
  world.pace.stir();
  expect(looksIn(world, 4_000)).toBe(1);
});

it('looks at a crawl that waits for its next page come when something has happened, and seldom else', () => {
  const world = lab();
  const { pace, leave } = world;
  const looks = (ms: number) => {
    pace.due(30_000);
    return looksIn(world, ms);
  };
  expect(looks(8_000)).toBe(1);
  pace.stir();
  expect(looks(8_000)).toBe(1);
  pace.due(30_000);
  expect(looksIn(world, 24_000)).toBe(1);
  // It is a look that ends it.
  leave(20_000);
  expect(looks(4_000)).toBe(10);
});

it('looks come more often where others have in hand all that is left, because they may die', () => {
  const world = lab();
  world.pace.due(Number.POSITIVE_INFINITY);
  looksIn(world, 10_000);
  expect(looksIn(world, 10 * minute)).toBe(30);
  world.run(false);
  expect(looksIn(world, 10 * minute)).toBeLessThanOrEqual(1);
});

it('tells of each stir', () => {
  const { pace } = lab();
  let stirs = 0;
  pace.onStir(() => void stirs++);
  pace.stir();
  pace.stir();
  expect(stirs).toBe(2);
});

it('what is read of a crawl that waits for its next page is shown for some seconds, unless something happens', async () => {
  const { pace, pass, hold } = lab();
  let reads = 0;
  const read = pace.kept(async () => ++reads);
  pace.due(30_000);
  expect([await read(), await read()]).toEqual([1, 1]);
  pass(5_000);
  expect([await read(), await read()]).toEqual([2, 2]);
  pace.stir();
  expect([await read(), await read()]).toEqual([3, 3]);
  pace.due(Number.POSITIVE_INFINITY);
  expect([await read(), await read()]).toEqual([4, 5]);
  hold(true);
  expect([await read(), await read()]).toEqual([5, 5]);
});

it('what is read of a crawl that rests is read once, unless it is out of date', async () => {
  const { pace, pass, run } = lab();
  let reads = 0;
  const read = pace.kept(async () => ++reads);
  pace.due(60 * minute);
  expect(await read()).toBe(1);
  pass(10_000);
  expect([await read(), await read()]).toEqual([1, 1]);
  pace.stir();
  pass(10_000);
  expect([await read(), await read()]).toEqual([2, 2]);
  pace.outdate();
  pass(1);
  expect([await read(), await read()]).toEqual([3, 3]);
  pass(5 * minute);
  expect([await read(), await read()]).toEqual([4, 4]);
  // All that is left is elsewhere, where it moves on.
  pace.due(Number.POSITIVE_INFINITY);
  expect([await read(), await read()]).toEqual([5, 6]);
  run(false);
  expect(await read()).toBe(6);
});
