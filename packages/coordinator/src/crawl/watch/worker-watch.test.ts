import type { Pause } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { WorkerPool } from '../../link/worker-pool.ts';
import { watchWorkers } from './worker-watch.ts';

type Listener = Parameters<WorkerPool['onChange']>[0];

/** A crawl of a store that rests: what sleeps by its clock does not wake by itself. */
function restingCrawl() {
  let now = 0;
  const never = () => new Promise<void>(() => undefined);
  const sleepers: { untilMs: number; wake: () => void }[] = [];
  const workers: { cordoned: boolean }[] = [{ cordoned: false }];
  const told: (Pause | undefined)[] = [];
  let listener: Listener = () => undefined;
  const watch = watchWorkers({
    pool: {
      all: () => workers as ReturnType<WorkerPool['all']>,
      onChange: (added) => ((listener = added), () => undefined),
      wake: () => undefined,
    },
    clock: { now: () => now, sleep: never },
    steadyClock: {
      now: () => now,
      sleep: (ms) => new Promise((wake) => void sleepers.push({ untilMs: now + ms, wake })),
    },
    folder: '/',
    minFreeBytes: () => 0,
    shared: true,
    expectsWorker: false,
    othersServe: () => false,
    changed: (pause) => void told.push(pause),
    rest: () => undefined,
    start: () => undefined,
  });
  watch.start();
  return {
    told: () => told.map((pause) => pause?.cause),
    connect(count: number) {
      workers.splice(0, workers.length, ...Array.from({ length: count }, () => ({ cordoned: false })));
      listener({ type: 'workers' } as Parameters<Listener>[0]);
    },
    async pass(ms: number) {
      now += ms;
      for (const { untilMs, wake } of sleepers) if (untilMs <= now) wake();
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    },
  };
}

it('tells of a crawl that rests that no worker is connected, once they could have taken turns', async () => {
  const { told, connect, pass } = restingCrawl();
  connect(0);
  await pass(1_000);
  expect(told()).toEqual([]);
  await pass(1_100);
  expect(told()).toEqual(['no-worker']);
  connect(1);
  expect(told()).toEqual(['no-worker', undefined]);
});

it('tells of nothing where a worker is back in time', async () => {
  const { told, connect, pass } = restingCrawl();
  connect(0);
  await pass(1_000);
  connect(1);
  await pass(5_000);
  expect(told()).toEqual([]);
});
