import type { IncomingMessage } from 'node:http';
import type { CoordinatorLink, HostLease, LeaseRef, WorkerId } from '@webfarer/protocol';
import { linkVersion } from '@webfarer/protocol/link';
import { tokenDigest } from '@webfarer/coordinator';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { dialWebSocket } from '@webfarer/worker';
import { WebSocket } from 'ws';
import { asVolunteer, greeted, hello, raw, refOf } from './raw-worker.fixture.ts';
import {
  clock,
  crawl,
  doneReport,
  frontierLink,
  linkCrawl,
  offer,
  openClient,
  openFrontier,
  openStation,
  ownToken,
  type Station,
  temporaryFolder,
  until,
  url,
  volunteerToken,
} from './link.fixture.ts';

let folder = '';
beforeEach(async () => {
  const temporary = await temporaryFolder();
  folder = temporary.folder;
  onTestFinished(temporary.remove);
});

async function world(limits = {}, urls = ['http://a.test/']) {
  const frontier = await openFrontier(':memory:');
  onTestFinished(() => frontier.close());
  await frontier.offer(
    crawl,
    urls.map((each) => offer(each)),
  );
  const asked = { robots: 0 };
  const link = frontierLink(frontier);
  const robots: CoordinatorLink['robots'] = (origin) => {
    asked.robots++;
    return link.robots(origin);
  };
  const station = await openStation({ frontier, link: { ...link, robots }, limits });
  onTestFinished(() => station.close());
  return { frontier, station, asked };
}

async function statusOf(station: Station, headers: Record<string, string>): Promise<number | undefined> {
  const ws = new WebSocket(`${station.url.replace('http', 'ws')}/link`, { headers });
  ws.on('error', () => undefined);
  return await new Promise((resolve) => {
    ws.on('unexpected-response', (_request, response: IncomingMessage) => {
      resolve(response.statusCode);
      response.destroy();
    });
    ws.on('open', () => {
      resolve(101);
      ws.terminate();
    });
  });
}

test('nobody is let in without a token, with a wrong one, or from a page in a browser', async () => {
  const { station } = await world();
  const told = station.events.follow();
  expect(await statusOf(station, {})).toBe(401);
  expect(await statusOf(station, { authorization: 'Bearer ' })).toBe(401);
  expect(await statusOf(station, { authorization: `Bearer ${ownToken}x` })).toBe(401);
  expect(await statusOf(station, { authorization: `Basic ${ownToken}` })).toBe(401);
  const origin = { authorization: `Bearer ${ownToken}`, origin: 'https://evil.example' };
  expect(await statusOf(station, origin)).toBe(403);
  expect(await statusOf(station, { authorization: `bearer ${ownToken}` })).toBe(101);
  const lines = told.take(100).map(({ line }) => line);
  expect(lines.filter((line) => line.includes('worker-refused'))).toHaveLength(5);
  expect(lines.join('')).not.toContain(ownToken);
  const refusals: string[] = [];
  const refused = (error: Error) => refusals.push(error.message);
  const client = openClient([station.url], folder, { dial: dialWebSocket(() => 'wrong'), refused });
  await expect(client.start()).rejects.toMatchObject({
    code: 'link-refused',
    next: expect.stringContaining('worker.token'),
  });
  expect(refusals).toHaveLength(1);
  await client.stop();
});

test('another version of the link is told what to upgrade', async () => {
  const { station } = await world();
  const newer = await raw(station);
  newer.send({ type: 'hello', v: linkVersion + 1, version: '9.0.0', entirely: 'different' });
  await until('it is closed', () => newer.closed() !== undefined);
  expect(newer.frames).toMatchObject([
    { type: 'error', code: 'link-version', message: expect.stringContaining('upgrade the coordinator') },
  ]);
  const older = await raw(station);
  older.send({ ...hello, v: 0 });
  await until('it is closed', () => older.closed() !== undefined);
  expect(older.frames[0]).toMatchObject({ message: expect.stringContaining('upgrade the worker') });
});

