import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { WorkerId } from '@webfarer/protocol';
import { type LinkCrawl, sendOrders } from '@webfarer/protocol/link';
import { afterEach, expect, it } from 'vitest';
import { redisForFile } from '../../../test/redis/for-file.ts';
import type { CatalogEntry } from './catalog/catalog.ts';
import { openParts } from './coordinator.ts';
import type { CoordinatorParts } from './coordinator-parts.ts';

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
