import { type CrawlId, systemClock, type Url } from '@webfarer/protocol';
import { expect, it } from 'vitest';
import { redisForFile } from '../../../../../../test/redis/for-file.ts';
import { openStore, type RedisStore } from '../../../redis/store.ts';
import { forgetAll } from '../../forgetting.ts';
import { testClock } from '../../suite/clock.fixture.ts';
import { answered, offerOf, openSeeded, outcome, settings, worker } from '../../suite/world.fixture.ts';
import { openRedisFrontier } from '../redis-frontier.ts';

// What a key is dumped as is then what it holds, byte for byte.
const servers = redisForFile({ settings: { appendonly: 'no', rdbcompression: 'no' } });
const crawl = settings.id as CrawlId;
const gone = 'gone.test';

/** Keys that name the host, or hold its name anywhere in their bytes. */
async function naming(store: RedisStore): Promise<string[]> {
  const found: string[] = [];
  for await (const keys of store.scan('*'))
    for (const key of keys) {
      const [bytes = ''] = await store.run([{ key, args: ['DUMP', key] }]);
      if (key.includes(gone) || JSON.stringify(bytes).includes(gone)) found.push(key);
    }
  return found;
}

it('leaves the name in the tombstone alone, and no bytes of records in streams', async () => {
  const { url } = await servers();
  const clock = testClock();
  const store = await openStore({ url, replicas: 0, clock: systemClock() });
  await store.run([{ key: '{wf}', args: ['FLUSHALL'] }]);
  const frontier = await openRedisFrontier({ store, clock, time: 'given', groups: 16 });
  try {
    await openSeeded(frontier, settings);
    const urls = ['http://gone.test/', 'http://a.test/', 'http://b.test/'];
    await frontier.offer(
      crawl,
      urls.map((one) => offerOf(one)),
    );
    const robots = urls.map((one) => ({ origin: one.slice(0, -1), state: 'none', fetchedAtMs: 0 }));
    const { leases } = await frontier.lease({ worker, hosts: 3, urlsPerHost: 5 });
    for (const lease of leases) {
      const { id, host, fence } = lease;
      const edges = urls.map((to) => ({ to: `${to}linked` as Url, rel: 'a' }));
      const offers = urls.map((to) => offerOf(`${to}from-${host.slice(0, 1)}`));
      const settled = lease.entries.map((entry) => outcome(entry, { edges, offers, items: [{ n: 1 }] }));
      await frontier.report([
        { id, crawl, host, fence, settled, news: answered, close: true, robots: robots as never },
      ]);
    }
    expect((await naming(store)).length).toBeGreaterThan(5);
    await forgetAll(frontier, crawl, { pattern: gone, moved: [] }, async (ms) => clock.advance(ms));
    await frontier.forgot(crawl, gone, { urls: 4, captures: 0 });
    // Grants are told again for a while where an answer was lost, and then run out.
    const left = (await naming(store)).filter((key) => !/^\{g\d+\}g:/.test(key));
    expect(left).toEqual(['{wf}1']);
    const { known, queued, leased, done, failed, refused } = await frontier.balance(crawl);
    expect(known).toBe(queued + leased + done + failed + refused);
    expect({ known, done }).toEqual({ known: 8, done: 2 });
  } finally {
    await frontier.close();
  }
});

it('waits no longer where the process that barred the host has a clock ahead', async () => {
  const { url } = await servers();
  const clock = systemClock();
  const ahead = { ...clock, wall: () => clock.wall() + 3_600_000 };
  const open = async (own: typeof clock) =>
    await openRedisFrontier({ store: await openStore({ url, replicas: 0, clock }), clock: own, groups: 16 });
  const [first, second] = [await open(ahead), await open(clock)];
  try {
    await openSeeded(second, settings);
    const order = { pattern: 'late.test', moved: [] };
    await first.forget(crawl, order, '');
    const { waitMs = 0 } = await second.forget(crawl, order, '');
    expect(waitMs).toBeGreaterThan(0);
    expect(waitMs).toBeLessThanOrEqual(2_000);
  } finally {
    await first.close();
    await second.close();
  }
});
