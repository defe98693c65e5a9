import { Resolver } from 'node:dns/promises';
import { createConnection } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { referenceCrawl, type Seen } from './reference-crawl.ts';
import { type FakeWeb, startFakeWeb } from './server.ts';
import type { Expected } from './universe.ts';
import { createWeb } from './web.ts';

let fake: FakeWeb;
beforeAll(async () => {
  fake = await startFakeWeb({ size: 'S', seed: 7, hugeBytes: 400_000 });
});
afterAll(() => fake.stop());

function seenAs(expected: Expected): string {
  const { verdict, reason, status, truncated } = expected;
  if (status === undefined) return verdict === 'failed' || reason !== 'type' ? 'barred' : '200';
  return `${status}${truncated ? ' truncated' : ''}`;
}

function sawAs(seen: Seen | 'barred'): string {
  return seen === 'barred' ? 'barred' : `${seen.status}${seen.truncated ? ' truncated' : ''}`;
}

describe('the closed form', () => {
  test('is what a naive crawl of the served web finds', async () => {
    await fake.reset();
    const found = await referenceCrawl(fake);
    const right = new Map<string, string>();
    for (const one of fake.web.expected({ maxBodyBytes: 200_000 })) right.set(one.url, seenAs(one));
    const saw = new Map<string, string>();
    for (const [url, seen] of found) if (fake.web.truth(url).known !== 'trap') saw.set(url, sawAs(seen));
    const lost = [...right].filter(([url]) => !saw.has(url));
    const extra = [...saw].filter(([url]) => !right.has(url));
    const wrong = [...right].filter(([url, outcome]) => saw.has(url) && saw.get(url) !== outcome);
    expect({ lost, extra, wrong }).toEqual({ lost: [], extra: [], wrong: [] });
    expect(right.size).toBeGreaterThan(1_800);
  });
});

function ask(name: string, type: 'A' | 'AAAA'): Promise<string> {
  const resolver = new Resolver({ timeout: 500, tries: 1 });
  resolver.setServers(fake.fetch.dns);
  return resolver.resolve(name, type).then(
    (found) => (found as string[]).join(),
    (error: NodeJS.ErrnoException) => error.code ?? '?',
  );
}

function connects(): Promise<string> {
  return new Promise((done) => {
    const socket = createConnection({ port: fake.httpPort, host: fake.web.host(0).address });
    socket.on('connect', () => {
      socket.destroy();
      done('yes');
    });
    socket.on('error', (error: NodeJS.ErrnoException) => done(error.code ?? '?'));
  });
}

describe('the name server', () => {
  test('knows the names of the web and no others', async () => {
    expect(await ask('www.hub0.test', 'A')).toBe(fake.web.host(0).address);
    expect(await ask('WWW.Hub0.Test', 'A')).toBe(fake.web.host(0).address);
    expect(await ask('www.hub0.test', 'AAAA')).toBe('ENODATA');
    expect(await ask('gone0.test', 'A')).toBe('ENOTFOUND');
    expect(await ask('www.hub9.test', 'A')).toBe('ENOTFOUND');
    expect(await ask('example.org', 'A')).toBe('ENOTFOUND');
  });
});

test('vanishes and comes back on the same ports', async () => {
  expect(await connects()).toBe('yes');
  await fake.vanish();
  expect(await connects()).toBe('ECONNREFUSED');
  expect(['ECONNREFUSED', 'ETIMEOUT']).toContain(await ask('www.hub0.test', 'A'));
  await fake.return();
  expect(await connects()).toBe('yes');
  expect(await ask('www.hub0.test', 'A')).toBe(fake.web.host(0).address);
});

test('different seeds make different webs, the same seed the same', () => {
  const urls = (seed: number) => [...createWeb({ size: 'S', seed }).expected()].map((one) => one.url);
  expect(urls(1)).toEqual(urls(1));
  expect(urls(1)).not.toEqual(urls(2));
  expect(new Set(urls(1)).size).toBe(urls(1).length);
});