test('frames that are nothing are answered with an error, and at last with the door', async () => {
  const { station } = await world();
  const one = await greeted(station);
  const nonsense = [
    '',
    '[]',
    '{"type":"nonsense"}',
    '{"type":"lease","id":1,"hosts":-1,"urlsPerHost":1}',
    '{',
  ];
  for (const text of nonsense) one.send(text);
  await until('each is answered', () => one.frames.length === 1 + nonsense.length);
  expect(one.frames.slice(1).map(({ code }) => code)).toEqual(nonsense.map(() => 'frame-invalid'));
  expect(one.closed()).toBeUndefined();
  one.ws.send(Buffer.from([1, 2, 3]));
  await until('it is shown out', () => one.closed() !== undefined);
  expect(one.closed()?.code).toBe(4003);
});

test('nothing is done before hello, and hello comes once', async () => {
  const { frontier, station } = await world();
  const early = await raw(station);
  early.send({ type: 'lease', id: 1, hosts: 1, urlsPerHost: 1 });
  await until('it is answered', () => early.frames.length === 1);
  expect(early.frames).toMatchObject([{ type: 'error', id: 1, code: 'frame-invalid' }]);
  expect(await frontier.balance(crawl)).toMatchObject({ leased: 0 });
  const twice = await greeted(station);
  twice.send(hello);
  await until('it is answered', () => twice.frames.length === 2);
  expect(twice.frames[1]).toMatchObject({ code: 'frame-invalid', message: 'hello arrived twice' });
});

test('who says nothing at all is not waited for', async () => {
  const { station } = await world({ helloMs: 100 });
  const silent = await raw(station);
  await until('it is closed', () => silent.closed() !== undefined);
  expect(silent.closed()?.code).toBe(4002);
});

test('a frame above the limit ends the connection and no other', async () => {
  const { station } = await world({ frameBytes: 100_000 });
  const other = await greeted(station, { worker: 'w2' });
  const one = await greeted(station);
  one.send('x'.repeat(200_000));
  await until('it is closed', () => one.closed() !== undefined);
  expect(one.closed()?.code).toBe(1009);
  other.send({ type: 'robots', id: 7, origin: 'http://a.test' });
  await until('the other is served', () => other.frames.some(({ id }) => id === 7));
});

test('a flood is slowed down, not answered faster than allowed, and others are served meanwhile', async () => {
  const { station } = await world({ framesPerSecond: 200, burst: 50 });
  const one = await greeted(station);
  const other = await greeted(station, { worker: 'w2' });
  const startedAtMs = clock.now();
  for (let id = 1; id <= 150; id++) one.send({ type: 'robots', id, origin: 'http://a.test' });
  other.send({ type: 'robots', id: 1, origin: 'http://a.test' });
  await until('the other is served', () => other.frames.length === 2);
  expect(one.frames.length).toBeLessThan(151);
  await until('all are served', () => one.frames.length === 151);
  // 50 at once, 100 more at 200 a second; hello was one of them.
  expect(clock.now() - startedAtMs).toBeGreaterThan(450);
});

test('who does not read is not read from, and is cut off after a while', async () => {
  const body = 'x'.repeat(200_000);
  const { frontier, station, asked } = await world({
    heartbeatMs: 50,
    unreadBytes: 500_000,
    unreadMs: 500,
    inFlight: 4,
  });
  const { leases } = await frontier.lease({ worker: 'w9' as WorkerId, hosts: 1, urlsPerHost: 1 });
  const [lease] = leases;
  if (!lease) throw new Error('no lease');
  const copy = { origin: 'http://a.test', fetchedAtMs: 1, state: 'rules' as const, body };
  await frontier.report([doneReport(lease, { robots: [copy] })]);
  const slow = await greeted(station);
  slow.ws.pause();
  for (let id = 1; id <= 300; id++) slow.send({ type: 'robots', id, origin: 'http://a.test' });
  await until('it is cut off', () => station.server.workers().length === 0, 10_000);
  // The rest of the 60 MB it asked for was never made: only what the system's own buffers took.
  expect(asked.robots).toBeLessThan(100);
});

