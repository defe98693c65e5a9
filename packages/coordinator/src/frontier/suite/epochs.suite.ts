import type { CrawlId } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { createWorld, crawlA, type FrontierUnderTest, offerOf, outcome } from './world.fixture.ts';

/** How long what the store has said can be relied on. */
export function epochRules(under: FrontierUnderTest): void {
  describe('epochs', () => {
    it('takes reports that were trimmed in its epoch, and no others', async () => {
      const w = await createWorld(under);
      expect(w.frontier.epoch('unknown' as CrawlId)).toBeUndefined();
      await w.openCrawl();
      const epoch = w.frontier.epoch(crawlA) as string;
      await w.offer(['http://a.test/1', 'http://a.test/2']);
      const lease = await w.leaseOne();
      const [one, two] = lease.entries;
      const settled = [outcome(one!, { offers: [offerOf('http://b.test/')] })];
      const before = await w.balance();
      for (const trimmedIn of ['another', `${epoch}x`, ''])
        await expect(w.report(lease, { settled, trimmedIn })).rejects.toMatchObject({
          code: 'epoch-changed',
        });
      expect(await w.balance()).toEqual(before);
      expect(await w.report(lease, { settled, trimmedIn: epoch })).toMatchObject({ ok: true, accepted: 1 });
      // Whole ones count in any epoch.
      expect(await w.report(lease, { settled: [outcome(two!)], close: true })).toMatchObject({ ok: true });
      expect(w.frontier.epoch(crawlA)).toBe(epoch);
      expect(await w.balance()).toMatchObject({ known: 3, done: 2 });
      await w.frontier.close();
    });
  });
}
