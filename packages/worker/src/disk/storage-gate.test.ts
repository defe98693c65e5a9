import { type Pause, systemClock, WebfarerError } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { createStorageGate } from './storage-gate.ts';

/** What is said while one write fails and the next does not. */
async function saidWith(freeBytes: number, trouble: WebfarerError): Promise<(string | undefined)[]> {
  const said: (Pause | undefined)[] = [];
  let tries = 0;
  const gate = createStorageGate({
    folder: '.',
    minFreeBytes: () => 500_000_000,
    clock: { ...systemClock(), sleep: async () => undefined },
    signal: new AbortController().signal,
    changed: (pause) => said.push(pause),
    freeBytes: async () => (tries > 1 ? 1e12 : freeBytes),
  });
  await gate.attempt(async () => {
    if (++tries === 1) throw trouble;
  });
  return said.map((pause) => pause?.text);
}

it('says how much is left on the disk of this machine, or what is wrong elsewhere', async () => {
  const full = new WebfarerError('storage', 'cannot write the archive of the coordinator: the disk is full');
  expect(await saidWith(180_000_000, full)).toEqual(['180 MB left on this disk, 500 MB needed']);
  expect(await saidWith(1e12, full)).toEqual([full.message]);
  const silent = new WebfarerError('store-silent', 'no answer');
  expect(await saidWith(1e12, silent)).toEqual(['the store is unreachable; retrying']);
});

it('does not pause for one part of a store that is silent while others take what they are given', async () => {
  const said: (Pause | undefined)[] = [];
  let nowMs = 0;
  let isOver = false;
  const gate = createStorageGate({
    folder: '.',
    minFreeBytes: () => 1,
    clock: { now: () => nowMs, sleep: () => new Promise((done) => setImmediate(done)) },
    signal: new AbortController().signal,
    changed: (pause) => said.push(pause),
    freeBytes: async () => 1e12,
  });
  const silent = new WebfarerError('store-silent', '0 of 1 replicas have it');
  await gate.attempt(async () => undefined);
  let tries = 0;
  const stuck = gate.attempt(async () => {
    if (++tries > 0 && !isOver) throw silent;
  });
  await expect.poll(() => tries).toBeGreaterThan(2);
  expect([await gate.hasRoom(), gate.pause]).toEqual([true, undefined]);
  // No part takes anything any more.
  nowMs += 60_000;
  await expect.poll(() => gate.pause?.cause).toBe('store');
  expect(await gate.hasRoom()).toBe(false);
  isOver = true;
  await stuck;
});
