import { type CrawlId, type HostLease, systemClock, type WorkerId } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { offerOf, openSeeded, outcome, quiet, settings } from '../suite/world.fixture.ts';
import { openRedisFrontier, type RedisFrontier } from './redis-frontier.ts';
import { openStore } from '../../redis/store.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
const groups = 64;
const ask = { worker: 'w' as WorkerId, hosts: 1, urlsPerHost: 1 };

async function commandsOf(work: () => Promise<unknown>): Promise<number> {
  const { nodes } = await servers();
  // Every command that a script calls is counted, too.
  const calls = async () => {
    const stats = (await nodes[0]?.askText('INFO', 'commandstats')) ?? '';
    return [...stats.matchAll(/^cmdstat_(?!info|config)[^:]*:calls=(\d+)/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  };
  const before = await calls();
  await work();
  return (await calls()) - before;
}

async function open(): Promise<RedisFrontier> {
  const { url, nodes } = await servers();
  await nodes[0]?.ask('FLUSHALL');
  const clock = systemClock();
  const store = await openStore({ url, replicas: 0, clock });
  return await openRedisFrontier({ store, clock, groups });
}

/** What is due by the store's clock may not be due by ours for a moment. */
async function leaseOf(frontier: RedisFrontier, id: CrawlId): Promise<HostLease> {
  for (;;) {
    const [lease] = (await frontier.lease({ ...ask, crawls: [id] })).leases;
    if (lease) return lease;
  }
}

/** Crawls one page of the host, to the end. */
async function crawlOnce(frontier: RedisFrontier, id: CrawlId, url: string): Promise<void> {
  await openSeeded(frontier, { ...settings, id, gapMs: 0 });
  await frontier.offer(id, [offerOf(url)]);
  const lease = await leaseOf(frontier, id);
  const settled = [outcome(lease.entries[0]!)];
  await frontier.report([{ ...lease, settled, news: quiet, close: true }]);
  expect(await frontier.finish(id)).toBe(true);
}

describe('the cost of upkeep', () => {
  it('does not grow with crawls that are finished', async () => {
    const frontier = await open();
    const running = 'running' as CrawlId;
    await openSeeded(frontier, { ...settings, id: running });
    await frontier.offer(running, [offerOf('http://other.test/')]);
    const cost = () => commandsOf(async () => await frontier.sweepWhole());
    await cost();
    const before = await cost();
    for (let n = 0; n < 20; n++) await crawlOnce(frontier, `old-${n}` as CrawlId, `http://h${n}.test/`);
    // The first look afterwards clears up behind them, once.
    await cost();
    const after = await cost();
    expect(after).toBeLessThan(before * 1.1);
    // Another process that comes now knows of them no more than of the running one.
    const late = await openRedisFrontier({
      store: await openStore({ url: (await servers()).url, replicas: 0, clock: systemClock() }),
      clock: systemClock(),
      groups,
    });
    await late.sweepWhole();
    expect(await commandsOf(async () => await late.sweepWhole())).toBeLessThan(before * 1.1);
    await late.close();
    await frontier.close();
  });

  it('of a host does not grow with the crawls that ever had it', async () => {
    const frontier = await open();
    const costs: number[] = [];
    for (let n = 0; n < 20; n++) {
      const id = `crawl-${n}` as CrawlId;
      await openSeeded(frontier, { ...settings, id, gapMs: 0 });
      await frontier.offer(id, [offerOf('http://same.test/')]);
      const lease = await leaseOf(frontier, id);
      const settled = [outcome(lease.entries[0]!)];
      const report = { ...lease, settled, news: quiet, close: true };
      costs.push(await commandsOf(async () => await frontier.report([report])));
      expect(await frontier.finish(id)).toBe(true);
    }
    expect(costs.at(-1)).toBeLessThanOrEqual((costs[2] ?? 0) + 2);
    await frontier.close();
  });

  it('includes a crawl again that is given work after its end', async () => {
    const frontier = await open();
    const id = 'again' as CrawlId;
    await crawlOnce(frontier, id, 'http://a.test/1');
    await frontier.sweep();
    await frontier.offer(id, [offerOf('http://a.test/2')]);
    await frontier.sweep();
    expect((await leaseOf(frontier, id)).entries).toHaveLength(1);
    await frontier.close();
  });
});
