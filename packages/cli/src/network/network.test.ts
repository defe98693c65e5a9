import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { machineClock, openHostLedger, parseListen, readFolder, readToken } from '@webfarer/coordinator';
import { type HostKey, type JobInput, type PageRecord, systemClock, type WorkerId } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { openWorker, type OpenWorker } from '@webfarer/worker';
import { listWarc, validateWarc } from '@webfarer/worker/archive';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { shopPages, type SmallSite, startSmallSite } from '../../../../test/library/small-site.ts';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { runCli } from '../program.ts';
import { networkLines } from '../view/network-lines.ts';
import { warcFiles } from '../folder/warc-files.ts';
import { forgetInFolder } from '../local/forget-folder.ts';
import { type CoordinatorService, openCoordinatorService } from './coordinator-service.ts';
import { askStatus } from './coordinator-at.ts';
import { openWorkerFolder } from './worker-folder.ts';
import { keepManifest } from './worker-manifest.ts';

const clock = systemClock();
let under: string;
let site: SmallSite;
const ends: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  under = mkdtempSync(join(tmpdir(), 'webfarer-network-'));
  site = await startSmallSite(shopPages);
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  await site.stop();
  rmSync(under, { recursive: true, force: true });
});

async function coordinator(withWorker = false, listen = '127.0.0.1:0'): Promise<CoordinatorService> {
  const folder = join(under, 'data');
  const options = {
    folder,
    listen: parseListen(listen),
    advertise: undefined,
    withWorker,
    baseFolder: under,
    clock,
  };
  const service = await openCoordinatorService(options);
  ends.push(() => service.stop());
  return service;
}

async function openShop(
  service: CoordinatorService,
  changes: Partial<JobInput> = {},
  more: { ledger?: string } = {},
) {
  const allowPrivate = ['127.0.0.0/8'];
  const input = {
    name: 'shop',
    seeds: [site.origin],
    politeness: { gap: '5ms' },
    fetch: { allowPrivate },
    ...changes,
  };
  const job = resolveJob(input);
  return await service.open({
    job,
    input,
    folder: join(under, 'data'),
    userAgent: 'webfarer-test/1',
    ...more,
  });
}

async function worker(url: string, given?: string): Promise<{ service: OpenWorker; folder: string }> {
  const folder = join(under, 'worker');
  const token = given ?? (await readToken(join(under, 'data', 'worker.token')));
  const { id, key, lock } = await openWorkerFolder(folder, '0');
  const service = openWorker({
    link: {
      kind: 'network',
      urls: [url],
      token: () => token,
      key,
    },
    id: id as WorkerId,
    version: '0.0.0',
    folder,
    prepareFolder: keepManifest({ member: id, baseFolder: under, clock }),
    baseFolder: under,
    member: id,
    connections: 4,
    indexed: true,
    clock,
    random: Math.random,
  });
  ends.push(async () => {
    await service.stop();
    lock.release();
  });
  return { service, folder };
}

it('a job keeps the archive in object storage, and the folder of the coordinator is enough to read it', async () => {
  const service = await coordinator();
  const at = `file://${under}/store`;
  const { run } = await openShop(service, { save: [{ warc: { at } }] });
  const { service: far, folder } = await worker(service.url);
  await far.start();
  const { balance } = await run;
  expect(balance.done).toBe(7);
  expect(await far.ended).toBe('over');
  await far.stop();
  const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.crawl'));
  expect(readdirSync(join(folder, name, 'outgoing'))).toEqual([]);
  const data = join(under, 'data');
  const [file, ...more] = await warcFiles([data], under);
  expect([file?.shown, more.length]).toEqual([expect.stringContaining(at), 0]);
  if (!file) throw new Error('no file');
  expect(await validateWarc(file.open)).toMatchObject({ ok: true });

  const cli = async (...words: string[]): Promise<string> => {
    const { context, out, err } = fakeWorld(under, {}, words);
    context.local.readFolder = (path) => readFolder(path);
    expect([words, await runCli(words, context), err()]).toEqual([words, 0, '']);
    return out();
  };
  await cli('export', data, '--wacz', 'whole.wacz');
  expect(await cli('warc', 'validate', 'whole.wacz')).toContain('7 captures');
  expect(await cli('warc', 'cat', `${site.origin}/`, '--folder', data)).toContain('<');
  expect(await cli('storage', 'ls', data, '--json')).toContain('"complete":true');
  expect(await cli('storage', 'tidy', data, '--grace', '0')).toContain('0 files completed');
  expect(await cli('warc', 'validate', `${at}/${readdirSync(join(under, 'store'))[0]}`)).toContain('✓');
  await service.stop();
  const { captures, left } = await forgetInFolder(data, { pattern: '127.0.0.1' });
  // Its own address and the only seed are named, in two files; of captures nothing is left.
  expect([captures, left.length]).toEqual([7, 2]);
  expect(left.join()).not.toMatch(/captures|archive|object/);
});

