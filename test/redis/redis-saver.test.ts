import { createHash } from 'node:crypto';
import { type Job, systemClock } from '@webfarer/protocol';
import { redisCaptures } from '@webfarer/worker/archive';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveSettings } from '../../packages/cli/src/machine/save-settings.ts';
import { captureOf } from '../../packages/worker/src/save/capture.fixture.ts';
import { openSavers } from '../../packages/worker/src/save/savers/open-savers.ts';
import type { Saver } from '../../packages/worker/src/save/saver.ts';
import { type RedisServers, startRedis } from './servers.ts';

const clock = systemClock();
const template = 'webfarer:{crawl}:page:{hash}';
const target = { kind: 'redis', key: template, maxBodyBytes: 100_000 } as const;
const allBytes = Buffer.from(Array.from({ length: 256 * 40 }, (_, n) => n % 256));

async function opened(url: string, crawl: string, change: Partial<Job['save'][number]> = {}) {
  const { captureStore } = saveSettings(clock, { WEBFARER_SAVE_REDIS: url });
  const options = {
    folder: '/nowhere',
    name: crawl,
    clock,
    software: 'test',
    baseFolder: '/nowhere',
    captureStore,
  };
  const [saver] = await openSavers([{ ...target, ...change } as Job['save'][number]], options);
  const store = await captureStore();
  return { saver: saver as Saver, store, captures: redisCaptures({ store, crawl, template }) };
}

describe.each([1, 3])('the redis saver with %i primaries', (primaries) => {
  let servers: RedisServers;
  beforeAll(async () => {
    servers = await startRedis({ primaries, settings: { appendonly: 'no' } });
  });
  afterAll(() => servers.stop());

  it('keeps any bytes, and finds them by the place of a record and in the list', async () => {
    const { saver, store, captures } = await opened(servers.url, 'shöp one');
    try {
      const urls = Array.from({ length: 40 }, (_, n) => `http://a.test/${n}`);
      const places = [];
      for (const url of urls) places.push(await saver.save(captureOf({ url, body: allBytes })));
      await saver.sync();
      for (const at of places) expect((await captures.body(at?.file ?? '')).equals(allBytes)).toBe(true);
      const found = [];
      for await (const capture of captures.captures()) found.push(capture);
      expect(found).toHaveLength(urls.length);
      expect(new Set(found.map(({ url }) => url))).toEqual(new Set(urls));
      expect(found[0]).toMatchObject({ status: 200, mime: 'text/html', length: allBytes.length });
      expect(await captures.validate()).toMatchObject({ ok: true, records: 40, digests: 40 });
      const hash = createHash('sha1').update('http://a.test/0').digest('hex');
      expect(places[0]).toEqual({
        saver: 'redis',
        file: `webfarer:sh%C3%B6p%20one:page:${hash}`,
        length: allBytes.length,
      });
    } finally {
      await saver.stop();
      await store.close();
    }
  });

  it('leaves large bodies out, replaces what is older, and gives keys a time to live', async () => {
    const { saver, store, captures } = await opened(servers.url, 'two', { ttlMs: 90_000 } as never);
    try {
      const url = 'http://a.test/';
      const at = await saver.save(captureOf({ url, body: 'first' }));
      await saver.sync();
      expect(await saver.save(captureOf({ url, body: 'x'.repeat(100_001), status: 404 }))).toBeUndefined();
      await saver.sync();
      await expect(captures.body(at?.file ?? '')).rejects.toMatchObject({ code: 'not-found' });
      const found = [];
      for await (const capture of captures.captures()) found.push(capture);
      expect(found).toEqual([expect.objectContaining({ url, status: 404 })]);
      expect(found[0]).not.toHaveProperty('length');
      const [ttl] = await store.run([{ key: at?.file ?? '', args: ['TTL', at?.file ?? ''] }]);
      expect(ttl).toBeGreaterThan(60);
    } finally {
      await saver.stop();
      await store.close();
    }
  });
});

it('is durable only once the server has answered, and writes later what it refused', async () => {
  const servers = await startRedis({ settings: { appendonly: 'no', maxmemory: '1' } });
  try {
    const { saver, store, captures } = await opened(servers.url, 'full');
    const at = await saver.save(captureOf({ body: allBytes }));
    await expect(saver.sync()).rejects.toMatchObject({
      code: 'storage',
      message: expect.stringContaining('OOM'),
    });
    await servers.nodes[0]?.ask('CONFIG', 'SET', 'maxmemory', '0');
    await saver.sync();
    expect((await captures.body(at?.file ?? '')).equals(allBytes)).toBe(true);
    await saver.stop();
    await store.close();
  } finally {
    await servers.stop();
  }
});

it('says what to do where no server is named', async () => {
  await expect(saveSettings(clock, {}).captureStore()).rejects.toMatchObject({
    code: 'usage',
    next: expect.stringContaining('WEBFARER_SAVE_REDIS'),
  });
});