test('a newer connection of the same worker takes the place of the older', async () => {
  const { station } = await world();
  const older = await greeted(station, { key: 'k1' });
  const newer = await greeted(station, { key: 'k1', session: 's2' });
  await until('the older is closed', () => older.closed() !== undefined);
  expect(older.closed()?.code).toBe(4001);
  expect(station.server.workers()).toMatchObject([{ worker: 'w1', session: 's2' }]);
  newer.send({ type: 'robots', id: 1, origin: 'http://a.test' });
  await until('the newer is served', () => newer.frames.length === 2);
});

test('two processes under one name do not fight for ever: the older is told and ends', async () => {
  const { station } = await world();
  const refusals: unknown[] = [];
  const refused = (error: unknown) => refusals.push(error);
  const one = openClient([station.url], folder, { refused, key: 'k1' });
  await one.start();
  const two = openClient([station.url], folder, { key: 'k1', outboxFile: `${folder}/other.jsonl` });
  await two.start();
  await until('the older is told', () => refusals.length === 1);
  expect(refusals).toMatchObject([
    { code: 'worker-refused', next: expect.stringContaining('its own folder') },
  ]);
  expect(two.state().connected).toBe(true);
  await one.stop();
  await two.stop();
});

test('a volunteer cannot touch what others hold, nor end its own leases by saying that it died', async () => {
  const { frontier, station } = await world({}, ['http://a.test/', 'http://b.test/']);
  const own = await greeted(station);
  own.send({ type: 'lease', id: 1, hosts: 1, urlsPerHost: 10 });
  await until('it has a lease', () => own.frames.length === 2);
  const { leases } = (own.frames[1] ?? {})['value'] as { leases: LeaseRef[] };
  const stranger = await greeted(station, {}, asVolunteer);
  // The same name, but not the same worker.
  expect(station.server.workers().map(({ worker, trust }) => `${worker} ${trust}`)).toEqual([
    'w1 own',
    'v:w1 volunteer',
  ]);
  const refs = leases.map(refOf);
  stranger.send({ type: 'renew', id: 1, leases: refs });
  stranger.send({ type: 'release', id: 2, leases: refs, all: true });
  await until('it is answered', () => stranger.frames.length === 3);
  expect(stranger.frames[1]).toMatchObject({ id: 1, value: [{ ok: false }] });
  stranger.send({ type: 'lease', id: 3, hosts: 1, urlsPerHost: 10 });
  await until('it has one of its own', () => stranger.frames.length === 4);
  stranger.send({ type: 'release', id: 4, leases: [], all: true });
  await until('it is answered', () => stranger.frames.length === 5);
  expect(await frontier.balance(crawl)).toMatchObject({ leased: 2 });
});

test('a volunteer settles what it was given and offers what belongs to the crawl, nothing else', async () => {
  const { frontier, station } = await world();
  const stranger = openClient([station.url], folder, { dial: dialWebSocket(() => volunteerToken) });
  await stranger.start();
  const { leases } = await stranger.link.lease({ worker: 'w1' as WorkerId, hosts: 9, urlsPerHost: 9 });
  const [lease] = leases;
  if (!lease) throw new Error('no lease');
  const foreign = doneReport({
    ...lease,
    entries: [{ ...lease.entries[0]!, url: url('http://a.test/other') }],
  });
  await expect(stranger.link.report([foreign])).rejects.toMatchObject({ code: 'frame-invalid' });
  const links = ['http://a.test/in', 'http://elsewhere.test/', 'http://a.test/./odd'];
  const report = doneReport(
    lease,
    { robots: [{ origin: 'http://a.test', fetchedAtMs: 1, state: 'absent', body: '' }] },
    links,
  );
  const [settled] = report.settled;
  if (settled?.kind !== 'outcome') throw new Error('no outcome');
  settled.record.depth = 99;
  settled.record.fetched = { by: 'an-own-worker', dnsMs: 4 };
  settled.record.tries = [{ atMs: 1, reason: 'timeout', by: 'an-own-worker' }];
  for (const each of settled.offers) each.depth = 0;
  expect(await stranger.link.report([report])).toEqual([{ ok: true, accepted: 1, known: 0 }]);
  const totals = await frontier.totals(crawl);
  expect(totals.dropped).toEqual({ scope: 1, invalid: 1 });
  expect(await frontier.robots('http://a.test')).toBeUndefined();
  const story = await frontier.look(crawl, url('http://a.test/in'));
  expect(story).toMatchObject({ state: 'queued', entry: { depth: 1 } });
  const own = await frontier.look(crawl, url('http://a.test/'));
  expect(own).toMatchObject({ record: { depth: 0, fetched: { by: 'v:w1', dnsMs: 4 } } });
  expect(own).not.toHaveProperty('record.tries');
  await stranger.stop();
});

