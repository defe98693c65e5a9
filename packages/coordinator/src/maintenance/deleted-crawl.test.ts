import { systemClock, WebfarerError } from '@webfarer/protocol';
import { expect, it, vi } from 'vitest';
import { createUpkeep } from './upkeep.ts';

it('ends a crawl that was deleted elsewhere, and no other', async () => {
  let sweeps = 0;
  const gone = new WebfarerError('not-found', 'no crawl doomed in this store');
  const sweep = () =>
    sweeps++ === 0 ? Promise.reject(gone) : Promise.resolve({ expired: 0, settled: 0, more: false });
  const upkeep = createUpkeep({
    frontier: { sweep },
    clock: systemClock(),
    shared: false,
    faulty: (error) => expect.fail(String(error)),
  });
  const failed: string[] = [];
  let looks = 0;
  const doomed = upkeep.keep({
    isLookDue: () => true,
    look: () => Promise.reject(gone),
    failed: () => void failed.push('doomed'),
  });
  const other = upkeep.keep({
    isLookDue: () => true,
    look: () => Promise.resolve(void looks++),
    failed: () => void failed.push('other'),
  });
  await vi.waitFor(() => expect(looks).toBeGreaterThan(1), 10_000);
  await doomed.end();
  await other.end();
  expect(new Set(failed)).toEqual(new Set(['doomed']));
});

it('an error about one crawl ends that crawl, one about a step of a store none', async () => {
  let sweeps = 0;
  const faults: unknown[] = [];
  const failed: string[] = [];
  const upkeep = createUpkeep({
    frontier: {
      sweep: () =>
        ++sweeps === 1
          ? Promise.reject(new TypeError('a script broke'))
          : Promise.resolve({ expired: 0, settled: 0, more: false }),
    },
    clock: systemClock(),
    shared: true,
    faulty: (error) => faults.push(error),
  });
  const keep = (name: string, look: () => Promise<void>) =>
    upkeep.keep({ isLookDue: () => true, look, failed: () => void failed.push(name) });
  let looks = 0;
  const kept = [
    keep('broken', () => Promise.reject(new TypeError('broken'))),
    keep('good', () => Promise.resolve(void looks++)),
  ];
  await vi.waitFor(() => expect(looks).toBeGreaterThan(1), 10_000);
  for (const one of kept) await one.end();
  expect([new Set(failed), faults.length]).toEqual([new Set(['broken']), 1]);
});
