import { type CrawlId, WebfarerError } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Catalog, CatalogEntry, EntryState } from '../catalog/catalog.ts';
import { markDeleted } from '../catalog/deletion.ts';
import { openSqliteCatalog } from '../catalog/sqlite-catalog.ts';
import { testClock } from '../frontier/suite/clock.fixture.ts';
import type { AuditEntry } from '../registry/registry.ts';
import { createRetirer, deletedAtMs } from './retirer.ts';

const day = 86_400_000;
const id = (name: string) => name as CrawlId;
let catalog: Catalog;
let deleted: string[];
let stuck: string[];
let notes: AuditEntry[];
let ended: string[];
let meanwhile: (entry: CatalogEntry) => Promise<unknown>;
let ending: () => Promise<unknown>;
let clock: ReturnType<typeof testClock>;
/** At the registry. */
let registryMs: () => number;

beforeEach(() => {
  catalog = openSqliteCatalog(':memory:');
  clock = testClock();
  registryMs = clock.now;
  deleted = [];
  stuck = [];
  notes = [];
  ended = [];
  meanwhile = ending = () => Promise.resolve();
});
afterEach(() => catalog.close());

async function create(name: string, wanted: EntryState, retention?: object): Promise<void> {
  await catalog.create({
    id: id(name),
    name,
    nonce: `nonce of ${name}`,
    createdAtMs: clock.now(),
    job: { name, seeds: ['https://a.test/'], team: 'press', ...(retention ? { retention } : {}) },
    seeds: [],
    tags: [],
    wanted,
    durability: 'strict',
    ownCode: false,
  });
}

/** What one look at the catalog does. */
async function look(): Promise<void> {
  const looked = Promise.withResolvers<void>();
  const once = { ...clock, sleep: () => (looked.resolve(), new Promise<void>(() => {})) };
  const retirer = createRetirer({
    clock: { ...once, now: clock.now },
    catalog: () => catalog,
    registry: {
      note: (entry) => Promise.resolve(void notes.push(entry)),
      changes: async () => ({ generation: '', complete: true, changed: [], nowMs: registryMs() }),
    },
    own: () => ({
      async retire(entry) {
        await meanwhile(entry);
        const marked = await markDeleted(catalog, entry, { objects: false, version: entry.version });
        if (!marked) return false;
        deleted.push(entry.name);
        await catalog.remove(entry.nonce);
        return true;
      },
      async endDeletion(entry) {
        ended.push(entry.name);
        await ending();
        await catalog.remove(entry.nonce);
      },
    }),
    stuck: ({ name }, error) => stuck.push(`${name}: ${(error as Error).message}`),
    failed: (error) => looked.reject(error),
  });
  retirer.start();
  await looked.promise;
}

it('deletes a crawl when its time after the end is over, and notes who did it', async () => {
  await create('old', 'finished', { keep: '90d' });
  await create('kept', 'finished');
  await look();
  clock.advance(89 * day);
  await look();
  expect(deleted).toEqual([]);
  const [entry] = (await catalog.list({ after: '', limit: 1, states: [], tags: [] })).entries;
  expect(entry && deletedAtMs(entry)).toBe(clock.now() + day);
  clock.advance(day);
  await look();
  expect(deleted).toEqual(['old']);
  expect(notes).toMatchObject([{ who: 'retention', team: 'press', action: 'deleteCrawl', what: 'old' }]);
  clock.advance(1_000 * day);
  await look();
  expect(deleted).toEqual(['old']);
});

it('goes by the time at the registry, whatever the clock of this coordinator says', async () => {
  const atMs = clock.now();
  registryMs = () => atMs;
  await create('old', 'finished', { keep: '1d' });
  clock.advance(400 * day);
  await look();
  clock.advance(400 * day);
  await look();
  expect(deleted).toEqual([]);
  const [entry] = (await catalog.list({ after: '', limit: 1, states: [], tags: [] })).entries;
  expect(entry?.overAtMs).toBe(atMs);
  registryMs = () => atMs + day;
  await look();
  expect(deleted).toEqual(['old']);
});

it('reports a crawl that cannot be deleted, and deletes the others', async () => {
  await create('bad', 'finished', { keep: '1d' });
  await create('good', 'finished', { keep: '1d' });
  await look();
  clock.advance(day);
  meanwhile = ({ name }) => (name === 'bad' ? Promise.reject(new Error('not permitted')) : Promise.resolve());
  await look();
  expect([deleted, stuck]).toEqual([['good'], ['bad: not permitted']]);
  meanwhile = () => Promise.resolve();
  await look();
  expect(deleted).toEqual(['good', 'bad']);
});

it('leaves crawls alone that run or are paused, and begins anew after a crawl was resumed', async () => {
  await create('runs', 'running', { keep: '1d' });
  await create('paused', 'paused', { keep: '1d' });
  await create('again', 'stopped', { keep: '2d' });
  await look();
  clock.advance(day);
  const over = await catalog.get(id('again'));
  await catalog.change(id('again'), over?.version ?? 0, { wanted: 'running' });
  clock.advance(5 * day);
  await look();
  expect(deleted).toEqual([]);
  const running = await catalog.get(id('again'));
  expect(running?.overAtMs).toBeUndefined();
  await catalog.change(id('again'), running?.version ?? 0, { wanted: 'finished' });
  await look();
  clock.advance(2 * day - 1);
  await look();
  expect(deleted).toEqual([]);
  clock.advance(1);
  await look();
  expect(deleted).toEqual(['again']);
});

it('leaves a crawl alone that is resumed at the moment in which it is judged', async () => {
  await create('resumed', 'finished', { keep: '1d' });
  await look();
  clock.advance(day);
  meanwhile = ({ id: crawl, version }) => catalog.change(crawl, version, { wanted: 'running' });
  await look();
  expect([deleted, notes]).toEqual([[], []]);
  expect(await catalog.find('resumed')).toMatchObject({ wanted: 'running' });
});

it('ends deletions that were cut off before the objects were gone, and tries again where it cannot', async () => {
  await create('cut off', 'finished');
  await create('erased', 'finished');
  const [first, second] = [await catalog.find('cut off'), await catalog.find('erased')];
  await markDeleted(catalog, first!, { objects: true, version: undefined });
  await markDeleted(catalog, second!);
  ending = () => Promise.reject(new WebfarerError('incomplete', 'access is denied'));
  await look();
  ending = () => Promise.resolve();
  await look();
  await look();
  expect([ended, stuck]).toEqual([['cut off', 'cut off'], ['cut off: access is denied']]);
});
