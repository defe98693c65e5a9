import { createHash, randomBytes } from 'node:crypto';
import { existsSync, createReadStream, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type {
  CoordinatorLink,
  HostLease,
  LeaseReport,
  PageRecord,
  SavedAt,
  WorkerId,
} from '@webfarer/protocol';
import {
  type CaptureSpool,
  createSpool,
  openSavers,
  openWarcIntake,
  type Saver,
  type Spool,
  type WarcIntake,
} from '@webfarer/worker';
import { dialWebSocket } from '@webfarer/worker';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WARCParser } from 'warcio';
import { captureOf } from '../../packages/worker/src/save/capture.fixture.ts';
import {
  clock,
  crawl,
  doneReport,
  frontierLink,
  offer,
  openClient,
  openFrontier,
  openStation,
  temporaryFolder,
  until,
  volunteerToken,
} from './link.fixture.ts';

/** Captures on their way from a worker's disk to the coordinator's, over real sockets. */

const cleanups: (() => Promise<unknown>)[] = [];
const worker = 'w1' as WorkerId;
const request = { worker, hosts: 8, urlsPerHost: 10 };
const urls = ['http://a.test/', 'http://b.test/'];
let [data, home] = ['', ''];
beforeEach(async () => {
  const [one, other] = [await temporaryFolder(), await temporaryFolder()];
  [data, home] = [one.folder, other.folder];
  cleanups.push(one.remove, other.remove);
});
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const about = { name: 'c', clock, software: 'webfarer/test' };

async function openIntake(): Promise<WarcIntake & { mostBytes: number }> {
  const mostBytes = 5_000_000;
  const intake = await openWarcIntake({ ...about, folder: data, rotateBytes: 1e9, mostBytes });
  return { ...intake, mostBytes };
}

async function world(link: (real: CoordinatorLink) => CoordinatorLink = (real) => real) {
  const frontier = await openFrontier(':memory:');
  cleanups.push(() => frontier.close());
  await frontier.offer(
    crawl,
    urls.map((url) => offer(url)),
  );
  const intake = await openIntake();
  cleanups.push(() => intake.stop());
  const parts = { frontier, link: link(frontierLink(frontier)), bodies: intake };
  return { frontier, intake, parts, station: await openStation(parts) };
}

async function spoolHere(spool = createSpool(home)): Promise<{ spool: Spool; saver: Saver }> {
  const place: CaptureSpool = { folder: home, dir: 'spool/c', add: spool.add };
  const target = { kind: 'warc', rotateBytes: 1e9, dedupe: true, at: 'coordinator' } as const;
  const [saver] = await openSavers([target], { ...about, folder: home, baseFolder: home, spool: place });
  // Of one that stands for a dead process the files are gone by then.
  cleanups.push(async () => await saver?.stop().catch(() => undefined));
  return { spool, saver: saver as Saver };
}

/** What the worker says of a page of the lease once its body is on its disk. */
async function captured(lease: HostLease, saver: Saver, body: Buffer | string): Promise<LeaseReport> {
  const report = doneReport(lease);
  const [one] = report.settled;
  if (one?.kind !== 'outcome') throw new Error('no outcome');
  const capture = captureOf({ url: one.url, body });
  one.record.saved = [(await saver.save(capture)) as SavedAt];
  one.record.digest = capture.digest;
  await saver.sync();
  return report;
}

/** As a reader that is not ours finds them: where each answer is, of what, and its body. */
async function archived() {
  const found = [];
  const archive = join(data, 'archive');
  for (const file of readdirSync(archive).filter((name) => name.includes('.warc.gz'))) {
    const parser = new WARCParser(createReadStream(join(archive, file)));
    for await (const record of parser) {
      const payload = Buffer.from((await record.readFully(true)) ?? []);
      await record.skipFully();
      if (record.warcType !== 'response') continue;
      const place = { file: `archive/${file.replace(/\.open$/, '')}`, offset: parser.offset };
      found.push({
        url: record.warcTargetURI,
        body: createHash('sha256').update(payload).digest('hex'),
        ...place,
      });
    }
  }
  return found;
}

const sha256 = (body: Buffer | string) => createHash('sha256').update(body).digest('hex');

test('bodies are in the archive of the coordinator before their records are stored, however large', async () => {
  const { frontier, station, intake } = await world();
  cleanups.push(() => station.close());
  const { spool, saver } = await spoolHere();
  const client = openClient([station.url], home, { spool });
  await client.start();
  const { leases } = await client.link.lease(request);
  const bodies = ['<p>small</p>', randomBytes(3_500_000)];
  const reports = await Promise.all(leases.map((lease, i) => captured(lease, saver, bodies[i] ?? '')));
  expect(await client.link.report(reports)).toHaveLength(2);
  const found = await archived();
  expect(found.map(({ url, body }) => [url, body])).toEqual(
    leases.map(({ entries }, i) => [entries[0]?.url, sha256(bodies[i] ?? '')]),
  );
  for (const { url, file, offset } of found) {
    const story = await frontier.look(crawl, url as never);
    const saved = [{ saver: 'warc', file, offset, length: expect.any(Number) }];
    expect(story).toMatchObject({ record: { saved } });
  }
  await client.stop();
  await saver.stop();
  await spool.close();
  expect(readdirSync(home, { recursive: true }).filter((name) => String(name).includes('warc'))).toEqual([]);
  await intake.stop();
  expect(readdirSync(data)).toEqual(['archive']);
});

