import { spawn } from 'node:child_process';
import { connect, createServer } from 'node:net';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../../../../../test/redis/form-cluster.ts';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { freePorts } from '../../../../../test/redis/server-process.ts';
import { offerOf, settings, worker } from '../../frontier/suite/world.fixture.ts';
import { fakeServer } from '../../../../../test/redis/fake-server.ts';
import { startRedis } from '../../../../../test/redis/servers.ts';
import { joinStore } from '../../store/join-store.ts';
import { openStore } from '../store.ts';
import { aclRules } from './rights.ts';

const servers = redisForFile();
const clock = systemClock();
const folder = mkdtempSync(join(tmpdir(), 'webfarer-denied-'));
const ended: (() => void)[] = [];

afterAll(() => {
  for (const end of ended) end();
  rmSync(folder, { recursive: true, force: true });
});

describe('a store that cannot be used', () => {
  it.each([
    ['hkeys', 'at once'],
    ['hget', 'at once'],
    ['fcall', 'at once'],
    ['function|load', 'at once'],
    ['info', 'at once'],
    ['time', 'at once'],
    ['hsetnx', 'by the call that meets it'],
    ['time', 'by the call that meets it'],
  ])(
    'because its user may not run %s is refused in a sentence with the next step, %s',
    async (command, when) => {
      // Rights are tried in a transaction; who may not begin one finds out later.
      const without = (name: string) => [`-${name}`, ...(when === 'at once' ? [] : ['-multi'])];
      const { url, nodes } = await servers();
      await nodes[0]?.ask('FUNCTION', 'FLUSH');
      await nodes[0]?.ask('ACL', 'SETUSER', 'few', 'on', '>x', '~*', '&*', '+@all', ...without(command));
      const choice = { url: url.replace('//', '//few:x@'), durability: 'strict', insecure: false } as const;
      const work = async () => {
        const { frontier } = await joinStore(choice, clock);
        try {
          // What only later steps need is refused there.
          await frontier.openCrawl(settings);
          await frontier.offer(settings.id, [offerOf('https://a.test/')]);
          await frontier.lease({ worker, hosts: 1, urlsPerHost: 1 });
        } finally {
          await frontier.close();
        }
      };
      const error = await work().catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        code: 'store-denied',
        message: expect.stringMatching(/the user of the store at 127\.0\.0\.1:\d+ may not run /),
        next: expect.stringContaining('webfarer store acl'),
      });
    },
  );

  it('because its user may run few commands is told all that are missing, and nothing was done', async () => {
    const { url, nodes } = await servers();
    await nodes[0]?.ask('FLUSHALL');
    await nodes[0]?.ask(
      'ACL',
      'SETUSER',
      'fewer',
      'on',
      '>x',
      ...aclRules(),
      '-zadd',
      '-xinfo|stream',
      '-wait',
    );
    const choice = { url: url.replace('//', '//fewer:x@'), durability: 'strict', insecure: false } as const;
    await expect(joinStore(choice, clock)).rejects.toMatchObject({
      code: 'store-denied',
      message: expect.stringMatching(
        /may not run ZADD, XINFO STREAM, WAIT$|may not run XINFO STREAM, ZADD, WAIT$/,
      ),
    });
    expect(await nodes[0]?.ask('DBSIZE')).toBe(0);
  });

  it('because a proxy leaves out commands is told which', async () => {
    const { url, nodes } = await servers();
    const proxy = createServer((client) => {
      const server = connect(Number(nodes[0]?.port), '127.0.0.1');
      client.on('error', () => server.destroy()).on('close', () => server.destroy());
      server.on('error', () => client.destroy());
      // A command of the same length that the server does not have.
      client.on('data', (chunk) =>
        server.write(chunk.toString('latin1').replaceAll('\r\nFCALL\r\n', '\r\nXCALL\r\n'), 'latin1'),
      );
      server.pipe(client);
    });
    await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done));
    ended.push(() => proxy.close());
    const { port } = proxy.address() as { port: number };
    const choice = { url: url.replace(/:\d+$/, `:${port}`), durability: 'strict', insecure: false } as const;
    await expect(joinStore(choice, clock)).rejects.toMatchObject({
      code: 'store-denied',
      message: `the store at 127.0.0.1:${port} lacks FCALL, which crawls need`,
      next: expect.stringContaining('docs/stores.md'),
    });
  });

  it('because it is a replica, or a version without functions, is told what to name instead', async () => {
    const followed = await startRedis({ primaries: 1, replicasEach: 1, cluster: false });
    const old = await fakeServer({ server: 'redis_version:6.2.14\r\n' });
    ended.push(() => void followed.stop(), old.stop);
    const [primary, replica] = followed.nodes;
    await expect(
      openStore({ url: `redis://127.0.0.1:${replica?.port}`, replicas: 0, clock }),
    ).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('no primary is among them'),
      next: expect.stringContaining(`127.0.0.1:${primary?.port}`),
    });
    await expect(
      openStore({ url: `redis://127.0.0.1:${old.port}`, replicas: 0, clock }),
    ).rejects.toMatchObject({
      code: 'store-denied',
      message: expect.stringContaining('speaks Redis 6.2.14'),
    });
    await followed.stop();
  });

  it('because slots of the cluster belong to nobody is told how many', async () => {
    const cluster = await startRedis({ primaries: 3 });
    try {
      const view = await cluster.nodes[0]?.askText('CLUSTER', 'NODES');
      const own = /myself.* (\d+)-(\d+)\s*$/m.exec(view ?? '');
      for (const node of cluster.nodes)
        await node.ask('CLUSTER', 'DELSLOTS', Number(own?.[1]), Number(own?.[1]) + 1).catch(() => undefined);
      const open = () => openStore({ url: cluster.url, replicas: 0, clock }).then((store) => store.close());
      await expect(open()).rejects.toThrow('2 of 16384 slots of the cluster belong to no node');
    } finally {
      await cluster.stop();
    }
  });

  it('because a Sentinel is there is refused in a sentence with the next step', async () => {
    const [port = 0] = await freePorts('127.0.0.1', 1);
    const config = join(folder, 'sentinel.conf');
    writeFileSync(config, `port ${port}\nbind 127.0.0.1\ndir ${folder}\n`);
    const child = spawn('redis-server', [config, '--sentinel'], { stdio: 'ignore' });
    ended.push(() => child.kill('SIGKILL'));
    const url = `redis://127.0.0.1:${port}`;
    const open = () =>
      openStore({ url, replicas: 0, clock }).then(
        () => undefined,
        (error: unknown) => error,
      );
    await until(async () => !/is unreachable/.test(String(await open())), 'the Sentinel answers', 10_000);
    expect(await open()).toMatchObject({
      code: 'store-denied',
      message: expect.stringContaining('is a Sentinel'),
      next: expect.stringContaining(`redis+sentinel://127.0.0.1:${port}/NAME`),
    });
  });
});
