import { systemClock } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { fleetLists } from './fleet-documents.ts';
import type { CordonState } from './cordon-state.ts';
import type { Fleet } from './fleet.ts';
import type { WorkerStatus } from './network-status.ts';

const states: Record<string, CordonState> = {
  'worker-rule w2': 'draining',
  'coordinator-rule a': 'cordoned',
};
const worker = (name: string, linkedMs: number): WorkerStatus => ({
  worker: name,
  trust: 'full',
  address: '127.0.0.1',
  version: '0',
  connections: 10,
  held: 3,
  hungry: false,
  cordoned: false,
  linkedMs,
  pages: 7,
  pagesPerSecond: 1.5,
});

it('lists workers and coordinators by id with what was decided about them, and nothing that changes by itself', async () => {
  let nowMs = 1_800_000_000_000;
  const fleet = {
    workers: () => [worker('w1', nowMs - 1_799_999_990_000), worker('w2', nowMs - 1_799_999_980_000)],
    coordinators: () => [
      { id: 'a', url: 'http://a', capacity: 1, workers: 2, hosts: 6, wants: 1, leaving: false },
    ],
    cordons: { stateOf: (kind: string, id: string) => states[`${kind} ${id}`] ?? 'active' },
  } as unknown as Pick<Fleet, 'workers' | 'coordinators' | 'cordons'>;
  const lists = fleetLists(fleet, { ...systemClock(), now: () => nowMs });
  const before = await lists['workers']?.();
  expect(before?.get('w1')).toMatchObject({ cordon: 'active', held: 3, connectedAtMs: 1_799_999_990_000 });
  expect(before?.get('w2')).toMatchObject({ cordon: 'draining' });
  expect([...((await lists['coordinators']?.()) ?? [])]).toEqual([
    ['a', expect.objectContaining({ cordon: 'cordoned', workers: 2 })],
  ]);
  nowMs += 5_000;
  expect(await lists['workers']?.()).toEqual(before);
});
