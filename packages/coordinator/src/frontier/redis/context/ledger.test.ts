import { type CrawlId, systemClock, WebfarerError } from '@webfarer/protocol';
import { afterEach, expect, it } from 'vitest';
import { redisForFile } from '../../../../../../test/redis/for-file.ts';
import { openStore, type RedisStore } from '../../../redis/store.ts';
import { settings } from '../../suite/world.fixture.ts';
import { testClock } from '../../suite/clock.fixture.ts';
import { emptyStore } from '../compared.fixture.ts';
import { groupsReader } from '../../../redis/crawl-groups.ts';
import type { StoredCrawl } from './stored-crawl.ts';
import { createLedger, drawMs } from './ledger.ts';

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
  const fields = ['state', 'running', 'settings', JSON.stringify({ limits })];
  await store.run([
    { key: '{wf}', args: ['HSET', '{wf}1', ...fields] },
    { key: '{wf}', args: ['HSET', '{wf}1l', 'all', '1'] },
  ]);
  const clock = testClock();
  const crawl = {
    c: '1',
    id: 'a' as CrawlId,
    settings: { ...settings, limits },
    groups: groupsReader(4)('all'),
  } as StoredCrawl;
  let losing = false;
  const lossy: RedisStore = {
    ...store,
    async run(calls, options) {
      const replies = await store.run(calls, options);
      if (losing) throw new WebfarerError('store-silent', 'the answer is lost');
      return replies;
    },
  };
  const nowMs = () => clock.now();
  const ledger = createLedger({ store: lossy, clock, nowMs, find: () => crawl });
  return {
    ledger,
    crawl,
    clock,
    async losingAnswers(work: () => Promise<unknown>): Promise<void> {
      losing = true;
      await work();
      losing = false;
      clock.advance(1_000);
    },
    /** As an operator's edit leaves it in the store. */
    async edit(next: { pages?: number; bytes?: number }): Promise<void> {
      crawl.settings.limits = next;
      await store.run([
        { key: '{wf}', args: ['HSET', '{wf}1', 'settings', JSON.stringify({ limits: next })] },
      ]);
    },
  };
}

const pages = async (asked: Promise<{ pages: number }>) => (await asked).pages;

it('puts back what a draw took whose answer was lost', async () => {
  const { ledger, crawl, losingAnswers } = await ledgerOf({ pages: 5 });
  await losingAnswers(() => ledger.draw(crawl, 4));
  expect(await pages(ledger.draw(crawl, 9))).toBe(5);
});

it('takes nothing from a draw that another call of the same process is waiting for', async () => {
  const { ledger, crawl } = await ledgerOf({ pages: 5 });
  const [one, other] = await Promise.all([ledger.draw(crawl, 3), ledger.draw(crawl, 3)]);
  expect([one.pages, other.pages]).toEqual([3, 2]);
  expect(await ledger.draw(crawl, 0, one.draw)).toMatchObject({ pages: 0, isLost: false });
  const next = await ledger.draw(crawl, 9);
  expect(next.pages).toBe(3);
  expect(await ledger.draw(crawl, 0, other.draw)).toMatchObject({ pages: 0, isLost: false });
  expect(await pages(ledger.draw(crawl, 9, next.draw))).toBe(5);
});

it('gives the pages of a draw to others once it has run out, and says so to the one that made it', async () => {
  const { ledger, crawl, clock } = await ledgerOf({ pages: 5 });
  const slow = await ledger.draw(crawl, 4);
  clock.advance(drawMs - 1);
  expect(await pages(ledger.draw(crawl, 9))).toBe(1);
  clock.advance(1);
  expect(await pages(ledger.draw(crawl, 9))).toBe(4);
  expect(await ledger.draw(crawl, 0, slow.draw)).toMatchObject({ isLost: true });
});

it('cannot say whether a draw still held where the store does not answer', async () => {
  const { ledger, crawl, losingAnswers } = await ledgerOf({ pages: 5 });
  const { draw } = await ledger.draw(crawl, 4);
  await losingAnswers(async () => expect(await ledger.draw(crawl, 0, draw)).toMatchObject({ isLost: true }));
});

it('counts what groups use as they stand, whichever of their answers comes first, and forgets nothing when edited', async () => {
  const { ledger, crawl, edit } = await ledgerOf({ pages: 10 });
  ledger.note('1', 2, '7 3 1 1 0');
  await ledger.settle();
  ledger.note('1', 2, '6 0 2 2 0');
  ledger.note('1', 3, '1 0 2 2 0');
  expect(await pages(ledger.draw(crawl, 99))).toBe(4);
  await edit({ pages: 12 });
  expect(await pages(ledger.draw(crawl, 99))).toBe(2);
});

it('tells again what could not be told', async () => {
  const { ledger, crawl, losingAnswers } = await ledgerOf({ pages: 10 });
  ledger.note('1', 2, '7 3 1 1 0');
  await losingAnswers(() => ledger.settle());
  expect(await pages(ledger.draw(crawl, 99))).toBe(6);
});

it('draws nothing for bytes alone, and names the ceiling that is reached', async () => {
  const { ledger, crawl, edit } = await ledgerOf({ bytes: 100 });
  expect(await ledger.draw(crawl, 4)).toEqual({
    pages: Number.POSITIVE_INFINITY,
    draw: undefined,
    isLost: false,
  });
  await edit({ pages: 5 });
  expect(await pages(ledger.draw(crawl, 9))).toBe(5);
  await edit({ bytes: 100 });
  ledger.note('1', 0, '1 3 0 0 100');
  expect(await ledger.draw(crawl, 4)).toMatchObject({ pages: 0, by: 'bytes' });
});
