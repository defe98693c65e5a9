import { systemClock, WebfarerError } from '@webfarer/protocol';
import { expect, it, vi } from 'vitest';
import { createUpkeep } from './upkeep.ts';

it('ends a crawl that was deleted elsewhere, and no other', async () => {
  let sweeps = 0;
  const gone = new WebfarerError('not-found', 'no crawl doomed in this store');
  const sweep = () =>
    sweeps++ === 0 ? Promise.reject(gone) : Promise.resolve({ expired: 0, settled: 0, more: false });
  const upkeep = createUpkeep({ frontier: { sweep }, clock: systemClock(), shared: false });
  const failed: string[] = [];
  let looks = 0;
  const doomed = upkeep.keep({
    look: () => Promise.reject(gone),
    failed: () => void failed.push('doomed'),
  });
  const other = upkeep.keep({
    look: () => Promise.resolve(void looks++),
    failed: () => void failed.push('other'),
  });
  await vi.waitFor(() => expect(looks).toBeGreaterThan(1), 10_000);
  await doomed.end();
  await other.end();
  expect(new Set(failed)).toEqual(new Set(['doomed']));
});