it('pauses while object storage cannot be written, says which, and resumes by itself', {
  timeout: 60_000,
}, async () => {
  const service = await coordinator();
  const store = join(under, 'store');
  const save = [{ warc: { at: `file://${store}` } }];
  const { run } = await openShop(service, { save, politeness: { gap: '300ms' } });
  const { service: far } = await worker(service.url);
  await far.start();
  await expect.poll(() => existsSync(store), { timeout: 30_000 }).toBe(true);
  renameSync(store, `${store}.away`);
  writeFileSync(store, 'in the way');
  await expect
    .poll(async () => (await run.snapshot()).stall, { timeout: 30_000 })
    .toMatchObject({
      cause: 'object-storage',
      text: expect.stringContaining(`cannot write file://${store}/`) as string,
    });
  rmSync(store);
  renameSync(`${store}.away`, store);
  expect((await run).balance.done).toBe(7);
  expect(await far.ended).toBe('over');
  await far.stop();
  const [file] = await warcFiles([join(under, 'data')], under);
  if (!file) throw new Error('no file');
  const listed = [];
  for await (const { type } of listWarc(file.open)) listed.push(type);
  expect(listed.filter((type) => type === 'response')).toHaveLength(7);
});

it('a worker crawls for a coordinator: results there, bodies here', async () => {
  const service = await coordinator();
  const { run } = await openShop(service);
  await expect.poll(async () => (await run.snapshot()).pause?.cause).toBe('no-worker');
  const { service: far, folder } = await worker(service.url);
  await far.start();
  expect((await run.snapshot()).pause).toBeUndefined();
  const { state, balance } = await run;
  expect([state, balance.done]).toEqual(['finished', 7]);
  expect(await far.ended).toBe('over');

  const reader = await readFolder(join(under, 'data'));
  const records: PageRecord[] = [];
  for await (const record of reader.results.records(reader.crawl)) records.push(record);
  const members = new Set(records.flatMap(({ saved = [] }) => saved.map(({ member }) => member)));
  await reader.close();
  const { id } = JSON.parse(await readFile(join(folder, 'worker.json'), 'utf8')) as { id: string };
  expect([...members]).toEqual([id]);
  const [name = ''] = readdirSync(folder).filter((file) => file.endsWith('.crawl'));
  expect(await warcFiles([join(folder, name)], under)).toHaveLength(1);
  expect(JSON.parse(await readFile(join(folder, name, 'crawl.json'), 'utf8'))).toMatchObject({
    name: 'shop',
    network: { member: id },
  });
  expect(readdirSync(join(under, 'data'))).not.toContain('archive');
  const index = (await readFile(join(folder, name, 'archive', 'index.cdxj'), 'utf8')).trimEnd().split('\n');
  expect(
    index.map((line) => (JSON.parse(line.replace(/^\S+ \d{14} /, '')) as { url: string }).url).sort(),
  ).toEqual(records.map(({ url }) => url).sort());

  const { crawls, workers } = await service.status();
  expect(crawls[0]).toMatchObject({ name: 'shop', state: 'finished' });
  expect(workers[0]).toMatchObject({ worker: id, trust: 'own', held: 0, pages: 7 });
  expect(far.look()).toMatchObject({ pages: 7, inFlight: 0 });

  const log = (await readFile(join(under, 'data', 'events.jsonl'), 'utf8')).trimEnd().split('\n');
  const names = log.map((line) => (JSON.parse(line) as { type: string }).type);
  expect(names).toEqual(
    expect.arrayContaining(['coordinator-started', 'crawl-paused', 'worker-joined', 'crawl-state']),
  );
  expect(log.findLast((line) => line.includes('crawl-state'))).toContain('"state":"finished"');

  const asked = await askStatus(service.url, await readToken(join(under, 'data', 'operator.token')));
  const lines = networkLines(asked, { columns: 100, colour: false }).join('\n');
  expect(lines).toContain('shop   finished');
  expect(lines).toContain('known 7 = queued 0 + leased 0 + done 7');
  expect(lines).toMatch(new RegExp(`${id} +127.0.0.1 +0 of 4 +7`));
  const workerToken = await readToken(join(under, 'data', 'worker.token'));
  await expect(askStatus(service.url, workerToken)).rejects.toMatchObject({ code: 'link-refused' });
});

