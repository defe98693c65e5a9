import { type CrawlId, type HostKey, systemClock, type Url, type WorkerId } from '@webfarer/protocol';
import { groupCount, siteOf } from '@webfarer/protocol/url';
import { afterEach, beforeAll, describe, expect, it } from 'vitest';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { until } from '../../../../../test/redis/form-cluster.ts';
import type { RedisNode, RedisServers } from '../../../../../test/redis/servers.ts';
import { offerOf, settings } from '../../frontier/suite/world.fixture.ts';
import { lookAround } from '../look-around.ts';
import { groupTag, placeFinder, stateKey, storeTag } from '../keys.ts';
import { openRedisFrontier, type RedisFrontier } from '../../frontier/redis/redis-frontier.ts';
import { slotOf } from '../topology/slots.ts';
import { openStore, type RedisStore } from '../store.ts';
import { type MoveStep, moveSteps } from './move-group.ts';
import { type Mover, openMover } from './mover.ts';

const nodeTimeoutMs = 500;
const cluster = redisForFile({ primaries: 2, replicasEach: 1, nodeTimeoutMs });
const groups = 16;
const host = 'moves.test' as HostKey;
const { group } = placeFinder(groups, siteOf)(host);
const slot = slotOf(groupTag(group));
const crawl = 'a' as CrawlId;
const urls = Array.from({ length: 300 }, (_, n) => `http://${host}/${n}` as Url);

let servers: RedisServers;
let store: RedisStore;
let frontier: RedisFrontier;
const movers: Mover[] = [];

beforeAll(async () => {
  servers = await cluster();
  store = await openStore({ url: servers.url, replicas: 1, clock: systemClock() });
  frontier = await openRedisFrontier({ store, clock: systemClock(), groups });
  await frontier.openCrawl({ ...settings, id: crawl, gapMs: 0 });
  await frontier.offer(
    crawl,
    urls.map((url) => offerOf(url)),
  );
  // From then on the group has all its keys, its time among them.
  await frontier.sweep();
});

afterEach(async () => {
  for (const mover of movers.splice(0)) await mover.close();
});

async function mover(onStep: (step: MoveStep) => Promise<void> | void = () => {}): Promise<Mover> {
  const opened = await openMover({
    url: servers.url,
    clock: systemClock(),
    onStep: (_, step) => onStep(step),
  });
  movers.push(opened);
  return opened;
}

const addressOf = ({ host: name, port }: RedisNode) => `${name}:${port}`;

async function primaries(): Promise<RedisNode[]> {
  const roles = await Promise.all(servers.nodes.map((node) => node.askText('INFO', 'replication')));
  return servers.nodes.filter((_, n) => roles[n]?.includes('role:master'));
}

/** Where the group is now, and where it is not. */
async function places(): Promise<{ from: RedisNode; to: RedisNode }> {
  const all = await primaries();
  const held = await Promise.all(all.map((node) => node.askText('CLUSTER', 'NODES')));
  const holds = (n: number) =>
    (held[n] ?? '')
      .split('\n')
      .find((line) => line.includes('myself'))
      ?.split(' ')
      .slice(8)
      .some((range) => {
        const [first, last = first] = range.split('-').map(Number);
        return !range.startsWith('[') && slot >= (first as number) && slot <= (last as number);
      }) === true;
  const at = all.findIndex((_, n) => holds(n));
  return { from: all[at] as RedisNode, to: all[1 - at] as RedisNode };
}

/** All of the group is at this node and its replica, nothing anywhere else, and it is open. */
async function expectWhole(at: RedisNode, keys: number): Promise<void> {
  const counts = () => Promise.all(servers.nodes.map((node) => node.ask('CLUSTER', 'COUNTKEYSINSLOT', slot)));
  const expected = servers.nodes.map((node) => (node.shard === at.shard ? keys : 0));
  await until(
    async () => JSON.stringify(await counts()) === JSON.stringify(expected),
    `the counts ${expected.join()}`,
  );
  const status = await (await mover()).status();
  expect(status).toMatchObject({ moves: [], closed: [], halfMoved: [] });
  expect(status.shards.find(({ address }) => address === addressOf(at))?.groups).toContain(group);
  expect(await frontier.balance(crawl)).toMatchObject({ known: 300, queued: 300 });
  expect(await frontier.offer(crawl, [offerOf(urls[7] as string)])).toEqual(['known']);
}

const keysNow = async (node: RedisNode) => Number(await node.ask('CLUSTER', 'COUNTKEYSINSLOT', slot));

