import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Coordinator } from '@webfarer/coordinator';
import { openServer, type Server } from '@webfarer/coordinator/server';
import { systemClock, type WorkerId } from '@webfarer/protocol';
import { openStreamClient, type StreamTopicInput, type TopicFrame } from '@webfarer/protocol/api';
import { openWorker } from '@webfarer/worker';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type SmallSite, startSmallSite } from '../library/small-site.ts';
import { redisForFile } from '../redis/for-file.ts';

const redis = redisForFile({ settings: { appendonly: 'no' } });
const pages = 40;
const patience = { timeout: 30_000 };
const open: { stop(): Promise<unknown> }[] = [];
let folder: string;
let site: SmallSite;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-stream-'));
  const links = Array.from({ length: pages }, (_, i) => `<a href="/${i}">${i}</a>`).join('');
  const page = Object.fromEntries(Array.from({ length: pages }, (_, i) => [`/${i}`, `<a href="/">${i}</a>`]));
  site = await startSmallSite({ '/': links, ...page });
});
afterEach(async () => {
  for (const part of open.splice(0).toReversed()) await part.stop();
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

interface Opened {
  server: Server;
  coordinator: Coordinator;
  token: string;
  get(path: string, headers?: Record<string, string>): Promise<Response>;
  lines(path: string): Promise<Record<string, unknown>[]>;
}

async function serve(name = 'data', store?: string): Promise<Opened> {
  const at = join(folder, name);
  const server = await openServer({
    folder: at,
    version: '0',
    listen: { host: '127.0.0.1', port: 0 },
    advertise: undefined,
    expectsWorker: true,
  });
  open.push(server);
  const url =
    store === undefined ? {} : { store: { url: store, durability: 'available', insecure: false } as const };
  const coordinator = await server.host(url);
  const token = readFileSync(join(at, 'operator.token'), 'utf8').trim();
  const get = (path: string, headers = {}) =>
    fetch(server.url + path, { headers: { authorization: `Bearer ${token}`, ...headers } });
  return {
    server,
    coordinator,
    token,
    get,
    async lines(path) {
      const text = await (await get(path)).text();
      return text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Record<string, unknown>);
    },
  };
}

async function work({ connect }: Coordinator): Promise<void> {
  const worker = openWorker({
    link: { kind: 'in-process', connect },
    id: 'w' as WorkerId,
    version: '0',
    folder: join(folder, 'w'),
    baseFolder: folder,
    connections: 4,
    clock: systemClock(),
    random: Math.random,
  });
  open.push(worker);
  await worker.start();
}

const job = (changes: object = {}) => ({
  input: {
    name: 'c',
    seeds: [`${site.origin}/`],
    politeness: { gap: '10ms', slowFactor: 0 },
    fetch: { allowPrivate: [site.origin] },
    limits: { minFree: '1MB' },
    save: ['none'],
    ...changes,
  },
  baseFolder: folder,
});

function follow(at: { url: string; token: string }[], on: StreamTopicInput) {
  const frames: TopicFrame[] = [];
  const problems: string[] = [];
  const client = openStreamClient({
    urls: at.map(({ url }) => url),
    token: at[0]?.token ?? '',
    connect: (url) => new WebSocket(url) as never,
    clock: systemClock(),
    random: Math.random,
    noticed: () => undefined,
  });
  open.push({ stop: () => Promise.resolve(client.close()) });
  client.subscribe({
    on,
    after: undefined,
    handle: (frame) => void frames.push(frame),
    ended: ({ code }) => void problems.push(code),
  });
  return { frames, problems };
}
const urlsOf = (frames: TopicFrame[]) =>
  frames.flatMap((frame) => (frame.type === 'entries' ? frame.entries.map(({ url }) => url) : []));

test('the results of a crawl are a log that can be read with curl, while it runs and after', async () => {
  const { server, coordinator, get, lines } = await serve();
  const { crawl } = await coordinator.create(job());
  await server.ready();
  const empty = await lines('/v1/crawls/c/results');
  expect(empty).toMatchObject([{ kind: 'bookmark', over: false, more: false }]);
  const first = lines(`/v1/crawls/c/results?wait=30s&limit=3&after=${String(empty[0]?.['token'])}`);
  await work(coordinator);
  const seen: string[] = [];
  let [rounds, over] = [0, false];
  for (let page = await first; !over; rounds++) {
    const bookmark = page.at(-1) as { token: string; over: boolean };
    seen.push(...page.slice(0, -1).map(({ url }) => String(url)));
    expect(page.length).toBeLessThanOrEqual(4);
    ({ over } = bookmark);
    // From the last line but one as well as from the bookmark.
    const token = rounds % 2 === 0 && page.length > 1 ? String(page.at(-2)?.['token']) : bookmark.token;
    page = await lines(`/v1/crawls/${crawl.id}/results?wait=30s&limit=3&after=${token}`);
  }
  expect(seen).toHaveLength(pages + 1);
  expect(new Set(seen).size).toBe(pages + 1);
  expect(rounds).toBeGreaterThan(pages / 3);
  await crawl.ended;
  const whole = await lines('/v1/crawls/c/results');
  expect(whole).toHaveLength(pages + 2);
  expect(whole.at(-1)).toMatchObject({ kind: 'bookmark', over: true, state: 'finished' });
  expect(await lines('/v1/crawls/c/links?limit=1')).toMatchObject([{ kind: 'links' }, { kind: 'bookmark' }]);
  expect(await lines('/v1/crawls/c/items')).toMatchObject([{ kind: 'bookmark', over: true }]);
  expect(await lines('/v1/crawls/c/results?verdict=failed')).toHaveLength(1);
  expect((await get('/v1/crawls/nothing/results')).status).toBe(404);
  expect((await get('/v1/crawls/c/results?after=nonsense')).status).toBe(400);
});

test('a named consumer continues where it acknowledged, also after a restart', async () => {
  const first = await serve();
  const { crawl } = await first.coordinator.create(job());
  await first.server.ready();
  await work(first.coordinator);
  await crawl.ended;
  const page = await first.lines('/v1/crawls/c/results?consumer=indexer&limit=10');
  const acknowledge = async ({ server, token: bearer }: Opened, token: unknown) =>
    await fetch(`${server.url}/v1/crawls/c/consumers/indexer`, {
      method: 'POST',
      headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
      body: JSON.stringify({ token }),
    });
  expect((await acknowledge(first, page.at(-1)?.['token'])).status).toBe(200);
  expect((await acknowledge(first, 'nonsense')).status).toBe(400);
  for (const part of open.splice(0).toReversed()) await part.stop();
  const second = await serve();
  await second.server.ready();
  const rest = await second.lines('/v1/crawls/c/results?consumer=indexer');
  expect(rest).toHaveLength(pages + 1 - 10 + 1);
  const seen = [...page, ...rest].flatMap(({ url }) => (url === undefined ? [] : [url]));
  expect(new Set(seen).size).toBe(pages + 1);
  const listed = (await (await second.get('/v1/crawls/c/consumers')).json()) as { items: object[] };
  expect(listed.items).toMatchObject([{ name: 'indexer', token: page.at(-1)?.['token'] }]);
  const remove = { method: 'DELETE', headers: { authorization: `Bearer ${second.token}` } };
  const gone = () => fetch(`${second.server.url}/v1/crawls/c/consumers/indexer`, remove);
  expect([(await gone()).status, (await gone()).status]).toEqual([204, 404]);
});

test('the stream shows status, results and events of a crawl until it is over', async () => {
  const { server, coordinator, token } = await serve();
  await coordinator.create(job());
  await server.ready();
  const at = [{ url: server.url, token }];
  const results = follow(at, { topic: 'results', crawl: 'c' });
  const status = follow(at, { topic: 'status', crawl: 'c', minIntervalMs: 100 });
  const hosts = follow(at, { topic: 'hosts', crawl: 'c', minIntervalMs: 100 });
  const events = follow(at, { topic: 'events', crawl: 'c' });
  const list = follow(at, { topic: 'list', list: 'crawls' });
  const resources = follow(at, { topic: 'resources', minIntervalMs: 100 });
  const nothing = follow(at, { topic: 'status', crawl: 'nothing' });
  await vi.waitFor(() => expect(status.frames[0]?.type).toBe('snapshot'), patience);
  await work(coordinator);
  const overIn = (frames: TopicFrame[]) =>
    frames.some((one) => one.type === 'bookmark' && one.over === 'finished');
  await vi.waitFor(() => expect(overIn(results.frames)).toBe(true), patience);
  expect(urlsOf(results.frames)).toHaveLength(pages + 1);
  expect(new Set(urlsOf(results.frames)).size).toBe(pages + 1);
  const shown: Record<string, unknown> = {};
  const showing = () => {
    for (const frame of status.frames.splice(0))
      if (frame.type === 'snapshot' || frame.type === 'delta') Object.assign(shown, frame.set);
    return shown;
  };
  await vi.waitFor(
    () => expect(showing()).toMatchObject({ state: 'finished', balance: { done: pages + 1 } }),
    patience,
  );
  expect(hosts.frames[0]).toMatchObject({ type: 'snapshot', why: 'first' });
  const happened = events.frames.flatMap((frame) => (frame.type === 'events' ? frame.events : []));
  expect(happened.filter(({ type }) => type === 'record')).toHaveLength(pages + 1);
  expect(list.frames[0]).toMatchObject({ type: 'snapshot', set: {} });
  expect(JSON.stringify(list.frames[0])).toContain('"name":"c"');
  await vi.waitFor(() => expect(JSON.stringify(resources.frames)).toContain('coordinator'), patience);
  expect(nothing.problems).toEqual(['not-found']);
});

test('a crawl that is deleted and made again is a snapshot anew, at any coordinator of the store', async () => {
  const { url } = await redis();
  const [one, two] = [await serve('one', url), await serve('two', url)];
  for (const { server } of [one, two]) await server.ready();
  const spec = job({ name: 'again' });
  const { crawl } = await one.coordinator.create(spec);
  await work(one.coordinator);
  await crawl.ended;
  const at = [two, one].map(({ server, token }) => ({ url: server.url, token }));
  const before = follow(at, { topic: 'results', crawl: 'again' });
  await vi.waitFor(() => expect(urlsOf(before.frames)).toHaveLength(pages + 1), patience);
  const { token } = before.frames.at(-1) as TopicFrame;
  expect(await one.coordinator.delete('again')).toBe(true);
  await vi.waitFor(() => expect(before.problems).toEqual(['not-found']), patience);
  expect((await two.get(`/v1/crawls/again/results?after=${token}`)).status).toBe(404);
  await one.coordinator.create(spec);
  await vi.waitFor(async () => {
    const answer = await two.get(`/v1/crawls/again/results?after=${token}`);
    expect(await answer.json()).toMatchObject({ status: 410, code: 'cursor-stale' });
  }, patience);
  const response = await two.get('/v1/events?topic=results&crawl=again', { 'last-event-id': token });
  const [text] = [await firstPiece(response, /event: snapshot[^]*?\n\n/)];
  expect(text).toContain('"why":"other-generation"');
});

async function firstPiece(response: Response, wanted: RegExp): Promise<string> {
  let text = '';
  for await (const piece of response.body as unknown as AsyncIterable<Uint8Array>) {
    text += new TextDecoder().decode(piece);
    const found = wanted.exec(text);
    if (found) return found[0];
  }
  throw new Error(`not in ${text}`);
}

test('Server-Sent Events continue behind Last-Event-ID', async () => {
  const { server, coordinator, get } = await serve();
  const { crawl } = await coordinator.create(job());
  await server.ready();
  await work(coordinator);
  await crawl.ended;
  const path = '/v1/events?topic=results&crawl=c&kinds=record';
  const first = await firstPiece(await get(path), /event: entries\nid: (\S+)\n[^]*?\n\n/);
  const token = /id: (\S+)/.exec(first)?.[1] ?? '';
  const again = await firstPiece(await get(path, { 'last-event-id': token }), /event: (resumed)[^]*?\n\n/);
  expect(again).toContain(`id: ${token}`);
  expect((await get('/v1/events?topic=results')).status).toBe(400);
});

test('files of a crawl are listed and downloaded, whole or in part', async () => {
  const { server, coordinator, get } = await serve();
  const { crawl } = await coordinator.create(job({ save: ['warc'] }));
  await server.ready();
  await work(coordinator);
  await crawl.ended;
  // The worker of this test keeps the archive in a folder of its own.
  const { mkdirSync, writeFileSync } = await import('node:fs');
  mkdirSync(join(crawl.folder, 'archive'), { recursive: true });
  writeFileSync(join(crawl.folder, 'archive', 'x.warc.gz'), '0123456789');
  const listed = (await (await get('/v1/crawls/c/files')).json()) as { items: { path: string }[] };
  expect(listed.items.map(({ path }) => path)).toContain('archive/x.warc.gz');
  const part = await get('/v1/crawls/c/files/archive%2Fx.warc.gz', { range: 'bytes=2-4' });
  expect([part.status, part.headers.get('content-range'), await part.text()]).toEqual([
    206,
    'bytes 2-4/10',
    '234',
  ]);
  expect(await (await get('/v1/crawls/c/files/archive%2Fx.warc.gz')).text()).toBe('0123456789');
  expect((await get('/v1/crawls/c/files/archive%2Fx.warc.gz', { range: 'bytes=20-' })).status).toBe(416);
  for (const path of ['crawl.db', '..%2F..%2Foperator.token', 'archive%2F..%2Fcrawl.json', '%2Fetc%2Fpasswd'])
    expect((await get(`/v1/crawls/c/files/${path}`)).status, path).toBe(404);
});

test('a browser of another site, a large frame and a missing token are turned away', async () => {
  const { server, token } = await serve();
  await server.ready();
  const url = `${server.url.replace('http', 'ws')}/v1/stream`;
  const outcome = (socket: WebSocket) =>
    new Promise<string>((resolve) => {
      socket.on('unexpected-response', (_request, response) => resolve(String(response.statusCode)));
      socket.on('error', () => undefined);
      socket.on('close', (code) => resolve(`closed ${code}`));
    });
  const headers = { authorization: `Bearer ${token}` };
  expect(await outcome(new WebSocket(url, { headers, origin: 'https://evil.test' }))).toBe('403');
  expect(await outcome(new WebSocket(url, { headers: { authorization: 'Bearer wrong' } }))).toBe(
    'closed 4401',
  );
  const large = new WebSocket(url, { headers });
  large.on('open', () => large.send('x'.repeat(100_000)));
  expect(await outcome(large)).toBe('closed 1009');
  const packed = new WebSocket(url, { headers, perMessageDeflate: true });
  await new Promise((resolve) => packed.once('open', resolve));
  expect(packed.extensions).toBe('');
  packed.terminate();
});
