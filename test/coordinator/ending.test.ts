import { join } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { expect, test } from 'vitest';
import { openParts } from '../../packages/coordinator/src/coordinator.ts';
import type { CrawlEnd } from '../../packages/coordinator/src/crawl/crawl.ts';
import { deafListening } from '../../packages/coordinator/src/listening.fixture.ts';
import { coordinatorStage } from './parts.fixture.ts';

const stage = coordinatorStage();

/** A coordinator that tells of the ends of crawls, or cannot. */
async function life(tell: (end: CrawlEnd, wanted: string | undefined) => Promise<void>) {
  const parts = await openParts(
    { folder: join(stage.folder, 'data'), version: '0', id: 'c0ffee00' },
    {
      ...deafListening,
      ended: async (end) => await tell(end, (await parts.catalog().find(end.name))?.wanted),
    },
  );
  return parts;
}

test('that a crawl is over is told before its catalog says so, and again at the next start where it was not', async () => {
  const site = await stage.siteOf(3);
  const first = await life(() => Promise.reject(new WebfarerError('storage', 'the disk is full')));
  const { crawl } = await first.create(stage.job('shop', [site]));
  await stage.workerOf(first, 'w');
  expect((await crawl.ended).state).toBe('finished');
  // As if it had died: nobody was told, so it is not over for the next one.
  expect(await first.catalog().find('shop')).toMatchObject({ wanted: 'running' });
  await first.stop();
  const told: string[] = [];
  const second = await life(async ({ name, summary }, wanted) => {
    told.push(`${name} ${summary.state} ${summary.balance.done}, until then ${wanted}`);
  });
  await second.start();
  await expect.poll(() => told, { timeout: 30_000 }).toEqual(['shop finished 4, until then running']);
  await expect
    .poll(async () => (await second.catalog().find('shop'))?.wanted, { timeout: 30_000 })
    .toBe('finished');
  await second.stop();
});