test('a volunteer cannot shorten the gap of a host', async () => {
  const { frontier, station } = await world();
  const stranger = openClient([station.url], folder, { dial: dialWebSocket(() => volunteerToken) });
  await stranger.start();
  const { leases } = await stranger.link.lease({ worker: 'w1' as WorkerId, hosts: 1, urlsPerHost: 1 });
  const [lease] = leases;
  if (!lease) throw new Error('no lease');
  const news = { endedAgoMs: 3_600_000, gapMs: 0, why: 'gap', health: 'ok' } as const;
  expect(
    await stranger.link.report([doneReport(lease, { news }, [`http://${lease.host}/next`])]),
  ).toMatchObject([{ ok: true, accepted: 1 }]);
  const [waiting] = (await frontier.waiting(crawl, 9)).filter(({ host }) => host === lease.host);
  expect(waiting?.dueInMs).toBeGreaterThan(linkCrawl().job.politeness.gapMs / 2);
  await stranger.stop();
});

test('a volunteer is given no host of a crawl that reads pages with an account', async () => {
  const frontier = await openFrontier(':memory:');
  onTestFinished(() => frontier.close());
  await frontier.offer(crawl, [offer('http://a.test/')]);
  const { job } = linkCrawl();
  const login = [{ site: 'a.test', as: 'alice', check: { selector: 'a.me' } }];
  const asAlice = { ...linkCrawl(), job: { ...job, login } } as ReturnType<typeof linkCrawl>;
  const plain = frontierLink(frontier);
  const link: CoordinatorLink = {
    ...plain,
    // As a coordinator chooses among its crawls.
    async lease(request) {
      return request.without?.includes(crawl) ? { leases: [], nextDueMs: 1_000 } : await plain.lease(request);
    },
  };
  const station = await openStation({ frontier, link, crawls: () => [asAlice] });
  onTestFinished(() => station.close());
  const ask = async (token: string, worker: string) => {
    const client = openClient([station.url], folder, { dial: dialWebSocket(() => token) });
    await client.start();
    const { leases } = await client.link.lease({ worker: worker as WorkerId, hosts: 1, urlsPerHost: 1 });
    await client.stop();
    return leases.map(({ host }) => host);
  };
  expect(await ask(volunteerToken, 'w1')).toEqual([]);
  // Nothing else keeps the host from being given.
  expect(await ask(ownToken, 'w2')).toEqual(['a.test']);
});

test('a volunteer is told no secrets of a crawl', async () => {
  const { station } = await world();
  const { job } = linkCrawl();
  const secret = { ...job, store: { url: 'redis://:hidden@host', durability: 'strict', insecure: false } };
  const fetch = { ...job.fetch, proxy: [{ use: 'socks5://u:hidden@proxy' }], headers: [['X-Key', 'hidden']] };
  const told = { ...linkCrawl(), job: { ...secret, fetch } } as ReturnType<typeof linkCrawl>;
  const own = await greeted(station);
  const stranger = await greeted(station, {}, asVolunteer);
  station.server.tellAll({ type: 'crawls', crawls: [told] });
  await until('both are told', () => own.frames.length === 2 && stranger.frames.length === 2);
  expect(JSON.stringify(stranger.frames)).not.toContain('hidden');
  expect(JSON.stringify(own.frames)).not.toContain('hidden');
  expect(own.frames[1]).toMatchObject({ crawls: [{ withheld: true }] });
});