test('a body waits with its report for a coordinator that is away, also when the worker dies meanwhile', async () => {
  const opened = Promise.withResolvers<Saver>();
  const { frontier, parts, station } = await world((real) => ({
    ...real,
    // What was kept is delivered while its successor begins to save.
    report: async (reports) => (await opened.promise, await real.report(reports)),
  }));
  const { spool, saver } = await spoolHere();
  const client = openClient([station.url], home, { spool });
  await client.start();
  const { leases } = await client.link.lease(request);
  await station.cut();
  await until('it is noticed', () => !client.state().connected);
  // One is finished, and one is saved without ever being told of.
  await client.link.report([await captured(leases[0] as HostLease, saver, '<p>waits</p>')]);
  await captured(leases[1] as HostLease, saver, '<p>in vain</p>');
  await client.stop();
  expect(await archived()).toEqual([]);
  const again = await openStation(parts);
  cleanups.push(() => again.close());
  const next = createSpool(home);
  const successor = openClient([again.url], home, { spool: next });
  cleanups.push(() => successor.stop());
  const started = successor.start();
  await until('it is welcome', () => again.server.workers().length === 1);
  opened.resolve((await spoolHere(next)).saver);
  await started;
  expect(await frontier.balance(crawl)).toMatchObject({ queued: 1, leased: 0, done: 1 });
  const { leases: left } = await successor.link.lease(request);
  const second = await captured(left[0] as HostLease, await opened.promise, '<p>later</p>');
  expect(await successor.link.report([second])).toMatchObject([{ ok: true }]);
  expect((await archived()).map(({ url, body }) => [url, body])).toEqual([
    [urls[0], sha256('<p>waits</p>')],
    [urls[1], sha256('<p>later</p>')],
  ]);
});

test('what the coordinator has is gone from the disk of the worker once the crawl is closed there', async () => {
  const { station } = await world();
  const { spool, saver } = await spoolHere();
  const client = openClient([station.url], home, { spool });
  cleanups.push(() => client.stop());
  await client.start();
  const { leases } = await client.link.lease(request);
  await client.link.report([await captured(leases[0] as HostLease, saver, '<p>sent</p>')]);
  const kept = await captured(leases[1] as HostLease, saver, '<p>not told of yet</p>');
  const files = () => (existsSync(join(home, 'spool/c')) ? readdirSync(join(home, 'spool/c')) : []);
  await saver.stop();
  await spool.completed('spool/c');
  expect(files()).toHaveLength(1);
  await client.link.report([kept]);
  expect(files()).toEqual([]);
});

test('what is delivered twice is archived twice at most, and recorded once', async () => {
  let stored = 0;
  const { frontier, parts, station } = await world((real) => ({
    ...real,
    async report(reports) {
      const answers = await real.report(reports);
      // The answer never arrives: the connection is cut between the two.
      if (++stored === 1) void station.cut();
      return answers;
    },
  }));
  const { spool, saver } = await spoolHere();
  const client = openClient([station.url], home, { spool });
  cleanups.push(() => client.stop());
  await client.start();
  const { leases } = await client.link.lease(request);
  await client.link.report([await captured(leases[0] as HostLease, saver, '<p>once</p>')]);
  const again = await openStation({ ...parts, port: station.port });
  cleanups.push(() => again.close());
  await until('the outbox is empty', () => client.state().connected && client.state().outbox === 0);
  expect(stored).toBe(2);
  const found = await archived();
  expect(found).toHaveLength(2);
  const story = await frontier.look(crawl, urls[0] as never);
  expect(story).toMatchObject({ record: { saved: [{ offset: found[0]?.offset }] } });
  expect(await frontier.balance(crawl)).toMatchObject({ done: 1 });
});

