import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { watchOrders } from './order-watch.ts';
import { takeWanted, writeWanted } from './wanted-state.ts';

const folders: string[] = [];

afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true });
});

/** A coordinator's folder with two crawls, and one elsewhere. */
async function world() {
  const folder = await mkdtemp(join(tmpdir(), 'webfarer-orders-'));
  folders.push(folder);
  const [one, other, elsewhere] = [
    join(folder, 'crawls', 'one'),
    join(folder, 'crawls', 'other'),
    join(folder, 'one'),
  ];
  for (const at of [one, other, elsewhere]) await mkdir(at, { recursive: true });
  return { watch: watchOrders(folder, systemClock()), one, other, elsewhere };
}

const hour = 3_600_000;

it('an order in the folder of any crawl ends the sleep of all who look for orders, each time', async () => {
  const { watch, one, other } = await world();
  const clock = watch.wakes(systemClock());
  const over = new AbortController();
  onTestFinished(() => over.abort());
  for (const order of ['paused', 'running', { changes: {}, rescope: false }] as const) {
    let awake = 0;
    for (let n = 0; n < 2; n++)
      void clock.sleep(hour, over.signal).then(
        () => awake++,
        () => undefined,
      );
    await writeWanted(one, order);
    await vi.waitFor(() => expect(awake).toBe(2), 20_000);
    expect(await takeWanted(other)).toBeUndefined();
    expect(await takeWanted(one)).toEqual(order);
  }
  await watch.stop();
});

it('an order that was left while nobody slept ends the next sleep', async () => {
  const { watch, one } = await world();
  const clock = watch.wakes(systemClock());
  await clock.sleep(1);
  await writeWanted(one, 'paused');
  await clock.sleep(hour);
  await watch.stop();
});

it('a sleep ends by its own signal, or by its time', async () => {
  const { watch } = await world();
  const clock = watch.wakes(systemClock());
  await clock.sleep(1);
  const over = new AbortController();
  const asleep = clock.sleep(hour, over.signal);
  over.abort();
  await expect(asleep).rejects.toThrow();
  await expect(clock.sleep(hour, AbortSignal.abort())).rejects.toThrow();
  await watch.stop();
});

it('covers the crawls below its folder, and no others', async () => {
  const { watch, one, elsewhere } = await world();
  expect([one, elsewhere].map(watch.covers)).toEqual([true, false]);
  await writeWanted(elsewhere, 'paused');
  expect(await takeWanted(elsewhere)).toBe('paused');
});