it('a worker makes items of pages by the rules of the job', async () => {
  const service = await coordinator();
  const fields = { name: 'h1', price: { css: '[itemprop=price]@content', type: 'number' } } as const;
  const { run } = await openShop(service, { extract: [{ pages: '/p/*', fields }] });
  const { service: far } = await worker(service.url);
  await far.start();
  const { items } = await run;
  const found: unknown[] = [];
  for await (const item of items) found.push(item);
  expect(found).toHaveLength(3);
  expect(found).toContainEqual({ url: `${site.origin}/p/saw`, name: 'Saw', price: 9 });
});

it('a coordinator that ends with its crawl says so, and a worker that waited for that ends well', async () => {
  const service = await coordinator();
  const { run } = await openShop(service);
  const words = ['worker', service.url, '--token-file', 'data/worker.token', '--until-done'];
  const world = fakeWorld(under, {}, words);
  const ended = runCli(words, world.context);
  const { service: staying } = await worker(service.url);
  await staying.start();
  await run;
  await service.stop();
  expect(await ended).toBe(0);
  expect(world.out()).toContain('every crawl is over');
  expect(world.out()).not.toContain('not connected');
  await expect.poll(() => staying.look().link.connected).toBe(false);
  expect(staying.look().link.lastError).toContain('every crawl is over');
});

it('a job may have the bodies on the disk of the coordinator', async () => {
  const service = await coordinator();
  const { run } = await openShop(service, { save: [{ warc: { at: 'coordinator' } }] });
  const { service: far, folder } = await worker(service.url);
  await far.start();
  const { balance, snapshot } = await run;
  expect([balance.done, snapshot.archive.files]).toEqual([7, 1]);
  await far.stop();
  expect(readdirSync(folder, { recursive: true }).filter((name) => String(name).includes('warc'))).toEqual(
    [],
  );

  const data = join(under, 'data');
  const [file = ''] = readdirSync(join(data, 'archive')).filter((name) => name.endsWith('.warc.gz'));
  expect(await validateWarc(join(data, 'archive', file))).toMatchObject({
    ok: true,
    types: { warcinfo: 1, response: 7, request: 7, metadata: 7 },
  });
  const index = (await readFile(join(data, 'archive', 'index.cdxj'), 'utf8')).trimEnd().split('\n');
  expect(index).toHaveLength(7);
  const reader = await readFolder(data);
  for await (const { url, saved } of reader.results.records(reader.crawl)) {
    expect(saved).toEqual([
      {
        saver: 'warc',
        file: `archive/${file}`,
        offset: expect.any(Number),
        length: expect.any(Number),
        member: service.id,
      },
    ]);
    const listed = [];
    for await (const one of listWarc(join(data, 'archive', file))) listed.push(one);
    expect(listed.find(({ offset }) => offset === saved?.[0]?.offset)).toMatchObject({
      type: 'response',
      url,
    });
  }
  await reader.close();
});

