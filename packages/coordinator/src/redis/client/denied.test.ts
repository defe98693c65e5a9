import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterAll, describe, expect, it } from 'vitest';
import { until } from '../../../../../test/redis/form-cluster.ts';
import { redisForFile } from '../../../../../test/redis/for-file.ts';
import { freePorts } from '../../../../../test/redis/server-process.ts';
import { settings, worker } from '../../frontier/suite/world.fixture.ts';
import { joinStore } from '../../store/join-store.ts';
import { openStore } from '../store.ts';

const servers = redisForFile();
const clock = systemClock();
const folder = mkdtempSync(join(tmpdir(), 'webfarer-denied-'));
const ended: (() => void)[] = [];

afterAll(() => {
  for (const end of ended) end();
  rmSync(folder, { recursive: true, force: true });
});

describe('a store that cannot be used', () => {
  it.each(['hkeys', 'hget', 'hsetnx', 'fcall', 'function|load', 'info', 'time'])(
    'because its user may not run %s is refused in a sentence with the next step',
    async (command) => {
      const { url, nodes } = await servers();
      await nodes[0]?.ask('FUNCTION', 'FLUSH');
      await nodes[0]?.ask('ACL', 'SETUSER', 'few', 'on', '>x', '~*', '&*', '+@all', `-${command}`);
      const choice = { url: url.replace('//', '//few:x@'), durability: 'strict', insecure: false } as const;
      const work = async () => {
        const { frontier } = await joinStore(choice, clock);
        try {
          // What only later steps need is refused there.
          await frontier.openCrawl(settings);
          await frontier.lease({ worker, hosts: 1, urlsPerHost: 1 });
        } finally {
          await frontier.close();
        }
      };
      const error = await work().catch((reason: unknown) => reason);
      expect(error).toMatchObject({
        code: 'store-denied',
        message: expect.stringMatching(/the user of the store at 127\.0\.0\.1:\d+ may not run /),
        next: expect.stringContaining('ACL SETUSER'),
      });
    },
  );

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
      next: expect.stringContaining('SENTINEL GET-MASTER-ADDR-BY-NAME'),
    });
  });
});
