import { systemClock, type WorkerId } from '@webfarer/protocol';
import { afterEach, expect, test } from 'vitest';
import { openSqliteRegistry } from '../registry/sqlite-registry.ts';
import { watchRegistry } from '../registry/watch-registry.ts';
import { openCordons } from './cordons.ts';

const clock = systemClock();
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

/** Coordinators of one registry. */
function network() {
  const registry = openSqliteRegistry({ path: ':memory:', clock });
  cleanups.push(() => registry.close());
  return async (id: string) => {
    const watch = watchRegistry({
      registry,
      clock,
      failed: (error) => {
        throw error;
      },
    });
    cleanups.push(() => watch.stop());
    const heard: string[] = [];
    const cordons = await openCordons({
      id,
      registry,
      watch,
      changed: (state) => heard.push(`self ${state}`),
      workerChanged: (worker, state) => heard.push(`${worker} ${state}`),
    });
    return { cordons, heard };
  };
}

const w1 = 'w1' as WorkerId;
const by = 'token';
const within = { timeout: 30_000 };

test('a cordon holds here at once, at every other coordinator within 5 s, and for those that start later', async () => {
  const open = network();
  const [a, b] = [await open('a'), await open('b')];
  await a.cordons.set('worker-rule', w1, { state: 'cordoned', by });
  expect(a.cordons.isCordoned(w1)).toBe(true);
  expect(a.cordons.isDraining(w1)).toBe(false);
  expect(a.cordons.isCordoned('w2' as WorkerId)).toBe(false);
  await expect.poll(() => b.cordons.isCordoned(w1), within).toBe(true);
  await b.cordons.set('worker-rule', w1, { state: 'draining', by });
  await expect.poll(() => a.cordons.isDraining(w1), within).toBe(true);
  expect((await open('c')).cordons.stateOf('worker-rule', w1)).toBe('draining');
  await a.cordons.set('worker-rule', w1, { state: 'active', by });
  await expect.poll(() => b.cordons.isCordoned(w1), within).toBe(false);
  expect(a.heard).toEqual(['self active', 'w1 cordoned', 'w1 draining', 'w1 active']);
});

test('a cordoned coordinator takes no workers, and the others do', async () => {
  const open = network();
  const [a, b] = [await open('a'), await open('b')];
  await a.cordons.set('coordinator-rule', 'b', { state: 'cordoned', by });
  await expect
    .poll(() => b.cordons.closed(), within)
    .toBe('the coordinator is cordoned and takes no workers');
  expect(b.heard).toEqual(['self active', 'self cordoned']);
  expect(a.cordons.closed()).toBeUndefined();
  expect(a.heard).toEqual(['self active']);
});

test('of several decisions at the same moment one holds, and none fails', async () => {
  const open = network();
  const [a, b] = [await open('a'), await open('b')];
  const states = ['cordoned', 'draining', 'active', 'cordoned', 'draining'] as const;
  await Promise.all(states.map((state, i) => (i % 2 ? a : b).cordons.set('worker-rule', w1, { state, by })));
  const held = a.cordons.stateOf('worker-rule', w1);
  await expect.poll(() => b.cordons.stateOf('worker-rule', w1), within).toBe(held);
});
