import type { Clock } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import { createDnsCache, type DnsCache } from './dns-cache.ts';
import { type NameServer, nameServer, type Zone } from './name-server.fixture.ts';
import { closeAfterwards } from './servers.fixture.ts';

interface SetUp {
  cache: DnsCache;
  server: NameServer;
  pass(ms: number): void;
}

async function setUp(zone: Zone, options: { ttlSeconds?: number; maxNames?: number } = {}): Promise<SetUp> {
  let nowMs = 0;
  const clock: Clock = { now: () => nowMs, sleep: () => Promise.reject(new Error('nothing sleeps here')) };
  const server = await nameServer(zone, options.ttlSeconds);
  const { maxNames } = options;
  const cache = createDnsCache({ clock, servers: [server.address], ...(maxNames ? { maxNames } : {}) });
  closeAfterwards(() => cache.close());
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { cache, server, pass };
}

const found = { ok: true, addresses: ['192.0.2.1', '192.0.2.2'] };

describe('an answer', () => {
  it('is kept as long as its records live, within reason', async () => {
    for (const [ttlSeconds, keptMs] of [
      [120, 120_000] as const,
      [1, 30_000] as const,
      [90_000, 3_600_000] as const,
    ]) {
      const { cache, server, pass } = await setUp(() => found.addresses, { ttlSeconds });
      expect(await cache.lookup('a.test', 4)).toEqual(found);
      pass(keptMs - 1);
      expect(await cache.lookup('a.test', 4)).toEqual(found);
      expect(server.asked).toHaveLength(1);
      pass(1);
      expect(await cache.lookup('a.test', 4)).toEqual(found);
      expect(server.asked).toHaveLength(2);
    }
  });

  it('that there is none is kept for a minute, no answer only for a moment', async () => {
    const { cache, server, pass } = await setUp((name) => (name === 'none.test' ? 'nxdomain' : 'servfail'));
    expect(await cache.lookup('none.test', 4)).toMatchObject({ ok: false, reason: 'no-name' });
    pass(59_999);
    await cache.lookup('none.test', 4);
    expect(server.asked).toEqual(['4 none.test']);
    expect(await cache.lookup('broken.test', 4)).toMatchObject({ ok: false, reason: 'failed' });
    const asked = server.asked.length;
    await cache.lookup('broken.test', 4);
    expect(server.asked).toHaveLength(asked);
    pass(2_001);
    await cache.lookup('broken.test', 4);
    expect(server.asked.length).toBeGreaterThan(asked);
  });

  it('is asked for once by many at the same time', async () => {
    const { cache, server } = await setUp(() => found.addresses);
    const answers = await Promise.all(Array.from({ length: 100 }, () => cache.lookup('a.test', 4)));
    expect(new Set(answers.map((answer) => answer.ok))).toEqual(new Set([true]));
    expect(server.asked).toEqual(['4 a.test']);
  });

  it('gives way to others when there are too many, least recently used first', async () => {
    const { cache, server } = await setUp(() => found.addresses, { maxNames: 2 });
    for (const name of ['a', 'b', 'a', 'c', 'a']) await cache.lookup(`${name}.test`, 4);
    expect(server.asked).toEqual(['4 a.test', '4 b.test', '4 c.test']);
    await cache.lookup('b.test', 4);
    expect(server.asked).toHaveLength(4);
  });
});

it('literals and the own machine need no server', async () => {
  const { cache, server } = await setUp(() => 'nxdomain');
  expect(await cache.lookup('192.0.2.7', 4)).toEqual({ ok: true, addresses: ['192.0.2.7'] });
  expect(await cache.lookup('192.0.2.7', 6)).toMatchObject({ ok: false, reason: 'no-address' });
  expect(await cache.lookup('2001:db8::1', 6)).toEqual({ ok: true, addresses: ['2001:db8::1'] });
  expect(await cache.lookup('::ffff:192.0.2.7', 4)).toMatchObject({ ok: true });
  expect(await cache.lookup('localhost', 4)).toEqual({ ok: true, addresses: ['127.0.0.1'] });
  expect(await cache.lookup('x.localhost', 6)).toEqual({ ok: true, addresses: ['::1'] });
  expect(server.asked).toEqual([]);
  expect(await cache.probe()).toBe('unused');
});
