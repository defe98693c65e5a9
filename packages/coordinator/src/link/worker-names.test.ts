import type { WorkerId } from '@webfarer/protocol';
import { beforeEach, expect, it } from 'vitest';
import { createWorkerNames, type WorkerNames } from './worker-names.ts';

let nowMs: number;
let names: WorkerNames;
beforeEach(() => {
  nowMs = 0;
  names = createWorkerNames({ clock: { now: () => nowMs }, most: 2, isInside: undefined });
});

const take = (worker: string, session: string, key?: string) =>
  names.take(worker as WorkerId, { session, key })?.code ?? 'taken';
const leave = (worker: string, isOver = false) => names.leave(worker as WorkerId, { isOver });

it('keeps the name of a worker that was cut off for ten minutes', () => {
  take('a', 's1', 'k1');
  leave('a');
  nowMs = 599_999;
  expect(take('a', 's2', 'k2')).toBe('conflict');
  nowMs = 600_000;
  expect(take('a', 's2', 'k2')).toBe('taken');
});

it('frees the name of a worker that could not show by a key that it is the same', () => {
  take('a', 's1');
  expect(take('a', 's2', 'k2')).toBe('conflict');
  leave('a');
  expect(take('a', 's2', 'k2')).toBe('taken');
});

it('keeps names of so many workers that are gone, and of all that are connected', () => {
  for (const worker of ['a', 'b', 'c', 'd']) take(worker, 's1', `key of ${worker}`);
  for (const worker of ['c', 'a', 'b']) leave(worker);
  const answers = ['a', 'b', 'd'].map((worker) => take(worker, 's2', 'another key'));
  expect([answers, take('c', 's2', 'another key')]).toEqual([['conflict', 'conflict', 'conflict'], 'taken']);
});

it('a process without the key of an earlier one is known by its session alone', () => {
  take('a', 's1', 'k1');
  expect([take('a', 's1'), take('a', 's2', 'k1'), take('a', 's3')]).toEqual(['taken', 'taken', 'conflict']);
});

it('gives nobody the name of a worker in the process of the coordinator', () => {
  const isInside = (worker: string) => worker === 'inside';
  names = createWorkerNames({ clock: { now: () => nowMs }, most: 2, isInside });
  expect([take('inside', 's', 'k'), take('other', 's', 'k')]).toEqual(['conflict', 'taken']);
});
