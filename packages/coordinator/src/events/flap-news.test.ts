import type { Clock, Pause } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { createFlapNews } from './flap-news.ts';

const full = (text = '1 MB left'): Pause => ({ cause: 'disk', text });

function world() {
  let now = 0;
  let sleepers: { untilMs: number; wake: () => void }[] = [];
  const clock: Clock = {
    now: () => now,
    sleep: (ms) => new Promise((wake) => sleepers.push({ untilMs: now + ms, wake })),
  };
  const told: string[] = [];
  const news = createFlapNews<Pause>({
    clock,
    causeOf: ({ cause }) => cause,
    began: (pause, times) => void told.push(`${pause.text} ${times}`),
    ended: () => void told.push('resumed'),
  });
  const pass = async (ms: number) => {
    now += ms;
    for (const { wake } of sleepers.filter(({ untilMs }) => untilMs <= now)) wake();
    sleepers = sleepers.filter(({ untilMs }) => untilMs > now);
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  };
  return { news, told, pass };
}

it('reports a pause and its end at once', async () => {
  const { news, told, pass } = world();
  for (let n = 0; n < 5; n++) {
    news.changed(full());
    await pass(20_000);
    news.changed(undefined);
    await pass(20_000);
  }
  expect(told).toEqual(Array.from({ length: 5 }, () => ['1 MB left 1', 'resumed']).flat());
});

it('counts pauses that flap in one report a minute, and tells how it ended', async () => {
  const { news, told, pass } = world();
  let pauses = 0;
  for (let ms = 0; ms < 6 * 60_000; ms += 1_000) {
    news.changed(full());
    pauses++;
    await pass(500);
    news.changed(undefined);
    await pass(500);
  }
  await pass(60_000);
  expect(told.length).toBeLessThan(20);
  expect(told.at(-1)).toBe('resumed');
  const counted = told.filter((one) => one !== 'resumed').map((one) => Number(one.split(' ').at(-1)));
  expect(counted.reduce((sum, times) => sum + times, 0)).toBe(pauses);
  // After a quiet minute the next one is reported at once.
  await pass(60_000);
  news.changed(full('gone'));
  expect(told.at(-1)).toBe('gone 1');
});

it('reports another cause at once, and first what it has counted', async () => {
  const { news, told, pass } = world();
  for (let n = 0; n < 20; n++) {
    news.changed(full());
    news.changed(undefined);
  }
  news.changed({ cause: 'store', text: 'gone' });
  expect(told.slice(6)).toEqual(['1 MB left 17', 'resumed', 'gone 1']);
  // Two causes that take turns are counted as well.
  for (let n = 0; n < 20; n++) {
    news.changed(full());
    news.changed({ cause: 'store', text: 'gone' });
  }
  expect(told).toHaveLength(9);
  await pass(60_000);
  expect(told.slice(9)).toEqual(['gone 40']);
});

it('says that it has paused where it stays so after it flapped', async () => {
  const { news, told, pass } = world();
  for (let n = 0; n < 20; n++) {
    news.changed(full());
    news.changed(undefined);
  }
  news.changed(full('still'));
  await pass(60_000);
  expect(told.at(-1)).toBe('still 18');
  news.close();
});
