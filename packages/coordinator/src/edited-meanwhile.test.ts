import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { WebfarerError, type WorkerId } from '@webfarer/protocol';
import { type LinkCrawl, sendOrders } from '@webfarer/protocol/link';
import { afterEach, expect, it } from 'vitest';
import { redisForFile } from '../../../test/redis/for-file.ts';
import type { CatalogEntry } from './catalog/catalog.ts';
import { openParts } from './coordinator.ts';
import type { CoordinatorParts } from './coordinator-parts.ts';
import type { RunningCrawl } from './crawl/running-crawl.ts';
import { type Manifest, readManifest, writeManifest } from './folder/manifest.ts';

/** A coordinator that takes up a crawl has read the catalog some time before: an edit that came since stays. */
const servers = redisForFile({ settings: { appendonly: 'no' } });
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

const name = 'edited';
const jobWith = (limits: object) => ({
  name,
  seeds: ['http://127.0.0.1:9/'],
  contact: 'mailto:a@b.test',
  fetch: { allowPrivate: ['127.0.0.0/8'] },
  limits: { minFree: '1MB', ...limits },
});

async function coordinatorIn(folder: string, url?: string): Promise<CoordinatorParts> {
  const store =
    url === undefined ? {} : { store: { url, durability: 'available', insecure: false } as const };
  const coordinator = await openParts({ folder, version: '0', id: folder, ...store }, undefined);
  ends.push(() => coordinator.stop({ now: true }));
  return coordinator;
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-edited-'));
  ends.push(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

async function entryIn(coordinator: CoordinatorParts): Promise<CatalogEntry> {
  const entry = await coordinator.catalog().find(name);
  if (!entry) throw new Error('it is in the catalog');
  return entry;
}

async function expectEdited(taker: CoordinatorParts): Promise<void> {
  const entry = await entryIn(taker);
  expect(entry.job).toMatchObject({ limits: { pages: 30 } });
  // As it would hear of the edit from the catalog.
  await taker.takeUp(entry);
  expect(taker.crawl(name)?.job.limits.pages).toBe(30);
  expect(entry.edits.kept).toHaveLength(1);
}

it('in a store, at another coordinator', async () => {
  const { url } = await servers();
  const [a, b] = [await coordinatorIn(newFolder(), url), await coordinatorIn(newFolder(), url)];
  const { crawl } = await a.create({ input: jobWith({}), baseFolder: tmpdir() });
  const before = await entryIn(b);
  await crawl.edit({ input: jobWith({ pages: 30 }) });
  await b.takeUp(before);
  await expectEdited(b);
});

it('in the folder of one coordinator', async () => {
  const coordinator = await coordinatorIn(newFolder());
  const { crawl } = await coordinator.create({ input: jobWith({}), baseFolder: tmpdir() });
  await crawl.stop();
  const before = await entryIn(coordinator);
  await coordinator.edit(name, { input: jobWith({ pages: 30 }) });
  const { id, version } = await entryIn(coordinator);
  await coordinator.catalog().change(id, version, { wanted: 'running' });
  await coordinator.takeUp({ ...before, wanted: 'running' });
  await expectEdited(coordinator);
});

it('keeps credentials, which no job that is written down has', async () => {
  const coordinator = await coordinatorIn(newFolder());
  const input = { ...jobWith({}), seeds: ['http://me:secret@127.0.0.1:9/'] };
  const { crawl } = await coordinator.create({ input, baseFolder: tmpdir() });
  const own = { origin: 'http://127.0.0.1:9', user: 'me', password: 'secret' };
  expect(crawl.job.fetch.credentials).toEqual([own]);
  await crawl.edit({ input: jobWith({ pages: 30 }) });
  expect(crawl.job).toMatchObject({ limits: { pages: 30 }, fetch: { credentials: [own] } });
});

it('names a key anew when it changes, and gives away nothing by which it could be guessed', async () => {
  const coordinator = await coordinatorIn(newFolder());
  let told: readonly LinkCrawl[] = [];
  const orders = sendOrders((order) => {
    if (order.type === 'crawls') told = order.crawls;
  });
  const { leave } = coordinator.connect({
    id: 'w' as WorkerId,
    connections: 1,
    orders,
    look: () => ({ inFlight: 0, waiting: [], written: [] }),
    isToldAsLeased: false,
    keeps: () => [],
    closeCrawl: () => Promise.resolve(),
  });
  ends.push(leave);
  const withKey = (value: string, limits = {}) => {
    const { fetch, ...rest } = jobWith(limits);
    return { ...rest, fetch: { ...fetch, headers: { 'X-Key': value } } };
  };
  const { crawl } = await coordinator.create({ input: withKey('first'), baseFolder: tmpdir() });
  const about = () => told.find(({ id }) => id === crawl.id) as LinkCrawl;
  const first = about();
  expect(first.secrets).toBeDefined();
  await crawl.edit({ input: withKey('second') });
  const second = about();
  // What names the job is a digest of what every worker knows: it must not depend on the key.
  expect(second.revision).toBe(first.revision);
  expect(second.secrets).not.toBe(first.secrets);
  expect(second.job.fetch.headers).toEqual([['X-Key', 'second']]);
  await crawl.edit({ input: withKey('second', { pages: 30 }) });
  expect(about().revision).not.toBe(second.revision);
  expect(about().secrets).toBe(second.secrets);
  await expect(crawl.edit({ input: withKey('***') })).rejects.toThrow(/lacks the values of X-Key/);
});

it('an entry that was read before an order given here changes nothing', async () => {
  const coordinator = await coordinatorIn(newFolder());
  await coordinator.create({ input: jobWith({}), baseFolder: tmpdir() });
  const crawl = coordinator.crawl(name) as RunningCrawl;
  const before = await entryIn(coordinator);
  await crawl.pause();
  await crawl.followEntry({ ...before, wanted: 'stopped' });
  expect([crawl.state, crawl.ending]).toEqual(['paused', false]);
  await crawl.followEntry({ ...(await entryIn(coordinator)), wanted: 'stopped' });
  expect(crawl.ending).toBe(true);
});

it('an edit stays where an entry of before is followed after it', async () => {
  const coordinator = await coordinatorIn(newFolder());
  await coordinator.create({ input: jobWith({}), baseFolder: tmpdir() });
  const crawl = coordinator.crawl(name) as RunningCrawl;
  const before = await entryIn(coordinator);
  await crawl.edit({ input: jobWith({ pages: 30 }) });
  await crawl.followEntry(before);
  expect(crawl.job.limits.pages).toBe(30);
});

const [kept, gone] = ['http://127.0.0.1:9/', 'http://127.0.0.2:9/'];
const ofTwoHosts = { ...jobWith({}), seeds: [kept, gone] };

it('is taken up where a host was forgotten and the process died before the catalog had heard of it', async () => {
  const folder = newFolder();
  const coordinator = await coordinatorIn(folder);
  const { crawl } = await coordinator.create({ input: ofTwoHosts, baseFolder: tmpdir() });
  await crawl.stop();
  const limited = jobWith({ pages: 30 });
  await coordinator.edit(name, { input: { ...limited, seeds: [kept, gone] } });
  const at = join(folder, 'crawls', name);
  const manifest = (await readManifest(at)) as Manifest;
  await writeManifest(at, { ...manifest, seeds: [kept], job: { ...ofTwoHosts, seeds: [kept] } });
  await coordinator.resume(name);
  expect(coordinator.crawl(name)?.job.seeds).toHaveLength(1);
  expect(await entryIn(coordinator)).toMatchObject({ seeds: [kept], job: limited });
});

it('goes on at a coordinator that has not forgotten a host which another one has', async () => {
  const { url } = await servers();
  const [a, b] = [await coordinatorIn(newFolder(), url), await coordinatorIn(newFolder(), url)];
  await a.create({ input: { ...ofTwoHosts, name: 'forgetful' }, baseFolder: tmpdir() });
  const entry = async () => (await a.catalog().find('forgetful')) as CatalogEntry;
  const before = await entry();
  await b.takeUp(before);
  const left = { seeds: [kept], job: { ...(before.job as object), seeds: [kept] } };
  await a.catalog().change(before.id, (await entry()).version, left);
  const crawl = b.crawl('forgetful') as RunningCrawl;
  await crawl.followEntry(await entry());
  expect(crawl.job.seeds).toHaveLength(1);
  await crawl.stop();
  await b.resume('forgetful');
  expect(b.crawl('forgetful')?.state).toBe('running');
});

const wantedNow = async (coordinator: CoordinatorParts) => (await entryIn(coordinator)).wanted;

it('a crawl that was stopped meanwhile is not taken up by what was read of it before', async () => {
  const coordinator = await coordinatorIn(newFolder());
  const { crawl } = await coordinator.create({ input: jobWith({}), baseFolder: tmpdir() });
  const before = await entryIn(coordinator);
  expect(before.wanted).toBe('running');
  await crawl.stop();
  await coordinator.takeUp(before);
  expect([coordinator.crawl(name)?.state, await wantedNow(coordinator)]).toEqual(['stopped', 'stopped']);
});

it('a crawl that was paused meanwhile is taken up as paused, and stays so at the others', async () => {
  const { url } = await servers();
  const [a, b] = [await coordinatorIn(newFolder(), url), await coordinatorIn(newFolder(), url)];
  const { crawl } = await a.create({ input: { ...jobWith({}), name: 'rests' }, baseFolder: tmpdir() });
  const before = (await a.catalog().find('rests')) as CatalogEntry;
  await crawl.pause();
  await b.takeUp(before);
  expect(b.crawl('rests')?.state).toBe('paused');
  expect(await a.joined?.frontier.state(before.id)).toBe('paused');
});

it('a crawl that is stopped while it is resumed does not run, and the resume says so', async () => {
  const coordinator = await coordinatorIn(newFolder());
  const { crawl } = await coordinator.create({ input: jobWith({}), baseFolder: tmpdir() });
  await crawl.stop();
  const catalog = coordinator.catalog();
  const { create } = catalog;
  // Another order comes just before it is entered.
  catalog.create = async (entry) => {
    catalog.create = create;
    const { id, version } = await entryIn(coordinator);
    await catalog.change(id, version, { wanted: 'stopped' });
    return await create(entry);
  };
  const said = await coordinator.resume(name).then(
    () => 'resumed',
    ({ code }: { code?: string }) => code,
  );
  expect(said).toBe('conflict');
  expect([coordinator.crawl(name)?.state, await wantedNow(coordinator)]).toEqual(['stopped', 'stopped']);
  await coordinator.resume(name);
  expect(coordinator.crawl(name)?.state).toBe('running');
});

it('of a resume and a stop at the same time, the crawl does what the catalog says in the end', async () => {
  const coordinator = await coordinatorIn(newFolder());
  const { crawl } = await coordinator.create({ input: jobWith({}), baseFolder: tmpdir() });
  await crawl.stop();
  await Promise.allSettled([coordinator.resume(name), coordinator.stopCrawl(name)]);
  const isRunning = coordinator.crawl(name)?.state === 'running';
  expect(isRunning).toBe((await wantedNow(coordinator)) === 'running');
});

it('stops where another coordinator has stopped it, though this one refuses the job that came with that', async () => {
  const coordinator = await coordinatorIn(newFolder());
  await coordinator.create({ input: jobWith({}), baseFolder: tmpdir() });
  const crawl = coordinator.crawl(name) as RunningCrawl;
  const { id, version } = await entryIn(coordinator);
  const refused = { ...jobWith({}), scope: { exclude: [{ regex: '^(?!.*x)' }] } };
  await coordinator.catalog().change(id, version, { wanted: 'stopped', job: refused });
  await crawl.followEntry(await entryIn(coordinator)).catch(() => undefined);
  expect(crawl.ending).toBe(true);
});

it('runs again where it was resumed when its end was decided, and not written yet', async () => {
  const coordinator = await coordinatorIn(newFolder());
  const { crawl } = await coordinator.create({ input: jobWith({}), baseFolder: tmpdir() });
  const catalog = coordinator.catalog();
  const { change } = catalog;
  let wishes = 0;
  catalog.change = async (...given) => {
    const answer = await change(...given);
    // The second is that of the crawl itself.
    if (given[2].wanted === 'running' && ++wishes === 2)
      coordinator.events.publish({ type: 'crawl-state', crawl: crawl.id, name, state: 'limited' });
    return answer;
  };
  const resumed = await coordinator.resume(name);
  expect([resumed?.state, coordinator.crawl(name)?.state, await wantedNow(coordinator)]).toEqual([
    'running',
    'running',
    'running',
  ]);
  expect((coordinator.crawl(name) as RunningCrawl).ending).toBe(false);
});

it('can be created again where the store fell silent before it was entered there', async () => {
  const { url } = await servers();
  const coordinator = await coordinatorIn(newFolder(), url);
  const catalog = coordinator.catalog();
  const { create } = catalog;
  catalog.create = () => {
    catalog.create = create;
    return Promise.reject(new WebfarerError('store-silent', 'no answer'));
  };
  const asked = { input: { ...jobWith({}), name: 'again' }, baseFolder: tmpdir() };
  await expect(coordinator.create(asked)).rejects.toThrow('no answer');
  const { crawl } = await coordinator.create(asked);
  expect(crawl.state).toBe('running');
});
