import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { crawl, type CrawlOptions, type Credentials } from 'webfarer';
import { afterEach, beforeEach, expect, it } from 'vitest';

/** Credentials that a program gives, judged by what servers were sent. */
let folder: string;
let servers: Server[];
let origin: string;
let otherPort: string;
let otherHost: string;
let seen: { to: string; path: string; authorization: string | undefined }[];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-credentials-'));
  seen = [];
  const start = async () => {
    const server = createServer((request, response) => {
      const { url: path = '', headers } = request;
      const { host = '', authorization } = headers;
      seen.push({ to: `http://${host}`, path, authorization });
      const target = { '/to-host': otherHost, '/to-port': otherPort, '/to-self': origin }[path];
      if (path === '/robots.txt') response.writeHead(404).end();
      else if (target !== undefined) response.writeHead(307, { location: `${target}/landed` }).end();
      else response.writeHead(200, { 'content-type': 'text/html' }).end('<p>');
    });
    await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
    return server;
  };
  servers = [await start(), await start()];
  const [port, second] = servers.map((server) => (server.address() as AddressInfo).port);
  origin = `http://127.0.0.1:${port}`;
  otherPort = `http://127.0.0.1:${second}`;
  otherHost = `http://127.0.0.2:${port}`;
});
afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  rmSync(folder, { recursive: true, force: true });
});

const run = async (credentials: Record<string, Credentials>, changes: Partial<CrawlOptions> = {}) =>
  await crawl({
    name: 'credentials',
    folder: join(folder, 'x.crawl'),
    seeds: [`${origin}/`],
    contact: 'https://lab.example/',
    scope: { stay: 'web' },
    politeness: { gap: '1ms', slowFactor: 0 },
    fetch: { allowPrivate: ['127.0.0.0/8'] },
    limits: { minFree: '1MB' },
    hostLedger: join(folder, 'ledger.db'),
    credentials,
    onPage(page, { follow }) {
      if (page.depth > 0) return;
      follow(['/to-host', '/to-port', `${otherHost}/linked`]);
      follow('/to-self', { body: 'x', headers: { 'X-Own': 'yes' } });
    },
    ...changes,
  });

/** All bytes under the folder, archives unpacked. */
const bytes = () =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
    .map((text) => (text[0] === 0x1f && text[1] === 0x8b ? gunzipSync(text) : text).toString('latin1'))
    .join('\n');

it.each([
  ['a bearer token', { bearer: 's3cr3t.t0ken' }, 'Bearer s3cr3t.t0ken'],
  [
    'a name and password',
    { user: 'me', password: 's3cr3t: \u00e9' },
    `Basic ${Buffer.from('me:s3cr3t: \u00e9').toString('base64')}`,
  ],
] as const)(
  'sends %s to its origin alone, over every redirect, and writes it nowhere',
  async (_, secret, header) => {
    const { state } = await run({ [`${origin}/path`]: secret });
    expect(state).toBe('finished');
    const own = seen.filter(({ to }) => to === origin);
    expect(new Set(own.map(({ authorization }) => authorization))).toEqual(new Set([header]));
    expect(own.map(({ path }) => path)).toContain('/landed');
    const others = seen.filter(({ to }) => to !== origin);
    expect(new Set(others.map(({ to, path }) => to + path))).toEqual(
      new Set(
        [otherHost, otherPort]
          .flatMap((to) => [`${to}/robots.txt`, `${to}/landed`])
          .concat(`${otherHost}/linked`),
      ),
    );
    for (const { authorization } of others) expect(authorization).toBeUndefined();
    const kept = bytes();
    expect(kept).toContain('WARC-Type: request');
    expect(kept).not.toContain('s3cr3t');
    expect(kept).not.toContain(header.split(' ')[1]);
  },
);

it('says which address cannot have credentials, and not what they are', async () => {
  const failure = async (credentials: Record<string, Credentials>) =>
    await run(credentials).then(() => 'none', String);
  for (const [address, secret] of [
    ['example.org', { bearer: 's3cr3t' }],
    ['https://me:s3cr3t@example.org', { bearer: 's3cr3t' }],
    ['https://example.org', { bearer: 's3cr3t 2' }],
    ['https://example.org', { user: 'a:b', password: 's3cr3t' }],
    ['https://example.org', { user: 's3cr3t' } as unknown as Credentials],
  ] as const) {
    const message = await failure({ [address]: secret });
    expect(message).toContain('example.org');
    expect(message).not.toContain('s3cr3t');
  }
  expect(seen).toEqual([]);
});
