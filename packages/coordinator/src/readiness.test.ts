import type { Pause } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import type { CoordinatorParts } from './coordinator-parts.ts';
import { createReadiness } from './readiness.ts';
import { slowStore } from './redis/store-watch.ts';

const clock = { now: () => 0, sleep: () => new Promise<void>(() => {}) };

/** Of a coordinator without crawls, whose store answers a new connection or not. */
function readyWith(trouble: Pause | undefined, answers = true) {
  const askAfresh = () => (answers ? Promise.resolve() : Promise.reject(new Error('no answer in 5000 ms')));
  const parts = { joined: { watch: { trouble }, askAfresh }, crawls: () => [] };
  return createReadiness({ parts: () => parts as unknown as CoordinatorParts, clock })();
}

const silent: Pause = { cause: 'store', text: 'the store refuses this process: 10.0.0.7:6379; retrying' };

it('tells a store that is slow from one that is unreachable, and names no address', async () => {
  const slow = 'the store answers slowly, or not on every shard; retrying';
  const unreachable = 'the store is unreachable';
  const open = { ready: true, acknowledges: false, cause: 'store' };
  expect(await readyWith(slowStore)).toEqual({ ...open, reason: slow });
  expect(await readyWith(silent)).toEqual({ ...open, reason: unreachable });
  expect(await readyWith(undefined)).toEqual({ ready: true, acknowledges: true });
  const closed = { ready: false, acknowledges: false, cause: 'store' };
  expect(await readyWith(slowStore, false)).toEqual({ ...closed, reason: slow });
  expect(await readyWith(undefined, false)).toEqual({ ...closed, reason: unreachable });
});
