import { type Pause, systemClock, WebfarerError } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { createStorageGate } from './storage-gate.ts';

/** What is said while one write fails and the next does not. */
async function saidWith(freeBytes: number, trouble: WebfarerError): Promise<(string | undefined)[]> {
  const said: (Pause | undefined)[] = [];
  let tries = 0;
  const gate = createStorageGate({
    folder: '.',
    minFreeBytes: 500_000_000,
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
  expect(await saidWith(1e12, silent)).toEqual(['the store does not answer; trying again']);
});
