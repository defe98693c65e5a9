import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { withStoreOptions } from '@webfarer/protocol/job';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Sentinels, startSentinels } from '../../../../../test/redis/sentinels.ts';
import { type RedisNode, type RedisServers, startRedis } from '../../../../../test/redis/servers.ts';
import { openStore } from '../store.ts';
import { natMap } from './nat-map.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-nat-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe('an address map', () => {
  it('leads from inner to outer addresses and back, and leaves others alone', () => {
    const map = natMap('10.0.0.5:6379=store.test:7001, [fd00::1]:6379=store.test:7002');
    expect(map.outer('10.0.0.5:6379')).toBe('store.test:7001');
    expect(map.outer('[fd00::1]:6379')).toBe('store.test:7002');
    expect(map.inner('store.test:7002')).toBe('[fd00::1]:6379');
    expect([map.outer('10.0.0.6:6379'), map.inner('10.0.0.6:6379')]).toEqual([
      '10.0.0.6:6379',
      '10.0.0.6:6379',
    ]);
  });

  it('is read from a JSON file', () => {
    const file = join(folder, 'map.json');
    writeFileSync(file, JSON.stringify({ '10.0.0.5:6379': 'store.test:7001' }));
    expect(natMap(file).outer('10.0.0.5:6379')).toBe('store.test:7001');
    expect(() => natMap(join(folder, 'none.json'))).toThrow(/none\.json: no such file/);
    writeFileSync(file, '[1]');
    expect(() => natMap(file)).toThrow(/is malformed/);
  });

  it.each(['10.0.0.5', '10.0.0.5:6379', 'a:1=b', 'a:1=b:2=c:3', ''])('refuses %j', (text) => {
    expect(() => natMap(text)).toThrow(/the address map of the store is malformed/);
  });
});

describe('servers behind port mappings', () => {
  const mappings: Server[] = [];
  let cluster: RedisServers;
  let followed: RedisServers;
  let sentinels: Sentinels;
  /** Connections that came through a mapping. */
  let mapped = 0;

  /** One outer port for each; answers the pairs of a map. */
  async function map(
    places: readonly { host: string; port: number }[],
  ): Promise<{ outer: number[]; pairs: string }> {
    const outer = await Promise.all(
      places.map(async ({ host, port }) => {
        const mapping = createServer((client) => {
          mapped++;
          const server = connect(port, host);
          client.on('error', () => server.destroy()).on('close', () => server.destroy());
          server.on('error', () => client.destroy()).on('close', () => client.destroy());
          client.pipe(server);
          server.pipe(client);
        });
        await new Promise<void>((done) => mapping.listen(0, '127.0.0.2', done));
        mappings.push(mapping);
        return (mapping.address() as { port: number }).port;
      }),
    );
    const pairs = places.map(({ host, port }, n) => `${host}:${port}=127.0.0.2:${outer[n]}`).join(',');
    return { outer, pairs };
  }

  beforeAll(async () => {
    [cluster, followed] = await Promise.all([
      startRedis({ primaries: 3, replicasEach: 1 }),
      startRedis({ primaries: 1, replicasEach: 1, cluster: false }),
    ]);
    sentinels = await startSentinels({ primary: followed.nodes[0] as RedisNode, replicas: 1, count: 1 });
  });
  afterAll(async () => {
    for (const mapping of mappings) mapping.close();
    await sentinels.stop();
    await Promise.all([cluster.stop(), followed.stop()]);
  });

  async function useAll(url: string): Promise<number> {
    const store = await openStore({ url, replicas: 0, everyReplica: true, clock: systemClock() });
    try {
      const keys = Array.from({ length: 30 }, (_, n) => `{g${n}}tried`);
      await store.run(keys.map((key) => ({ key, args: ['SET', key, 'yes'] })));
      const nodes = await store.nodes();
      expect(nodes.every(({ reachable }) => reachable)).toBe(true);
      return nodes.length;
    } finally {
      await store.close();
    }
  }

  it('are reached where a cluster names its nodes by inner addresses', async () => {
    const { outer, pairs } = await map(cluster.nodes);
    const url = withStoreOptions(`redis://127.0.0.2:${outer[0]}`, { nat: pairs });
    const before = mapped;
    expect(await useAll(url)).toBe(6);
    expect(mapped - before).toBeGreaterThan(6);
  });

  it('are reached where a Sentinel names them by inner addresses', async () => {
    const { outer, pairs } = await map([...sentinels.all, ...followed.nodes]);
    const url = withStoreOptions(`redis+sentinel://127.0.0.2:${outer[0]}/mymaster`, { nat: pairs });
    expect(await useAll(url)).toBe(2);
  });
});