it.each(['worker', 'coordinator'] as const)(
  'with a worker of its own, it keeps the bodies of the %s in its own folder',
  async (at) => {
    const service = await coordinator(true);
    const { run } = await openShop(service, { save: [{ warc: { at } }] });
    expect((await run).balance.done).toBe(7);
    const index = await readFile(join(under, 'data', 'archive', 'index.cdxj'), 'utf8');
    expect(index).toContain('/p/hammer');
    expect(index.trimEnd().split('\n')).toHaveLength(7);
    await service.stop();
    const left = readdirSync(join(under, 'data'), { recursive: true }).filter((name) =>
      /warc\.gz/.test(String(name)),
    );
    expect(left).toHaveLength(1);
  },
);

it('with a worker of its own it goes on where it was stopped, and asks for nothing twice', async () => {
  const first = await coordinator(true);
  const { run } = await openShop(first, { politeness: { gap: '100ms' } });
  await expect.poll(() => site.asked.length).toBeGreaterThan(2);
  await run.stop();
  await first.stop();
  expect((await run).balance.queued).toBeGreaterThan(0);
  const second = await coordinator(true);
  expect((await (await openShop(second)).run).balance.done).toBe(7);
  const pages = site.asked.filter((path) => path !== '/robots.txt');
  expect(new Set(pages).size).toBe(pages.length);
});

it('a worker waits for a coordinator that is not there yet', async () => {
  const first = await coordinator();
  const { run } = await openShop(first, { limits: { pages: 1 } });
  const { url } = first;
  await run.stop();
  await first.stop();
  const { service: far } = await worker(url);
  const started = far.start();
  await expect.poll(() => far.look().link.attempts).toBeGreaterThan(0);
  const second = await coordinator(false, url.replace('http://', ''));
  const { run: again } = await openShop(second);
  await started;
  expect((await again).balance.done).toBe(7);
});

it('a coordinator that fails once its crawl is open leaves nothing running', async () => {
  const service = await coordinator();
  const card = join(under, 'data', 'coordinator.json');
  rmSync(card);
  mkdirSync(join(card, 'in the way'), { recursive: true });
  await expect(openShop(service)).rejects.toThrow('coordinator.json');
  await service.stop();
  rmSync(card, { recursive: true });
  // The folder is free again: whoever looks after it types the command again.
  const { run } = await openShop(await coordinator());
  expect((await run.snapshot()).state).toBe('running');
});

it('a wrong token is refused at once, and says where the right one is', async () => {
  const service = await coordinator();
  const { run } = await openShop(service);
  const { service: stranger } = await worker(service.url, 'x'.repeat(43));
  await expect(stranger.start()).rejects.toMatchObject({
    code: 'link-refused',
    next: expect.stringContaining('worker.token'),
  });
  await expect(stranger.ended).rejects.toMatchObject({ code: 'link-refused' });
  await run.stop();
});

it('asked to stop, a coordinator lets its workers finish, and nothing is left in flight', async () => {
  const service = await coordinator();
  const { run } = await openShop(service, { politeness: { gap: '200ms' } });
  const { service: far } = await worker(service.url);
  await far.start();
  await expect.poll(() => site.asked.length).toBeGreaterThan(1);
  await run.stop();
  const { balance, state } = await run;
  expect([state, balance.leased]).toEqual(['stopped', 0]);
});

it('takes turns on a host with the other crawls of the machine', async () => {
  const ledger = join(under, 'state', 'hosts.db');
  const other = openHostLedger({ path: ledger, clock: machineClock() });
  const [owner, host] = ['another crawl' as never, '127.0.0.1' as HostKey];
  other.claim(owner, host, { team: 'default', gapMs: 10, holdMs: 600_000 });
  const { run } = await openShop(await coordinator(true), {}, { ledger });
  await expect.poll(async () => (await run.snapshot()).waiting[0]?.why).toBe('other-crawl');
  expect(site.asked).toEqual([]);
  other.release(owner, [{ host, restMs: 0, why: 'gap', endedAgoMs: 0 }]);
  expect((await run).state).toBe('finished');
  other.close();
});
