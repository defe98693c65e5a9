import type { Clock, HostLease } from '@webfarer/protocol';
import { expect, test } from 'vitest';
import { createDryGate } from './dry-gate.ts';

function gateAt() {
  const time = { now: 0 };
  const clock: Clock = { now: () => time.now, sleep: () => Promise.reject(new Error('never sleeps')) };
  return { time, gate: createDryGate(clock) };
}

const nothing = { leases: [], nextDueMs: null };
const one = { leases: [{} as HostLease], nextDueMs: 0 };

test('with nothing due it looks ever more rarely, and at once when it is told', () => {
  const { time, gate } = gateAt();
  const waits: number[] = [];
  for (let i = 0; i < 7; i++) {
    expect(gate.quietMs()).toBe(0);
    gate.answered(8, nothing);
    waits.push(gate.quietMs());
    time.now += gate.quietMs();
  }
  expect(waits).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  gate.answered(8, nothing);
  gate.open();
  expect(gate.quietMs()).toBe(0);
  gate.answered(8, one);
  expect(gate.quietMs()).toBe(0);
  gate.answered(8, { leases: [], nextDueMs: 300 });
  expect(gate.quietMs()).toBe(300);
});

test('it says that it is dry, for how many, and at most once a second', () => {
  const { time, gate } = gateAt();
  expect(gate.answered(8, one)).toBe(7);
  expect(gate.answered(8, nothing)).toBe(0);
  time.now = 1_000;
  expect(gate.answered(8, nothing)).toBe(8);
  time.now = 2_000;
  expect(gate.answered(1, one)).toBe(0);
});
