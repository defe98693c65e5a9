import { getEventListeners } from 'node:events';
import { describe, expect, it, vi } from 'vitest';
import { type Clock, systemClock } from '@webfarer/protocol';
import { createBounds } from './bounds.ts';

/** Counts how many timers were asked for. */
function countingClock(): { clock: Clock; sleeps: () => number } {
  const real = systemClock();
  let count = 0;
  const sleep: Clock['sleep'] = (ms, signal) => {
    count++;
    return real.sleep(ms, signal);
  };
  return { clock: { now: real.now, sleep }, sleeps: () => count };
}

describe('deadlines', () => {
  it('ring in order, each once, and only those not called off', async () => {
    const bounds = createBounds(systemClock());
    const rung: string[] = [];
    bounds.within(20, () => rung.push('first'));
    const callOff = bounds.within(20, () => rung.push('called off'));
    bounds.within(30, () => rung.push('longer'));
    callOff();
    bounds.within(20, () => rung.push('second'));
    await vi.waitFor(() => expect(rung).toEqual(['first', 'second', 'longer']));
  });

  it('do not ring early', async () => {
    const clock = systemClock();
    const bounds = createBounds(clock);
    const early = bounds.within(10, () => {});
    const started = clock.now();
    const rung = await new Promise<number>((resolve) => bounds.within(40, () => resolve(clock.now())));
    early();
    expect(rung - started).toBeGreaterThanOrEqual(38.5);
  });

  it('share one timer, and take a new one when all were called off', () => {
    const { clock, sleeps } = countingClock();
    const bounds = createBounds(clock);
    const offs = Array.from({ length: 100 }, () => bounds.within(60_000, () => {}));
    expect(sleeps()).toBe(1);
    for (const off of offs) off();
    bounds.within(60_000, () => {})();
    expect(sleeps()).toBe(2);
  });

  it('go on for the others when the first is called off', async () => {
    const bounds = createBounds(systemClock());
    const off = bounds.within(15, () => {});
    const rung = new Promise<void>((resolve) => bounds.within(15, resolve));
    off();
    await rung;
  });
});

describe('signals', () => {
  it('reach everybody who still listens', () => {
    const bounds = createBounds(systemClock());
    const controller = new AbortController();
    const heard: string[] = [];
    bounds.unlessAborted(controller.signal, () => heard.push('a'));
    bounds.unlessAborted(controller.signal, () => heard.push('gone'))();
    bounds.unlessAborted(controller.signal, () => heard.push('b'));
    controller.abort();
    expect(heard).toEqual(['a', 'b']);
  });

  it('that were aborted before are heard at once', () => {
    const heard = vi.fn();
    createBounds(systemClock()).unlessAborted(AbortSignal.abort(), heard);
    expect(heard).toHaveBeenCalledTimes(1);
  });
});

it('listens once to a signal that outlives many bounds, and tells all of them', () => {
  const life = new AbortController();
  let told = 0;
  for (let crawl = 0; crawl < 20; crawl++)
    createBounds(systemClock()).unlessAborted(life.signal, () => void told++);
  expect(getEventListeners(life.signal, 'abort')).toHaveLength(1);
  life.abort();
  expect(told).toBe(20);
});