test('no report counts without its body, and a body only as what it is', async () => {
  const { frontier, station } = await world();
  cleanups.push(() => station.close());
  const { spool, saver } = await spoolHere();
  const liar: Spool = { ...spool, bring: async () => undefined };
  const client = openClient([station.url], home, { spool: liar });
  cleanups.push(() => client.stop());
  await client.start();
  const { leases } = await client.link.lease(request);
  const report = await captured(leases[0] as HostLease, saver, '<p>never sent</p>');
  await expect(client.link.report([report])).rejects.toMatchObject({ code: 'frame-invalid' });

  const sent = (bytes: Buffer, changes = {}) => ({
    bodies: [
      {
        crawl,
        place: 'spool/x@0',
        bytes: bytes.length,
        digest: sha256(bytes),
        at: 0,
        length: bytes.length,
        ...changes,
      },
    ],
    data: bytes.toString('base64'),
  });
  const wrong = [
    sent(Buffer.from('no record at all')),
    sent(Buffer.from('digest'), { digest: '0'.repeat(64) }),
    sent(Buffer.from('longer than said'), { bytes: 3 }),
    sent(Buffer.from('from the middle'), { at: 1, bytes: 100 }),
    sent(Buffer.from('too large'), { bytes: 1e12 }),
  ];
  for (const frame of wrong) {
    const spoiled: Spool = {
      ...spool,
      bring: async (_, to) => void (await to.call({ type: 'bodies', ...frame })),
    };
    const other = openClient([station.url], home, { spool: spoiled, worker: 'w2' as WorkerId });
    await other.start();
    await expect(other.link.report([report])).rejects.toMatchObject({
      code: expect.stringMatching(/^frame-/),
    });
    await other.stop();
  }
  expect(await frontier.balance(crawl)).toMatchObject({ done: 0 });
  expect(await archived()).toEqual([]);
});

test('what a volunteer sends is read to its last byte first', async () => {
  const { frontier, station } = await world();
  cleanups.push(() => station.close());
  const { spool, saver } = await spoolHere();
  const client = openClient([station.url], home, { spool, dial: dialWebSocket(() => volunteerToken) });
  cleanups.push(() => client.stop());
  await client.start();
  const { leases } = await client.link.lease(request);
  const [a, b] = leases as [HostLease, HostLease];
  const other = await captured(a, saver, '<p>of a</p>');
  const own = await captured(b, saver, '<p>of b</p>');
  const [settledOther, settledOwn] = [other.settled[0], own.settled[0]];
  if (settledOther?.kind !== 'outcome' || settledOwn?.kind !== 'outcome') throw new Error('no outcome');
  const right = settledOwn.record.saved;
  settledOwn.record.saved = settledOther.record.saved ?? [];
  await expect(client.link.report([own])).rejects.toMatchObject({ code: 'frame-invalid' });
  settledOwn.record.saved = [...(right ?? []), { saver: 'warc', file: '/etc/passwd', offset: 0, length: 1 }];
  await expect(client.link.report([own])).rejects.toMatchObject({ code: 'frame-invalid' });
  settledOwn.record.saved = [...(right ?? []), { saver: 'warc', file: 'archive/x', offset: 0, length: 1 }];
  expect(await client.link.report([own])).toMatchObject([{ ok: true }]);
  const found = (await archived()).find(({ url }) => url === b.entries[0]?.url);
  const story = await frontier.look(crawl, b.entries[0]?.url as never);
  const { file, offset } = found ?? {};
  expect(story).toMatchObject({ record: { saved: [{ saver: 'warc', file, offset }] } });
});

test.each([
  ['of a worker is archived with it', undefined, 2],
  ['of a volunteer is left out of its record', volunteerToken, 0],
])('what a page loaded %s', async (_, token, kept) => {
  const { frontier, station } = await world();
  cleanups.push(() => station.close());
  const { spool, saver } = await spoolHere();
  const client = openClient([station.url], home, {
    spool,
    ...(token !== undefined && { dial: dialWebSocket(() => token) }),
  });
  cleanups.push(() => client.stop());
  await client.start();
  const { leases } = await client.link.lease(request);
  const report = await captured(leases[0] as HostLease, saver, '<p>page</p>');
  const [one] = report.settled;
  if (one?.kind !== 'outcome') throw new Error('no outcome');
  const loaded = ['http://cdn.test/a.css', 'http://cdn.test/b.js'];
  one.record.resources = [];
  for (const url of loaded) {
    const capture = captureOf({ url, body: `of ${url}` });
    const { digest, page, mime } = capture;
    const { status, startedAtMs, durationMs } = page;
    const saved = [(await saver.save(capture)) as SavedAt];
    const facts = { url: capture.entry.url, status, mime, bytes: page.body.length, digest };
    one.record.resources.push({ ...facts, startedAtMs, durationMs, saved });
  }
  await saver.sync();
  expect(await client.link.report([report])).toMatchObject([{ ok: true }]);
  const found = await archived();
  const story = await frontier.look(crawl, one.url);
  const record = story && 'record' in story ? (story.record as PageRecord) : undefined;
  expect(record?.saved).toHaveLength(1);
  const places = (record?.resources ?? []).map(({ url, saved: [at] }) => [url, at?.file, at?.offset]);
  expect(places).toHaveLength(kept);
  for (const place of places)
    expect(found.map(({ url, file, offset }) => [url, file, offset])).toContainEqual(place);
});
