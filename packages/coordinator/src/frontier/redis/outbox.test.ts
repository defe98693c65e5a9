import { type HostKey, systemClock, WebfarerError } from '@webfarer/protocol';
import { groupOf, siteOf } from '@webfarer/protocol/url';
import { expect, it } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { createWorld, crawlA, offerOf, outcome } from '../suite/world.fixture.ts';
import { emptyStore } from './compared.fixture.ts';
import { openRedisFrontier } from './redis-frontier.ts';
import { openStore, type StoreCall } from '../../redis/store.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const groups = 4;
/** How long the sweep leaves a parcel to the process that made it. */
const lateAfterMs = 2_000;

const inGroup = (group: number): HostKey =>
  Array.from({ length: 99 }, (_, i) => `site${i}.test` as HostKey).find(
    (host) => groupOf(siteOf(host)) % groups === group,
  ) as HostKey;

/** A page of one group links into another, but nothing can be delivered there for the moment. */
async function undelivered(from = 0, to = 1) {
  const { url } = await servers();
  let refuses = true;
  const fault = (calls: StoreCall[]) => {
    if (refuses && calls.some(({ script }) => script?.name.startsWith('wf_deliver_')))
      throw new WebfarerError('store-silent', 'no delivery for now');
  };
  const world = await createWorld({
    name: 'Redis',
    async open(clock) {
      const store = await openStore({ url, replicas: 0, clock: systemClock(), fault });
      await emptyStore(store);
      return await openRedisFrontier({ store, clock, time: 'given', groups });
    },
  });
  await world.openCrawl({ gapMs: 0 });
  await world.offer([`http://${inGroup(from)}/`]);
  const lease = await world.leaseOne();
  const offers = [offerOf(`http://${inGroup(to)}/linked`)];
  await world.report(lease, { settled: [outcome(lease.entries[0]!, { offers })], close: true });
  return {
    world,
    deliverAgain() {
      refuses = false;
    },
  };
}

it('links that wait in an outbox keep the crawl from being finished', async () => {
  const { world } = await undelivered();
  expect(await world.balance()).toMatchObject({ known: 1, queued: 0, leased: 0 });
  expect(await world.frontier.finish(crawlA)).toBe(false);
  await world.frontier.close();
});

it('a sweep delivers links whose process did not', async () => {
  const { world, deliverAgain } = await undelivered();
  deliverAgain();
  world.clock.advance(lateAfterMs + 1_000);
  await world.frontier.sweep();
  const [lease] = await world.lease();
  expect(lease?.entries).toMatchObject([{ url: `http://${inGroup(1)}/linked` }]);
  await world.finishLease(lease!);
  expect(await world.balance()).toMatchObject({ known: 2, done: 2 });
  expect(await world.frontier.finish(crawlA)).toBe(true);
  await world.frontier.close();
});

it('a sweep delivers links that were too young for the sweeps before, though nothing has changed since', async () => {
  // Of two groups at rest the first has its turn.
  const { world, deliverAgain } = await undelivered(1, 0);
  deliverAgain();
  await world.frontier.sweep();
  world.clock.advance(1_100);
  await world.frontier.sweep();
  expect(await world.balance()).toMatchObject({ known: 1 });
  world.clock.advance(lateAfterMs);
  await world.frontier.sweep();
  expect(await world.balance()).toMatchObject({ known: 2, queued: 1 });
  await world.frontier.close();
});
