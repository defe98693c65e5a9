import type { CrawlId } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Catalog, EntryState } from '../catalog/catalog.ts';
import { openSqliteCatalog } from '../catalog/sqlite-catalog.ts';
import { testClock } from '../frontier/suite/clock.fixture.ts';
import type { AuditEntry } from '../registry/registry.ts';
import { createRetirer, deletedAtMs } from './retirer.ts';

const day = 86_400_000;
const id = (name: string) => name as CrawlId;
let catalog: Catalog;
let deleted: string[];
let notes: AuditEntry[];
let clock: ReturnType<typeof testClock>;

beforeEach(() => {
  catalog = openSqliteCatalog(':memory:');
  clock = testClock();
  deleted = [];
  notes = [];
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
    registry: { note: (entry) => Promise.resolve(void notes.push(entry)) },
    async delete(name) {
      const entry = await catalog.find(name);
      if (!entry) return false;
      deleted.push(name);
      await catalog.change(entry.id, entry.version, { wanted: 'deleted' });
      await catalog.remove(entry.nonce);
      return true;
    },
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
