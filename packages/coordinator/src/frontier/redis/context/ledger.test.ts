import { type CrawlId, systemClock, WebfarerError } from '@webfarer/protocol';
import { afterEach, expect, it } from 'vitest';
import { redisForFile } from '../../../../../../test/redis/for-file.ts';
import { openStore, type RedisStore } from '../../../redis/store.ts';
import { settings } from '../../suite/world.fixture.ts';
import { testClock } from '../../suite/clock.fixture.ts';
import { emptyStore } from '../compared.fixture.ts';
import type { StoredCrawl } from './stored-crawl.ts';
import { createLedger } from './ledger.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const opened: RedisStore[] = [];

afterEach(async () => {
  for (const store of opened.splice(0)) await store.close();
});

/** A ledger whose next answer can be lost on its way back: the store has done what it was asked. */
async function ledgerOf(limits: { pages?: number; bytes?: number }) {
  const store = await openStore({ url: (await servers()).url, replicas: 0, clock: systemClock() });
  opened.push(store);
  await emptyStore(store);
  await store.run([{ key: '{wf}', args: ['HSET', '{wf}1', 'state', 'running'] }]);
  const clock = testClock();
  const crawl = { c: '1', id: 'a' as CrawlId, settings: { ...settings, limits } } as StoredCrawl;
  let losing = false;
  const lossy: RedisStore = {
    ...store,
    async run(calls, options) {
      const replies = await store.run(calls, options);
      if (losing) throw new WebfarerError('store-silent', 'the answer is lost');
      return replies;
    },
  };
  const ledger = createLedger({ store: lossy, clock, member: 'm', find: () => crawl });
  return {
    ledger,
    crawl,
    async losingAnswers(work: () => Promise<unknown>): Promise<void> {
      losing = true;
      await work();
      losing = false;
      clock.advance(1_000);
    },
  };
}

it('puts back what a draw took whose answer was lost', async () => {
  const { ledger, crawl, losingAnswers } = await ledgerOf({ pages: 5 });
  await losingAnswers(() => ledger.draw(crawl, 4));
  expect(await ledger.draw(crawl, 0)).toEqual({ pages: 0 });
  expect(await ledger.draw(crawl, 9)).toEqual({ pages: 5 });
});

it('puts nothing back that was drawn before the sums were counted anew', async () => {
  const { ledger, crawl, losingAnswers } = await ledgerOf({ pages: 5 });
  await losingAnswers(() => ledger.draw(crawl, 4));
  await ledger.reset(crawl, { pages: 3, bytes: 0 });
  await ledger.draw(crawl, 0);
  expect(await ledger.draw(crawl, 9)).toEqual({ pages: 2 });
});

it('puts nothing back that was drawn without a page limit', async () => {
  const { ledger, crawl, losingAnswers } = await ledgerOf({ bytes: 100 });
  await losingAnswers(() => ledger.draw(crawl, 4));
  crawl.settings.limits = { pages: 5 };
  await ledger.draw(crawl, 0);
  expect(await ledger.draw(crawl, 9)).toEqual({ pages: 5 });
});