describe('moving a group', () => {
  it('each group has a slot of its own, and none has that of the store', () => {
    const slots = Array.from({ length: groupCount }, (_, n) => slotOf(groupTag(n)));
    expect(new Set([...slots, slotOf(storeTag)]).size).toBe(groupCount + 1);
  });

  it('takes all of it there, leaves nothing behind, and those who wait go on', async () => {
    const { from, to } = await places();
    const keys = await keysNow(from);
    const steps: MoveStep[] = [];
    let waiting: Promise<unknown> = Promise.resolve();
    const moving = await mover(async (step) => {
      steps.push(step);
      // A crawl may start meanwhile.
      const { nodes } = await lookAround(servers.url, systemClock());
      expect(nodes.flatMap(({ movingSlots }) => movingSlots)).toEqual([]);
      if (step === 'closed') waiting = frontier.offer(crawl, [offerOf(urls[3] as string)]);
    });
    expect(await moving.move([group], addressOf(to))).toEqual([group]);
    expect([...new Set(steps)]).toEqual(moveSteps);
    expect(await waiting).toEqual(['known']);
    await expectWhole(to, keys);
    expect(await moving.move([group], addressOf(to))).toEqual([]);
  });

  it.each(moveSteps.slice(0, -1))('goes on where it was cut off: %s', async (last) => {
    const { from, to } = await places();
    const keys = await keysNow(from);
    const cutOff = await mover((step) => {
      if (step === last) throw new Error('cut off');
    });
    await expect(cutOff.move([group], addressOf(to))).rejects.toThrow('the move has stalled: cut off');
    const { moves, closed } = await cutOff.status();
    expect([moves.length, closed]).toEqual([1, [{ group, slot, why: 'moving' }]]);
    expect(await (await mover()).resume()).toEqual({ moved: [group], opened: [], stuck: [] });
    await expectWhole(to, keys);
  });

  it.each(['copied', 'emptied'] as const)('survives a failover of the source: %s', (step) =>
    withFailover(step, 'from'),
  );
  it.each(['copying', 'emptied'] as const)('survives a failover of the target: %s', (step) =>
    withFailover(step, 'to'),
  );

  async function withFailover(at: MoveStep, whose: 'from' | 'to'): Promise<void> {
    const where = await places();
    const keys = await keysNow(where.from);
    let failedOver = false;
    const moving = await mover(async (step) => {
      if (step !== at || failedOver) return;
      failedOver = true;
      await failOver(where[whose]);
      // Whoever is primary now has never heard of the move, and yet the group must be closed there.
      expect(await Promise.race([frontier.offer(crawl, [offerOf(urls[5] as string)]), soon()])).toBe('waits');
    });
    await moving.move([group], addressOf(where.to)).catch(() => undefined);
    await (await mover()).resume();
    const now = (await primaries()).find(({ shard }) => shard === where.to.shard) as RedisNode;
    await expectWhole(now, keys);
  }

  const soon = () => new Promise((done) => setTimeout(() => done('waits'), 50));

  it('refuses what cannot be', async () => {
    const moving = await mover();
    const replica = servers.nodes.find((node) => node.role === 'replica') as RedisNode;
    await expect(moving.move([groups], addressOf(replica))).rejects.toThrow(`there is no group ${groups}`);
    await expect(moving.move([1], '127.0.0.1:1')).rejects.toMatchObject({
      next: expect.stringContaining('Choose one of: 127.0.0.1:'),
    });
    const one = await mover(async () => {
      await expect((await mover()).move([group], addressOf(to))).rejects.toThrow('another process is moving');
    });
    const { to } = await places();
    await one.move([group], addressOf(to));
  });

  it('halts a group that somebody else moves, and opens it when that is over and a person says so', async () => {
    const { from, to } = await places();
    await from.ask('CLUSTER', 'SETSLOT', slot, 'MIGRATING', await to.askText('CLUSTER', 'MYID'));
    const other = await openRedisFrontier({ store, clock: systemClock(), groups });
    // It waits for the halted group, as all do.
    const sweeping = other.sweep();
    const looking = await mover();
    const isClosed = async () => (await looking.status()).closed.length > 0;
    await until(isClosed, 'it is halted');
    expect(await looking.status()).toMatchObject({
      closed: [{ group, why: 'halted' }],
      halfMoved: [group],
    });
    expect(await looking.resume()).toMatchObject({ opened: [], stuck: [{ group }] });
    await from.ask('CLUSTER', 'SETSLOT', slot, 'STABLE');
    expect(await looking.resume()).toEqual({ moved: [], opened: [group], stuck: [] });
    await sweeping;
  });

  it('leases go on over a move', async () => {
    const asking = { worker: 'w' as WorkerId, hosts: 1, urlsPerHost: 10 };
    const { leases } = await frontier.lease(asking as never);
    const { to } = await places();
    await (await mover()).move([group], addressOf(to));
    const [lease] = leases;
    expect(await frontier.renew([lease as never])).toMatchObject([{ ok: true }]);
    expect(await store.run([{ key: stateKey(group), args: ['EXISTS', stateKey(group)] }])).toEqual([1]);
  });
});

/** Voters refuse a second election of one shard within twice their timeout. */
let votedAt = 0;

async function failOver(primary: RedisNode): Promise<void> {
  const other = servers.nodes.find((node) => node !== primary && node.shard === primary.shard) as RedisNode;
  await until(() => Promise.resolve(performance.now() - votedAt > 3 * nodeTimeoutMs), 'voters vote again');
  await other.ask('CLUSTER', 'FAILOVER');
  await until(async () => (await primaries()).includes(other), 'a failover', 8_000);
  votedAt = performance.now();
  await until(
    async () => (await other.askText('INFO', 'replication')).includes('state=online'),
    'the old primary follows',
  );
}
