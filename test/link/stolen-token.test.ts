import type { CoordinatorLink, LeaseRef } from '@webfarer/protocol';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import {
  crawl,
  frontierLink,
  linkCrawl,
  offer,
  openClient,
  openFrontier,
  openStation,
  temporaryFolder,
  until,
} from './link.fixture.ts';
import { asVolunteer, greeted, hello, raw, refOf } from './raw-worker.fixture.ts';

let folder = '';
beforeEach(async () => {
  const temporary = await temporaryFolder();
  folder = temporary.folder;
  onTestFinished(temporary.remove);
});

async function world() {
  const frontier = await openFrontier(':memory:');
  onTestFinished(() => frontier.close());
  const station = await openStation({ frontier, link: frontierLink(frontier) });
  onTestFinished(() => station.close());
  return { station };
}

test('the token does not give a worker the name of another, whether that is connected or was cut off', async () => {
  const { station } = await world();
  const turnedAway = async (changes: object) => {
    const one = await raw(station);
    one.send({ ...hello, ...changes });
    await until('it is closed', () => one.closed() !== undefined);
    expect(one.closed()?.code).toBe(4002);
    expect(one.frames).toMatchObject([{ type: 'error', code: 'conflict', next: expect.any(String) }]);
  };
  const keyless = await greeted(station, { worker: 'w0' });
  await turnedAway({ worker: 'w0', session: 's2' });
  // The same process, whose connection was lost without a word.
  await greeted(station, { worker: 'w0' });
  await until('its first connection is closed', () => keyless.closed()?.code === 4001);
  const owner = await greeted(station, { key: 'k1' });
  await turnedAway({ session: 's2' });
  await turnedAway({ session: 's2', key: 'k2' });
  expect(owner.closed()).toBeUndefined();
  owner.ws.terminate();
  await until('it is gone', () => station.server.workers().length === 1);
  await turnedAway({ session: 's2' });
  const again = await greeted(station, { session: 's3', key: 'k1' });
  again.send({ type: 'bye', reason: 'the end' });
  await until('it is gone', () => station.server.workers().length === 1);
  await greeted(station, { session: 's4' });
});

test('a worker whose hello cannot be read is told so, and ends', async () => {
  const { station } = await world();
  const client = openClient([station.url], folder, { key: ' ' });
  onTestFinished(() => client.stop());
  let refusal: unknown;
  client.start().catch((error: unknown) => (refusal = error));
  await until('it is refused', () => refusal !== undefined);
  expect(refusal).toMatchObject({
    code: 'worker-refused',
    message: expect.stringMatching(/does not accept this worker: a frame is malformed: .*key/s) as string,
    next: expect.stringContaining('worker.key') as string,
  });
});

test("a worker whose name is another one's tries again until the name is free", async () => {
  const { station } = await world();
  const owner = openClient([station.url], folder, { key: 'k1' });
  await owner.start();
  const other = openClient([station.url], folder, { outboxFile: `${folder}/other.jsonl` });
  const started = other.start();
  await until('it is told why', () => other.state().lastError?.includes('another worker') === true);
  await owner.stop();
  await started;
  await other.stop();
});

/** A crawl whose requests carry one secret of each kind, and one host to lease. */
async function secretWorld() {
  const frontier = await openFrontier(':memory:');
  onTestFinished(() => frontier.close());
  await frontier.offer(crawl, [offer('http://a.test/')]);
  const { job } = linkCrawl();
  const origin = 'http://a.test';
  const secrets = {
    headers: [
      ['Accept-Language', 'de'],
      ['X-Key', 'hidden header'],
    ] as [string, string][],
    credentials: [{ origin, user: 'ann', password: 'hidden basic' }],
    proxy: [{ use: 'socks5://u:hidden-proxy@proxy:1' }],
  };
  const form = { origin, user: 'ann', password: 'hidden form', form: true as const };
  const fetch = { ...job.fetch, ...secrets, credentials: [...secrets.credentials, form] };
  const about = { ...linkCrawl(), secrets: 's1', job: { ...job, fetch } };
  const plain = frontierLink(frontier);
  const link: CoordinatorLink = {
    ...plain,
    async lease(request) {
      return request.without?.includes(crawl) ? { leases: [], nextDueMs: 1_000 } : await plain.lease(request);
    },
  };
  const station = await openStation({ frontier, link, crawls: () => [about] });
  onTestFinished(() => station.close());
  return { station, about, secrets };
}

test('a worker learns what requests of a crawl carry once it holds a lease of the crawl, and no form password', async () => {
  const { station, about, secrets } = await secretWorld();
  const one = await greeted(station, { asksSecrets: true });
  station.server.tellAll({ type: 'crawls', crawls: [about] });
  one.send({ type: 'secrets', id: 1, crawl });
  await until('it is answered', () => one.frames.length === 3);
  expect(JSON.stringify(one.frames)).not.toContain('hidden');
  expect(one.frames).toMatchObject([
    { crawls: [{ withheld: true, secrets: 's1', job: { fetch: { headers: [['Accept-Language', 'de']] } } }] },
    { type: 'crawls' },
    { type: 'error', id: 1, code: 'forbidden' },
  ]);
  one.send({ type: 'lease', id: 2, hosts: 1, urlsPerHost: 1 });
  await until('it has a lease', () => one.frames.length === 4);
  one.send({ type: 'secrets', id: 3, crawl });
  await until('it is told', () => one.frames.length === 5);
  expect(one.frames[4]).toEqual({ type: 'answer', id: 3, value: secrets });
  const [lease] = (one.frames[3] as { value: { leases: LeaseRef[] } }).value.leases;
  one.send({ type: 'release', id: 4, leases: [refOf(lease as LeaseRef)], all: false });
  await until('it has none', () => one.frames.some(({ id }) => id === 4));
  one.send({ type: 'secrets', id: 5, crawl });
  await until('it is told no more', () => one.frames.some(({ id }) => id === 5));
  expect(one.frames.find(({ id }) => id === 5)).toMatchObject({ type: 'error', code: 'forbidden' });
});

test('a worker that would not ask for the secrets of a crawl is given no lease of it', async () => {
  const { station } = await secretWorld();
  const older = await greeted(station);
  older.send({ type: 'lease', id: 1, hosts: 1, urlsPerHost: 1 });
  await until('it is answered', () => older.frames.length === 2);
  expect(older.frames[1]).toMatchObject({ value: { leases: [] } });
});

test('a volunteer with a lease is not told the secrets of its crawl', async () => {
  const { station } = await secretWorld();
  const stranger = await greeted(station, { asksSecrets: true }, asVolunteer);
  stranger.send({ type: 'lease', id: 1, hosts: 1, urlsPerHost: 1 });
  await until('it has a lease', () => stranger.frames.length === 2);
  stranger.send({ type: 'secrets', id: 2, crawl });
  await until('it is answered', () => stranger.frames.length === 3);
  expect(stranger.frames[2]).toMatchObject({ type: 'error', id: 2, code: 'forbidden' });
});
