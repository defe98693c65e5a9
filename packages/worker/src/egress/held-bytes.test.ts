import { describe, expect, it } from 'vitest';
import { createHeldBytes } from './held-bytes.ts';

const never = (): void => {
  throw new Error('woken too early');
};
let nowMs = 0;
const clock = { now: () => nowMs, sleep: () => Promise.resolve() };
const ordinary = 200_000;
const large = 1_000_000;

describe('memory for large bodies', () => {
  it('lets ordinary pages pass, however many there are', () => {
    const held = createHeldBytes(large, clock);
    const answers = Array.from({ length: 100 }, () => held.open().add(ordinary, never));
    expect(answers.every(Boolean)).toBe(true);
  });

  it('makes a large body wait while others fill it, and wakes it when there is room', () => {
    const held = createHeldBytes(large, clock);
    const [first, second] = [held.open(), held.open()];
    expect(first.add(large, never)).toBe(true);
    let woken = 0;
    expect(second.add(large, () => (woken += 1))).toBe(false);
    expect(woken).toBe(0);
    first.release();
    expect(woken).toBe(1);
  });

  it('always lets the oldest go on', () => {
    const held = createHeldBytes(large, clock);
    const [first, second] = [held.open(), held.open()];
    expect(first.add(5 * large, never)).toBe(true);
    expect(second.add(large, () => {})).toBe(false);
    expect(first.add(5 * large, never)).toBe(true);
    first.release();
    // Now it is the oldest itself.
    expect(second.add(5 * large, never)).toBe(true);
  });

  it('knows how long it made a body wait, and no longer', () => {
    const held = createHeldBytes(large, clock);
    const [first, second] = [held.open(), held.open()];
    first.add(large, never);
    second.add(large, () => {});
    nowMs += 300;
    expect([first.waitedMs(), second.waitedMs()]).toEqual([0, 300]);
    first.release();
    nowMs += 1_000;
    expect(second.waitedMs()).toBe(300);
  });

  it('counts a body once, whatever is done with it after its release', () => {
    const held = createHeldBytes(large, clock);
    const first = held.open();
    first.add(large, never);
    first.release();
    first.release();
    first.add(large, never);
    const [second, third] = [held.open(), held.open()];
    second.add(300_000, never);
    expect(third.add(700_000, never)).toBe(true);
  });
});
