import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { crawl } from 'webfarer';

let folder: string;
let servers: Server[];
/** `METHOD host path`, without robots.txt, sorted. */
let asked: string[];
let port: number;

const own = '127.0.0.1';
const other = '127.0.0.2';

function answer({ method = '', url = '', headers }: IncomingMessage, response: ServerResponse): void {
  const host = headers.host?.split(':')[0] ?? '';
  if (url !== '/robots.txt') asked.push(`${method} ${host} ${url}`);
  const to = (path: string) => `<a href="http://${other}:${port}${path}">x</a>`;
  const pages: Record<string, string> = {
    [`${own}/`]: `<a href="/in">in</a>${to('/ok')}${to('/gone')}${to('/no-head')}${to('/moved')}`,
    [`${own}/in`]: `<a href="/deeper">too deep</a>${to('/deep')}`,
    [`${other}/ok`]: to('/never'),
    [`${other}/no-head`]: 'x'.repeat(100_000),
    [`${other}/deep`]: 'deep',
    [`${own}/ways`]: `<a href="/out-of-here">x</a>${to('/home')}${to('/head-fails')}`,
    [`${own}/landing`]: to('/ok'),
    [`${other}/head-fails`]: 'answers GET alone',
    [`${other}/new`]: 'new',
  };
  const page = pages[host + url];
  if (url === '/moved') response.writeHead(301, { location: '/new' }).end();
  else if (url === '/out-of-here')
    response.writeHead(302, { location: `http://${other}:${port}/gone` }).end();
  else if (url === '/home') response.writeHead(302, { location: `http://${own}:${port}/landing` }).end();
  else if (url === '/no-head' && method === 'HEAD') response.writeHead(501).end();
  else if (url === '/head-fails' && method === 'HEAD') response.writeHead(500).end();
  else if (page === undefined) response.writeHead(404, { 'content-type': 'text/plain' }).end('nothing');
  else response.writeHead(200, { 'content-type': 'text/html' }).end(page);
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webfarer-site-'));
  asked = [];
  port = 0;
  servers = [];
  for (const host of [own, other]) {
    const server = createServer(answer);
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    ({ port } = server.address() as AddressInfo);
    servers.push(server);
  }
});

afterEach(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
  await rm(folder, { recursive: true, force: true });
});

async function run(scraper: 'site' | { site: { check: boolean } }, path = '/') {
  const { records, balance } = await crawl({
    seeds: [`http://${own}:${port}${path}`],
    name: 'site',
    contact: 'me@example.org',
    scraper,
    limits: { depth: 1 },
    politeness: { gap: '5ms', slowFactor: 0 },
    fetch: {
      allowPrivate: [`http://${own}:${port}`, `http://${other}:${port}`],
      retries: { count: 1, backoff: '10ms' },
    },
    folder: join(folder, 'site.crawl'),
  });
  const outcomes: Record<string, string> = {};
  for await (const { url, kind, status } of records)
    outcomes[url.replace(`:${port}`, '')] = `${kind} ${status ?? ''}`;
  return { outcomes, balance };
}

it('follows what is inside and asks with HEAD for what is outside', async () => {
  const { outcomes, balance } = await run('site');
  expect(outcomes).toEqual({
    [`http://${own}/`]: 'page 200',
    [`http://${own}/in`]: 'page 200',
    [`http://${other}/ok`]: 'check 200',
    [`http://${other}/gone`]: 'check 404',
    [`http://${other}/no-head`]: 'check 200',
    [`http://${other}/moved`]: 'check 301',
    [`http://${other}/new`]: 'check 200',
    [`http://${other}/deep`]: 'check 200',
  });
  expect(balance).toMatchObject({ known: 8, done: 8, queued: 0 });
  expect(asked.toSorted()).toEqual(
    [
      `GET ${own} /`,
      `GET ${own} /in`,
      `HEAD ${other} /ok`,
      // Only GET is believed where HEAD is answered with an error.
      `HEAD ${other} /gone`,
      `GET ${other} /gone`,
      `HEAD ${other} /no-head`,
      `GET ${other} /no-head`,
      `HEAD ${other} /moved`,
      `HEAD ${other} /new`,
      `HEAD ${other} /deep`,
    ].toSorted(),
  );
});

it('leaves other sites alone where checks are switched off', async () => {
  const { outcomes } = await run({ site: { check: false } });
  expect(Object.keys(outcomes)).toEqual([`http://${own}/`, `http://${own}/in`]);
  expect(asked).toEqual([`GET ${own} /`, `GET ${own} /in`]);
});

it('checks where redirects lead: out of the site with HEAD, and back into it as a page', async () => {
  const { outcomes } = await run('site', '/ways');
  expect(outcomes).toEqual({
    [`http://${own}/ways`]: 'page 200',
    [`http://${own}/out-of-here`]: 'page 302',
    [`http://${other}/gone`]: 'check 404',
    [`http://${other}/home`]: 'check 302',
    [`http://${own}/landing`]: 'page 200',
    [`http://${other}/ok`]: 'check 200',
    [`http://${other}/head-fails`]: 'check 200',
  });
  expect(asked.filter((line) => line.includes('head-fails'))).toEqual([
    `HEAD ${other} /head-fails`,
    `GET ${other} /head-fails`,
  ]);
});
