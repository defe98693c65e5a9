import { Resolver } from 'node:dns/promises';
import { createConnection, type Socket } from 'node:net';
import { normaliser } from '@webfarer/protocol/url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type LeafKind, leafKind, leafPath } from './pages.ts';
import { referenceCrawl, type Seen } from './reference-crawl.ts';
import { type LogEntry, monotonicNs } from './request-log.ts';
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

/** Sends requests as text on one connection and collects what comes back until `enough` says so. */
function talk(
  text: string,
  enough: (received: string) => boolean,
): Promise<{ received: string; socket: Socket }> {
  return new Promise((done, failed) => {
    const socket = createConnection({ port: fake.httpPort, host: fake.web.host(0).address });
    let received = '';
    socket.on('data', (chunk) => {
      received += chunk.toString('latin1');
      if (enough(received)) done({ received, socket });
    });
    socket.on('close', () => done({ received, socket }));
    socket.on('error', failed);
    socket.write(text);
  });
}

function question(path: string, host = 'www.hub0.test', extra = ''): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${host}:${fake.httpPort}\r\nUser-Agent: test/1\r\n${extra}\r\n`;
}

/** A leaf of a kind, with its host. */
function leafOfKind(kind: LeafKind): { host: string; path: string } {
  for (let index = 0; index < fake.web.hosts; index++) {
    const host = fake.web.host(index);
    if (host.class !== 'serve') continue;
    for (let leaf = 0; leaf < host.leaves; leaf++) {
      const path = leafPath(fake.web, host, leaf);
      if (leafKind(fake.web, host, leaf) === kind) return { host: host.name, path };
    }
  }
  throw new Error(`no leaf of kind ${kind}`);
}

describe('the log', () => {
  test('has every request with start and end in order, in the time of this process', async () => {
    await fake.reset();
    const slow = leafOfKind('slow');
    const before = monotonicNs();
    const text = question('/robots.txt') + question(slow.path, slow.host) + question('/nothing', slow.host);
    const { socket } = await talk(text, (received) => received.includes('nothing at /nothing'));
    socket.destroy();
    const after = monotonicNs();
    const log = await fake.log();
    expect(log.map(({ host, path, status }) => ({ host, path, status }))).toEqual([
      { host: 'www.hub0.test', path: '/robots.txt', status: 404 },
      { ...slow, status: 200 },
      { host: slow.host, path: '/nothing', status: 404 },
    ]);
    expect(log[0]).toMatchObject({ agent: 'test/1', method: 'GET', scheme: 'http' });
    expect(log[0]?.peerPort).toBeGreaterThan(0);
    const times = log.flatMap((entry) => [entry.startNs, entry.endNs]);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThan(before);
    expect(times.at(-1)).toBeLessThan(after);
    expect((log[1]?.endNs ?? 0) - (log[1]?.startNs ?? 0)).toBeGreaterThan(195e6);
  });

  test('tells who cut an answer', async () => {
    await fake.reset();
    const slow = leafOfKind('slow');
    const asked = async (): Promise<LogEntry[]> => {
      for (;;) {
        const log = await fake.log();
        if (log.length > 0) return log;
      }
    };
    const gone = talk(question(slow.path, slow.host), () => false).catch(() => {});
    await asked();
    await fake.vanish();
    await gone;
    expect(await fake.log()).toMatchObject([{ ...slow, status: 0, cut: 'server' }]);
    await fake.return();
    await fake.reset();

    const huge = leafOfKind('huge');
    const { socket } = await talk(question(huge.path, huge.host), (received) => received.length > 10_000);
    socket.destroy();
    const ended = async (): Promise<LogEntry> => {
      for (;;) {
        const [entry] = await fake.log();
        if (entry !== undefined && entry.endNs > 0) return entry;
      }
    };
    expect((await ended()).status).toBe(200);
  });

  test('forgets, and with it that a page has failed before', async () => {
    const flaky = leafOfKind('flaky');
    const status = async () => {
      const extra = 'Connection: close\r\n';
      return Number(
        (await talk(question(flaky.path, flaky.host, extra), () => false)).received.split(' ')[1],
      );
    };
    await fake.reset();
    expect([await status(), await status()]).toEqual([500, 200]);
    await fake.clearLog();
    expect(await fake.log()).toEqual([]);
    expect(await status()).toBe(200);
    await fake.reset();
    expect(await status()).toBe(500);
  });
});

test('answers 304 to the ETag it gave', async () => {
  const first = await talk(question('/', 'www.hub0.test', 'Connection: close\r\n'), () => false);
  const etag = /ETag: (.*)\r/.exec(first.received)?.[1];
  const extra = `If-None-Match: ${etag}\r\nConnection: close\r\n`;
  const second = await talk(question('/', 'www.hub0.test', extra), () => false);
  expect(second.received.startsWith('HTTP/1.1 304 ')).toBe(true);
});

test('an answer nobody reads is closed after the longest fetch', async () => {
  const other = await startFakeWeb({ size: 'S', seed: 7, hugeBytes: 50_000_000, longestFetchMs: 100 });
  try {
    const huge = leafOfKind('huge');
    const host = other.web.hostNamed(huge.host);
    const socket = createConnection({ port: other.httpPort, host: host?.address ?? '' });
    socket.on('error', () => {});
    socket.pause();
    socket.write(`GET ${huge.path} HTTP/1.1\r\nHost: ${huge.host}\r\n\r\n`);
    const cut = async (): Promise<LogEntry> => {
      for (;;) {
        const [entry] = await other.log();
        if (entry?.cut !== undefined) return entry;
      }
    };
    expect(await cut()).toMatchObject({ ...huge, status: 200, cut: 'server' });
    socket.destroy();
  } finally {
    await other.stop();
  }
});

describe('the truth of a URL', () => {
  const web = createWeb({ size: 'S', seed: 7 });

  test('agrees with the list of all, and names the robots line', () => {
    const shown = [...web.expected()].filter((_, n) => n % 37 === 0);
    for (const expected of shown) expect(web.truth(expected.url)).toMatchObject({ known: true, expected });
    expect(web.truth('http://www.shop0.test/private/3.html')).toMatchObject({
      robots: { allowed: false, line: 6, text: 'Disallow: /private/' },
    });
    expect(web.truth('http://friend0.test/private/3.html')).toMatchObject({
      robots: { allowed: false, line: 6 },
    });
    expect(web.truth('http://www.shop0.test/private/open/10.html')).toMatchObject({
      robots: { allowed: true, line: 7 },
    });
  });

  test('says why a URL is not known', () => {
    expect(web.truth('http://www.hub0.test/style.css')).toMatchObject({ known: false, why: 'requisite' });
    expect(web.truth('http://www.hub0.test/nowhere')).toMatchObject({ known: false, why: 'unlinked' });
    expect(web.truth('http://example.org/')).toEqual({ known: false, why: 'foreign' });
    expect(web.truth('http://calendar0.test/cal/2031/4/')).toMatchObject({ known: 'trap' });
  });
});

test.each([
  ['S', 1_800, 2_200],
  ['M', 45_000, 55_000],
] as const)('%s has about as many URLs as it says', (size, least, most) => {
  let count = 0;
  for (const _ of createWeb({ size, seed: 1 }).expected()) count++;
  expect(count).toBeGreaterThan(least);
  expect(count).toBeLessThan(most);
});

test('normalisation by the job leaves every expected URL alone', () => {
  const normalise = normaliser({
    enabled: true,
    sort: true,
    strip: ['PHPSESSID', 'JSESSIONID', 'sid', 'utm_*'],
  });
  for (const { url } of createWeb({ size: 'S', seed: 1 }).expected()) expect(normalise(url)).toBe(url);
});