test('an own worker cannot report on other hosts, and offers that are not URLs are counted and left out', async () => {
  const { frontier, station } = await world();
  const worker = openClient([station.url], folder);
  onTestFinished(() => worker.stop());
  await worker.start();
  const { leases } = await worker.link.lease({ worker: 'w1' as WorkerId, hosts: 9, urlsPerHost: 9 });
  const [lease] = leases;
  if (!lease) throw new Error('no lease');
  const copy = { origin: 'http://b.test', fetchedAtMs: 1, state: 'absent' as const, body: '' };
  await expect(worker.link.report([doneReport(lease, { robots: [copy] })])).rejects.toMatchObject({
    code: 'frame-invalid',
  });
  const links = ['http://a.test/in', 'http://a b.test/', 'http://a.test/../up', 'http://a.test:80/', 'x'];
  expect(await worker.link.report([doneReport(lease, {}, links)])).toEqual([
    { ok: true, accepted: 1, known: 0 },
  ]);
  expect((await frontier.totals(crawl)).dropped).toEqual({ invalid: 4 });
});

test('a request that is refused by the schema is answered under its own number', async () => {
  const { station } = await world();
  const one = await greeted(station);
  one.send({ type: 'leaseHost', id: 12, crawl, host: 'x.a b.com' });
  await until('it is answered', () => one.frames.length === 2);
  expect(one.frames[1]).toMatchObject({ type: 'error', id: 12, code: 'frame-invalid' });
});

test('links that cannot be read back are refused', async () => {
  const { frontier, station } = await world();
  const one = await greeted(station);
  one.send({ type: 'lease', id: 1, hosts: 1, urlsPerHost: 10 });
  await until('it has a lease', () => one.frames.length === 2);
  const [lease] = ((one.frames[1] ?? {})['value'] as { leases: HostLease[] }).leases;
  if (!lease) throw new Error('no lease');
  const report = doneReport(lease);
  const bytes = Buffer.from('\u0000[1,2');
  const settled = report.settled.map((outcome) => ({ ...outcome, edges: [2, bytes.length] }));
  one.send({ type: 'report', id: 2, reports: [{ ...report, settled }], edges: bytes.toString('base64') });
  await until('it is answered', () => one.frames.length === 3);
  expect(one.frames[2]).toMatchObject({ type: 'error', id: 2, code: 'frame-invalid' });
  expect(await frontier.balance(crawl)).toMatchObject({ done: 0 });
});

test('two tokens are accepted at once, and one that came with a revoked one is back with the next', async () => {
  const frontier = await openFrontier(':memory:');
  onTestFinished(() => frontier.close());
  const next = 'the-next-token-of-this-test';
  let accepted = [tokenDigest(ownToken), tokenDigest(next)];
  const options = { limits: { heartbeatMs: 100 }, own: () => accepted };
  const station = await openStation({ frontier, link: frontierLink(frontier), ...options });
  onTestFinished(() => station.close());
  const refusals: unknown[] = [];
  const refused = (error: unknown) => refusals.push(error);
  let given = ownToken;
  const dial = dialWebSocket(() => given);
  const old = openClient([station.url], folder, { refused, dial });
  const fresh = openClient([station.url], folder, {
    dial: dialWebSocket(() => next),
    worker: 'w2' as WorkerId,
    outboxFile: `${folder}/w2.jsonl`,
  });
  onTestFinished(() => old.stop());
  onTestFinished(() => fresh.stop());
  await old.start();
  await fresh.start();
  accepted = [tokenDigest(next)];
  await until('the old token is refused', () => old.state().lastError?.includes('the token') === true);
  expect(old.state().connected).toBe(false);
  expect(fresh.state().connected).toBe(true);
  expect(await statusOf(station, { authorization: `Bearer ${ownToken}` })).toBe(401);
  given = next;
  await until('it is back with the next token', () => old.state().connected);
  expect(refusals).toEqual([]);
});
