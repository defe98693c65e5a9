import { expect, test } from 'vitest';
import type { RedisStore } from './store.ts';
import { watchStore } from './store-watch.ts';

function world() {
  let sleeps: { atMs: number; wake: () => void }[] = [];
  const answers: PromiseWithResolvers<never[]>[] = [];
  const held: ((why: string) => void)[] = [];
  let nowMs = 0;
  const clock = {
    now: () => nowMs,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve, reject) => {
        sleeps.push({ atMs: nowMs + ms, wake: resolve });
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
  const wait = (ms = 2_000) => {
    nowMs += ms;
    const due = sleeps.filter(({ atMs }) => atMs <= nowMs);
    sleeps = sleeps.filter(({ atMs }) => atMs > nowMs);
    for (const { wake } of due) wake();
  };
  return { watch, told, causes, held, answers, wait };
}

test('a store is silent from the first call that waits for long until the last such has its answer', async () => {
  const w = world();
  const calls = [w.watch.store.run([]), w.watch.store.run([])];
  w.wait();
  await Promise.resolve();
  expect(w.told).toEqual([true]);
  w.answers[0]?.resolve([]);
  await calls[0];
  // It answers after all, if slowly.
  expect(w.causes.map((cause) => /unreachable|slowly/.exec(cause)?.[0])).toEqual(['unreachable', 'slowly']);
  w.answers[1]?.reject(new Error('given up'));
  await expect(calls[1]).rejects.toThrow('given up');
  expect(w.told).toEqual([true, true, false]);
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

test('a store that answers others is slow, not unreachable, until it answers nobody', async () => {
  const w = world();
  const slow = w.watch.store.run([]);
  w.wait(1_900);
  const quick = w.watch.store.run([]);
  w.answers[1]?.resolve([]);
  await quick;
  w.wait(100);
  await Promise.resolve();
  const later = w.watch.store.run([]);
  w.wait();
  await Promise.resolve();
  expect(w.causes).toEqual([
    expect.stringContaining('store: the store answers slowly'),
    'store: the store is unreachable; retrying',
  ]);
  for (const answer of w.answers) answer.resolve([]);
  await Promise.all([slow, later]);
  expect(w.causes.at(-1)).toBe('');
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
