import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type DatedClock, type CrawlEvent, type CrawlId, WebfarerError } from '@webfarer/protocol';
import { createMetrics } from '@webfarer/protocol/metrics';
import { afterEach, expect, test } from 'vitest';
import { fastClock } from '../../../../test/fast-clock.ts';
import type { Crawl, CrawlEnd } from '../crawl/crawl.ts';
import { createEventBus } from '../events/event-bus.ts';
import type { Registry } from '../registry/registry.ts';
import { openSqliteRegistry } from '../registry/sqlite-registry.ts';
import { watchRegistry } from '../registry/watch-registry.ts';
import type { WebhookPost } from './webhook-sender.ts';
import { openWebhooks, type Webhooks } from './webhooks.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).toReversed()) await clean();
});

interface Got {
  headers: IncomingHttpHeaders;
  body: string;
}

/** A real receiver that answers as it is told, the last answer for ever. */
async function receiver(...answers: (number | 'cut')[]) {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString();
    });
    request.on('end', () => {
      const answer = answers[Math.min(got.length, answers.length - 1)] ?? 200;
      got.push({ headers: request.headers, body });
      if (answer === 'cut') request.socket.destroy();
      else response.writeHead(answer).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { got, answers, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` };
}

const post: WebhookPost = {
  post: ({ url, headers, content }) =>
    fetch(url, { method: 'POST', headers, body: content }).then(
      ({ status }) => ({ status }),
      (error: unknown) => ({ error: String(error) }),
    ),
};

const balance = { known: 3, queued: 0, leased: 0, done: 2, failed: 1, refused: 0 };
const snapshot = {
  state: 'finished',
  elapsedMs: 5,
  balance,
  byStatus: { 200: 2 },
  byReason: {},
  bytes: 9,
  items: 0,
};
const failures = { of: 'failed', sign: '<', value: 1, percent: false };

function crawlOf(changes: object = {}): Crawl & CrawlEnd {
  async function* records() {
    yield { change: 'changed' };
    yield { change: 'unchanged' };
  }
  return {
    id: 'c1' as CrawlId,
    name: 'shop',
    job: { thresholds: [failures] },
    snapshot: () => Promise.resolve(snapshot),
    summary: { state: 'finished', snapshot, records: { [Symbol.asyncIterator]: records } },
    ...changes,
  } as unknown as Crawl & CrawlEnd;
}

/** A coordinator as far as webhooks know it. */
async function coordinator(
  id: string,
  shared: { registry: Registry; clock: DatedClock; crawl?: Crawl & CrawlEnd },
) {
  const { registry, clock, crawl = crawlOf() } = shared;
  const failed = (error: unknown) => {
    throw error;
  };
  const watch = watchRegistry({ registry, clock, failed });
  const events = createEventBus({ clock, failed });
  const webhooks = await openWebhooks({
    id,
    version: '1',
    registry,
    watch,
    clock,
    random: Math.random,
    post,
    events,
    metrics: createMetrics({ clock }),
    crawl: () => crawl,
    failed,
  });
  webhooks.start();
  let isOver = false;
  const stop = async () => {
    if (isOver) return;
    isOver = true;
    await webhooks.stop();
    await watch.stop();
  };
  cleanups.push(stop);
  const publish = (event: CrawlEvent) => events.publish(event);
  const end = (run = 'n1 0 0') => webhooks.ended(crawl, run);
  return { webhooks, publish, end, stop };
}

function world(times = 500) {
  const clock = fastClock(times);
  const registry = openSqliteRegistry({ path: ':memory:', clock });
  cleanups.push(() => registry.close());
  return { clock, registry };
}

const all = { enabled: true, team: '', secret: undefined };

/** By another implementation than the one that signs. */
async function signatureOf({ headers, body }: Got, secret: string): Promise<string> {
  const raw = Uint8Array.from(atob(secret.slice('whsec_'.length)), (char) => char.charCodeAt(0));
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign']);
  const text = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const mac = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text));
  return `v1,${btoa(String.fromCharCode(...new Uint8Array(mac)))}`;
}

const statesOf = (webhooks: Webhooks, id: string) => webhooks.deliveries(id).map(({ state }) => state);
const patience = { timeout: 30_000, interval: 20 };

test('a receiver that fails at first gets the message later, under the same id and rightly signed', {
  timeout: 60_000,
}, async () => {
  const { got, url } = await receiver(500, 'cut', 302, 204);
  const { webhooks, end } = await coordinator('a', world());
  const { id, value } = await webhooks.create({ ...all, url, events: ['crawl.finished'] });
  await end();
  await expect.poll(() => statesOf(webhooks, id), patience).toEqual(['delivered']);
  expect(got).toHaveLength(4);
  expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  for (const one of got) expect(one.headers['webhook-signature']).toBe(await signatureOf(one, value.secret));
  const times = got.map(({ headers }) => Number(headers['webhook-timestamp']));
  expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(4);
  expect((times[2] ?? 0) - (times[1] ?? 0)).toBeGreaterThanOrEqual(45);
  expect(JSON.parse(got[3]?.body ?? '')).toMatchObject({
    type: 'crawl.finished',
    data: { crawl: { id: 'c1', name: 'shop', state: 'finished' }, balance },
  });
  expect(webhooks.deliveries(id)).toMatchObject([{ attempts: 4, body: '', last: { status: 204 } }]);
});

test('a machine that was suspended dates its messages by the wall clock, as receivers check it', {
  timeout: 60_000,
}, async () => {
  const { got, url } = await receiver(204);
  const { clock, registry } = world();
  const sleptMs = 8 * 3_600_000;
  const slept: DatedClock = { ...clock, wall: () => clock.wall() + sleptMs };
  const beforeMs = slept.wall();
  const { webhooks, end } = await coordinator('a', { registry, clock: slept });
  const { id } = await webhooks.create({ ...all, url, events: ['crawl.finished'] });
  await end();
  await expect.poll(() => statesOf(webhooks, id), patience).toEqual(['delivered']);
  const [first] = got;
  expect(Number(first?.headers['webhook-timestamp']) * 1_000).toBeGreaterThanOrEqual(beforeMs - 1_000);
  expect(
    Date.parse((JSON.parse(first?.body ?? '{}') as { timestamp: string }).timestamp),
  ).toBeGreaterThanOrEqual(Math.floor(beforeMs));
});

test('two coordinators that see the same end send one message for each event, and a restart sends none again', {
  timeout: 60_000,
}, async () => {
  const { got, url } = await receiver(200);
  // Slow enough that no claim runs out on a busy machine.
  const shared = world(10);
  const [a, b] = [await coordinator('a', shared), await coordinator('b', shared)];
  const events = ['crawl.finished', 'crawl.threshold-missed', 'crawl.changed'] as const;
  const { id } = await a.webhooks.create({ ...all, url, events: [...events] });
  await expect.poll(() => b.webhooks.get(id)).toBeDefined();
  await Promise.all([a.end(), b.end()]);
  await expect
    .poll(() => statesOf(b.webhooks, id), patience)
    .toEqual(['delivered', 'delivered', 'delivered']);
  const types = () => got.map(({ body }) => (JSON.parse(body) as { type: string }).type).toSorted();
  expect(types()).toEqual([...events].toSorted());
  await a.stop();
  const again = await coordinator('a', shared);
  await again.end();
  const probe = await again.webhooks.test(id);
  await expect.poll(() => got.map(({ headers }) => headers['webhook-id']), patience).toContain(probe);
  expect(types()).toEqual([...events, 'webhook.test'].toSorted());
});

test('a store that takes nothing, such as one on a full disk, is not asked again and again', {
  timeout: 60_000,
}, async () => {
  const { got, url } = await receiver(204);
  const { clock, registry } = world(1);
  const full = new WebfarerError('storage', 'the disk is full');
  let claims = 0;
  let isFull = false;
  const busy: Registry = {
    ...registry,
    put(kind, id, version, value) {
      if (kind !== 'webhook-delivery' || version === 0 || !isFull)
        return registry.put(kind, id, version, value);
      // One that asks at once would never let go of this thread.
      if (++claims === 500) isFull = false;
      return Promise.reject(full);
    },
  };
  const { webhooks } = await coordinator('a', { registry: busy, clock });
  const { id } = await webhooks.create({ ...all, url, events: [] });
  isFull = true;
  await webhooks.test(id);
  await expect.poll(() => claims, patience).toBeGreaterThan(0);
  const fromMs = clock.now();
  for (let turn = 0; turn < 3_000; turn++) await new Promise(setImmediate);
  // Once in two seconds, however long these turns take.
  expect(claims).toBeLessThanOrEqual(3 + (clock.now() - fromMs) / 2_000);
  isFull = false;
  await expect.poll(() => got.length, patience).toBe(1);
});

test('another run that ends with the same counts is told as well', {
  timeout: 60_000,
}, async () => {
  const { got, url } = await receiver(200);
  const { webhooks, end } = await coordinator('a', world());
  await webhooks.create({ ...all, url, events: ['crawl.finished'] });
  const runs = ['n1 0 0', 'n1 2 0', 'n2 0 0'];
  for (const run of [...runs, ...runs]) await end(run);
  await expect.poll(() => got.length, patience).toBe(3);
  expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(3);
});

test('what was not delivered before a restart is delivered after it', { timeout: 60_000 }, async () => {
  const { got, answers, url } = await receiver(503);
  const shared = world();
  const first = await coordinator('a', shared);
  const { id } = await first.webhooks.create({ ...all, url, events: ['crawl.finished'] });
  await first.end();
  await expect.poll(() => first.webhooks.deliveries(id)[0]?.attempts, patience).toBeGreaterThan(0);
  await first.stop();
  answers.splice(0, 1, 200);
  const second = await coordinator('b', shared);
  await expect.poll(() => statesOf(second.webhooks, id), patience).toEqual(['delivered']);
  expect(new Set(got.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
});

test('a message that nobody takes for a day is a dead letter, which can be sent again', {
  timeout: 60_000,
}, async () => {
  const { got, url } = await receiver(...Array.from({ length: 9 }, () => 500), 200);
  const { webhooks } = await coordinator('a', world(100_000));
  const { id } = await webhooks.create({ ...all, url, events: ['crawl.finished'] });
  const message = await webhooks.test(id);
  await expect.poll(() => statesOf(webhooks, id), patience).toEqual(['dead']);
  expect(webhooks.deliveries(id)).toMatchObject([{ attempts: 9, last: { status: 500 } }]);
  await expect(webhooks.retry(id, 'msg_none')).rejects.toThrow('has no message');
  await webhooks.retry(id, message);
  await expect.poll(() => statesOf(webhooks, id), patience).toEqual(['delivered']);
  expect(got.every(({ headers }) => headers['webhook-id'] === message)).toBe(true);
  await expect(webhooks.retry(id, message)).rejects.toThrow('is delivered');
});

test('trouble is told when it lasts, and not when it passes', { timeout: 60_000 }, async () => {
  const { got, url } = await receiver(200);
  const { webhooks, publish } = await coordinator('a', world());
  await webhooks.create({ ...all, url, events: ['crawl.trouble'] });
  const pause = { cause: 'disk', text: 'the disk is full' } as const;
  const crawl = 'c1' as CrawlId;
  publish({ type: 'crawl-paused', crawl, pause: { cause: 'no-network', text: 'away' }, times: 1 });
  publish({ type: 'crawl-resumed', crawl });
  publish({ type: 'crawl-paused', crawl, pause, times: 1 });
  await expect.poll(() => got.length, patience).toBe(1);
  expect(JSON.parse(got[0]?.body ?? '')).toMatchObject({ type: 'crawl.trouble', data: { pause } });
});

test('a webhook of a team hears of its own crawls only, and a disabled one of none', {
  timeout: 60_000,
}, async () => {
  const { got, url } = await receiver(200);
  const shared = { ...world(), crawl: crawlOf({ job: { thresholds: [], team: 'red' } }) };
  const { webhooks, end } = await coordinator('a', shared);
  const hook = (changes: object) => webhooks.create({ ...all, url, events: ['crawl.finished'], ...changes });
  const red = await hook({ team: 'red' });
  await hook({ team: 'blue' });
  await hook({ enabled: false });
  await end();
  await expect.poll(() => statesOf(webhooks, red.id), patience).toEqual(['delivered']);
  const [blueOrOff] = webhooks.all().filter(({ id }) => id !== red.id);
  expect(webhooks.deliveries(blueOrOff?.id ?? '')).toEqual([]);
  expect(got).toHaveLength(1);
});

test('receivers of one team that never answer keep no message of another team waiting', {
  timeout: 60_000,
}, async () => {
  const { webhooks } = await coordinator('a', world(1));
  const open = new Set<string>();
  let isOver = false;
  const silent = createServer((request, response) => {
    open.add(String(request.headers['webhook-id']));
    if (isOver) response.destroy();
  });
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    isOver = true;
    silent.closeAllConnections();
    silent.close();
  });
  const url = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/hook`;
  const slow = await webhooks.create({ ...all, team: 'slow', url, events: ['crawl.finished'] });
  for (let n = 0; n < 20; n++) await webhooks.test(slow.id);
  await expect.poll(() => open.size, patience).toBeGreaterThan(0);
  const { url: answering } = await receiver(200);
  const quick = await webhooks.create({ ...all, team: 'quick', url: answering, events: ['crawl.finished'] });
  await webhooks.test(quick.id);
  await expect.poll(() => statesOf(webhooks, quick.id), patience).toEqual(['delivered']);
  expect(open.size).toBe(4);
});

test('an address with a password and a short secret are refused', async () => {
  const { webhooks } = await coordinator('a', world());
  const hook = { ...all, events: ['crawl.finished' as const] };
  await expect(webhooks.create({ ...hook, url: 'http://a:b@x.test/' })).rejects.toThrow('malformed');
  await expect(webhooks.create({ ...hook, url: 'ftp://x.test/' })).rejects.toThrow('malformed');
  await expect(webhooks.create({ ...hook, url: 'http://x.test/', secret: 'whsec_aGk=' })).rejects.toThrow(
    'secret',
  );
});
