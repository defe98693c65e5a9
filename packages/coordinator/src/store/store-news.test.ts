import type { Pause } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { createEventBus } from '../events/event-bus.ts';
import { publishStoreNews } from './store-news.ts';

it('counts a store that comes and goes in one event a minute, and tells how it stands', async () => {
  let [nowMs, wake] = [0, () => {}];
  const clock = {
    now: () => nowMs,
    wall: () => nowMs,
    sleep: (ms: number) =>
      new Promise<void>((resolve) => {
        wake = () => {
          nowMs += ms;
          resolve();
        };
      }),
  };
  const events = createEventBus({ clock, failed: () => undefined });
  const told: { type: string; times?: number }[] = [];
  events.listen(['store-trouble', 'store-answers'], (event) => void told.push(event));
  let change = (_trouble: Pause | undefined): void => {};
  const watch = {
    onChange(listener: typeof change) {
      change = listener;
      return () => void (change = () => {});
    },
  };
  const stop = publishStoreNews(watch, events, clock);
  for (let n = 0; n < 50; n++) {
    change({ cause: 'store', text: 'the store is unreachable; retrying' });
    change(undefined);
  }
  change({ cause: 'store', text: 'the store answers slowly, or not on every shard; retrying' });
  expect(told).toHaveLength(6);
  wake();
  await Promise.resolve();
  await Promise.resolve();
  expect(told).toHaveLength(7);
  expect(told.at(-1)).toMatchObject({
    type: 'store-trouble',
    text: 'the store answers slowly, or not on every shard; retrying',
  });
  expect(told.reduce((sum, { times = 0 }) => sum + times, 0)).toBe(51);
  stop();
  change(undefined);
  expect(told).toHaveLength(7);
});
