import { cpSync, rmSync } from 'node:fs';
import { type CrawlId, type HostLease, systemClock, type WorkerId } from '@webfarer/protocol';
import { afterEach, expect, it } from 'vitest';
import { type RedisServers, startRedis } from '../../../../../test/redis/servers.ts';
import { offerOf, outcome, quiet, settings } from '../suite/world.fixture.ts';
import { openKeeper } from './forgetting.ts';
import { openRedisFrontier, type RedisFrontier } from './redis-frontier.ts';
import { openStore } from '../../redis/store.ts';

const crawl = 'museums' as CrawlId;
const worker = 'w' as WorkerId;
const clock = systemClock();
const open: { servers?: RedisServers; frontier?: RedisFrontier } = {};

afterEach(async () => {
  await open.frontier?.close();
  await open.servers?.stop();
});

async function begin() {
  const servers = (open.servers = await startRedis());
  const store = await openStore({ url: servers.url, replicas: 0, clock });
  const frontier = (open.frontier = await openRedisFrontier({ store, clock, groups: 4 }));
  await frontier.openCrawl({ ...settings, id: crawl, gapMs: 0 });
  const epoch = () => frontier.epoch(crawl) as string;
  return { frontier, epoch, server: servers.nodes[0]!, url: servers.url };
}

async function leaseOne(frontier: RedisFrontier): Promise<HostLease> {
  const { leases } = await frontier.lease({ worker, hosts: 1, urlsPerHost: 1 });
  expect(leases).toHaveLength(1);
  return leases[0] as HostLease;
}

const settling = (lease: HostLease, trimmedIn?: string) => ({
  ...lease,
  settled: lease.entries.map((entry) => outcome(entry)),
  news: quiet,
  close: true,
  ...(trimmedIn === undefined ? {} : { trimmedIn }),
});

it('a server that went back in time takes no trimmed report, however often it is sent', async () => {
  const { frontier, epoch, server } = await begin();
  await frontier.offer(crawl, [offerOf('http://a.test/'), offerOf('http://b.test/')]);
  const held = await leaseOne(frontier);
  const before = epoch();
  await server.kill('SIGKILL');
  const copy = `${server.folder}.copy`;
  cpSync(server.folder, copy, { recursive: true });
  // Sent while the server is away: it is tried again until another process answers there.
  const report = frontier.report([settling(held, before)]);
  const rejected = expect(report).rejects.toMatchObject({ code: 'epoch-changed' });
  rmSync(server.folder, { recursive: true });
  cpSync(copy, server.folder, { recursive: true });
  await server.restart();
  await rejected;
  expect(epoch()).not.toBe(before);
  expect(await frontier.balance(crawl)).toMatchObject({ leased: 1, done: 0 });
  expect(await frontier.report([settling(held)])).toMatchObject([{ ok: true }]);
  rmSync(copy, { recursive: true });
});

it('fences are not given out again by a server that went back in time', async () => {
  const { frontier, server } = await begin();
  await frontier.offer(crawl, [offerOf('http://a.test/')]);
  await server.kill('SIGKILL');
  const copy = `${server.folder}.copy`;
  cpSync(server.folder, copy, { recursive: true });
  await server.restart();
  const lost = await leaseOne(frontier);
  await server.kill('SIGKILL');
  rmSync(server.folder, { recursive: true });
  cpSync(copy, server.folder, { recursive: true });
  await server.restart();
  await frontier.sweepWhole();
  const lease = await leaseOne(frontier);
  expect(lease.fence).toBeGreaterThan(lost.fence);
  expect(await frontier.report([settling(lost)])).toEqual([{ ok: false }]);
  expect(await frontier.report([settling(lease)])).toMatchObject([{ ok: true }]);
  rmSync(copy, { recursive: true });
});

it('a crawl of the same name after another was erased has an epoch of its own', async () => {
  const { frontier, epoch, url } = await begin();
  const before = epoch();
  await frontier.openCrawl({ ...settings, id: crawl, gapMs: 1 });
  expect(epoch()).toBe(before);
  const keeper = await openKeeper({ url, clock });
  await keeper.forget(crawl);
  await keeper.close();
  await frontier.openCrawl({ ...settings, id: crawl, gapMs: 0 });
  expect(epoch()).not.toBe(before);
});

it('a replica that takes over begins a new epoch, and so does the primary that comes back', async () => {
  const servers = (open.servers = await startRedis({ primaries: 3, replicasEach: 1, nodeTimeoutMs: 500 }));
  const store = await openStore({ url: servers.url, replicas: 0, clock });
  const frontier = (open.frontier = await openRedisFrontier({ store, clock, groups: 16 }));
  await frontier.openCrawl({ ...settings, id: crawl, gapMs: 0 });
  await frontier.offer(
    crawl,
    Array.from({ length: 40 }, (_, n) => offerOf(`http://h${n}.site${n}.test/`)),
  );
  const { leases } = await frontier.lease({ worker, hosts: 40, urlsPerHost: 1 });
  const epochs = [frontier.epoch(crawl) as string];
  const shard = servers.nodes.filter((node) => node.shard === 0);
  for (const next of [shard[1]!, shard[0]!]) {
    const replication = () => next.askText('INFO', 'replication');
    await expect.poll(replication, { timeout: 30_000 }).toContain('master_link_status:up');
    await next.ask('CLUSTER', 'FAILOVER', 'TAKEOVER');
    await expect.poll(replication, { timeout: 30_000 }).toContain('role:master');
    // Whatever goes there next meets another server than before.
    await frontier.sweepWhole();
    epochs.push(frontier.epoch(crawl) as string);
  }
  expect(new Set(epochs).size).toBe(3);
  const late = leases.map((lease) => settling(lease, epochs[0]));
  await expect(frontier.report(late)).rejects.toMatchObject({ code: 'epoch-changed' });
  const current = leases.map((lease) => settling(lease, epochs[2]));
  expect((await frontier.report(current)).every(({ ok }) => ok)).toBe(true);
});
