import { expect, test } from 'vitest';
import type { RedisStore } from './store.ts';
import { watchStore } from './store-watch.ts';

function world() {
  const sleeps: (() => void)[] = [];
  const answers: PromiseWithResolvers<never[]>[] = [];
  const held: ((why: string) => void)[] = [];
  const clock = {
    now: () => 0,
    sleep: (_: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        sleeps.push(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason as Error));
      }),
  };
  const store = {
    runTelling(tell: (why: string) => void) {
      held.push(tell);
      const answer = Promise.withResolvers<never[]>();
      answers.push(answer);
      return answer.promise;
    },
  } as unknown as RedisStore;
  const watch = watchStore(store, clock);
  const told: boolean[] = [];
  const causes: string[] = [];
  watch.onChange((trouble) => {
    told.push(trouble !== undefined);
    causes.push(trouble ? `${trouble.cause}: ${trouble.text}` : '');
  });
  return { watch, told, causes, held, answers, wait: () => sleeps.splice(0).forEach((wake) => wake()) };
}

test('a store is silent from the first call that waits for long until the last such has its answer', async () => {
  const w = world();
  const calls = [w.watch.store.run([]), w.watch.store.run([])];
  w.wait();
  await Promise.resolve();
  expect(w.told).toEqual([true]);
  w.answers[0]?.resolve([]);
  await calls[0];
  expect(w.watch.trouble?.cause).toBe('store');
  w.answers[1]?.reject(new Error('given up'));
  await expect(calls[1]).rejects.toThrow('given up');
  expect(w.told).toEqual([true, false]);
});

test('a call that is answered soon says nothing', async () => {
  const w = world();
  const call = w.watch.store.run([]);
  w.answers[0]?.resolve([]);
  await call;
  w.wait();
  await Promise.resolve();
  expect(w.told).toEqual([]);
});

test('a shard that has lost its replica is named, with how many it has', async () => {
  const w = world();
  const call = w.watch.store.run([]);
  w.held[0]?.('10.0.0.1:7001: 0 of 1 replicas have it');
  w.wait();
  await Promise.resolve();
  w.held[0]?.('10.0.0.1:7001: NOREPLICAS Not enough good replicas to write.');
  w.answers[0]?.resolve([]);
  await call;
  expect(w.causes).toEqual([
    expect.stringContaining('store-replicas: shard 10.0.0.1:7001 has 0 of 1 replicas;'),
    expect.stringContaining('store-replicas: shard 10.0.0.1:7001 has too few replicas'),
    '',
  ]);
});
