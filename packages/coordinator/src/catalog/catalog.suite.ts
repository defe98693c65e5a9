import type { CrawlId } from '@webfarer/protocol';
import { describe, expect, it } from 'vitest';
import type { Catalog, CatalogEntry, CatalogQuery, NewEntry } from './catalog.ts';
import { noEdits } from './entry-edits.ts';

export interface CatalogWorld {
  name: string;
  /** The catalogs of several processes, on one new and empty store. */
  open(processes: number): Promise<Catalog[]>;
  /** How many crawls the tests of size create. */
  many: number;
}

export function newEntry(id: string, more: Partial<NewEntry> = {}): NewEntry {
  return {
    id: id as CrawlId,
    name: id,
    nonce: `nonce-of-${id}`,
    createdAtMs: 1_700_000_000_000,
    job: { seeds: [`http://${id}.test/`], tags: [], limits: {} },
    seeds: [`http://${id}.test/`],
    tags: [],
    wanted: 'running',
    durability: 'strict',
    ownCode: false,
    ...more,
  };
}

const ids = (entries: readonly CatalogEntry[]) => entries.map(({ id }) => id);
const first: CatalogQuery = { after: '', limit: 100, states: [], tags: [] };

async function pages(catalog: Catalog, query: Partial<CatalogQuery>): Promise<CatalogEntry[][]> {
  const found: CatalogEntry[][] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page = await catalog.list({ ...first, ...query, after });
    found.push(page.entries);
    after = page.next;
  }
  return found;
}

async function created(catalog: Catalog, id: string, more: Partial<NewEntry> = {}): Promise<CatalogEntry> {
  const answer = await catalog.create(newEntry(id, more));
  expect(answer.created).toBe(true);
  return answer.entry;
}

async function deleted(catalog: Catalog, id: string): Promise<CatalogEntry> {
  const { version } = (await catalog.get(id as CrawlId)) as CatalogEntry;
  const answer = await catalog.change(id as CrawlId, version, { wanted: 'deleted' });
  if (answer.kind !== 'changed') throw new Error(answer.kind);
  return answer.entry;
}

/** What every catalog must do. */
export function catalogSuite({ name, open, many }: CatalogWorld): void {
  describe(`catalog: ${name}`, () => {
    it('keeps what it was given, for every process', async () => {
      const [a, b] = (await open(2)) as [Catalog, Catalog];
      const given = newEntry('x', {
        tags: ['shop', 'größe: "l"'],
        ownCode: true,
        job: { empty: [], of: {} },
      });
      const { entry } = await a.create(given);
      expect(entry).toEqual({ ...given, version: entry.version, edits: noEdits });
      expect(await b.get('x' as CrawlId)).toEqual(entry);
      expect(await b.find('x')).toEqual(entry);
      expect(await b.get('y' as CrawlId)).toBeUndefined();
    });

    it('gives a name to the first that creates it', async () => {
      const catalogs = await open(4);
      const answers = await Promise.all(
        catalogs.map((catalog, n) =>
          catalog.create(newEntry('x', { nonce: `n${n}`, seeds: [`http://${n}/`] })),
        ),
      );
      const winners = answers.filter((answer) => answer.created);
      expect(winners).toHaveLength(1);
      for (const { entry } of answers) expect(entry).toEqual(winners[0]?.entry);
    });

    it('refuses an id or a name that is taken', async () => {
      const [a] = (await open(1)) as [Catalog];
      const entry = await created(a, 'x', { name: 'shop' });
      expect(await a.create(newEntry('y', { name: 'shop' }))).toEqual({ created: false, entry });
      expect(await a.create(newEntry('x', { nonce: 'other' }))).toEqual({ created: false, entry });
      expect(await pages(a, {})).toEqual([[entry]]);
    });

    it('changes an entry by its version, and no version comes twice', async () => {
      const [a, b] = (await open(2)) as [Catalog, Catalog];
      const { id, version } = await created(a, 'x');
      const answer = await a.change(id, version, { wanted: 'paused', tags: ['t'] });
      const entry = await b.get(id);
      expect(answer).toEqual({ kind: 'changed', entry });
      expect(entry).toMatchObject({ wanted: 'paused', tags: ['t'], name: 'x' });
      expect(entry?.version).toBeGreaterThan(version);
      expect(await b.change(id, version, { wanted: 'stopped' })).toEqual({ kind: 'stale', entry });
      expect(await b.change('y' as CrawlId, version, { wanted: 'stopped' })).toEqual({ kind: 'gone' });
    });

    it('lets one of several changes of a version win', async () => {
      const catalogs = await open(4);
      const { id, version } = await created(catalogs[0] as Catalog, 'x');
      const answers = await Promise.all(
        catalogs.map((catalog, n) => catalog.change(id, version, { tags: [`t${n}`] })),
      );
      expect(answers.map(({ kind }) => kind).toSorted()).toEqual(['changed', 'stale', 'stale', 'stale']);
    });

    it('frees id and name with the deletion, and tells the deleted one by its nonce', async () => {
      const [a, b] = (await open(2)) as [Catalog, Catalog];
      const old = await created(a, 'x', { nonce: 'old', tags: ['t'] });
      const gone = await deleted(a, 'x');
      expect(await b.get(old.id)).toBeUndefined();
      expect(await b.find('x')).toBeUndefined();
      expect(await b.change(old.id, gone.version, { wanted: 'running' })).toEqual({ kind: 'gone' });
      const young = await created(b, 'x', { nonce: 'young' });
      expect(await b.change(old.id, old.version, { wanted: 'paused' })).toMatchObject({ kind: 'stale' });
      expect(await pages(a, { states: ['deleted'] })).toEqual([[gone]]);
      expect(await pages(a, { tags: ['t'] })).toEqual([[gone]]);
      await b.remove('young');
      expect(await a.wasRemoved('old')).toBe(false);
      await b.remove('old');
      await b.remove('old');
      expect(await a.wasRemoved('old')).toBe(true);
      expect(await a.wasRemoved('young')).toBe(false);
      expect(await pages(a, {})).toEqual([[young]]);
      expect(await a.get(old.id)).toEqual(young);
    });

    it('does not create a deleted crawl again', async () => {
      const [a, b] = (await open(2)) as [Catalog, Catalog];
      const again = newEntry('x', { nonce: 'once' });
      await created(a, 'x', { nonce: 'once' });
      const gone = await deleted(b, 'x');
      expect(await a.create(again)).toEqual({ created: false, entry: gone });
      await created(b, 'x', { nonce: 'other' });
      expect(await a.create(again)).toEqual({ created: false, entry: gone });
      await b.remove('once');
      expect(await a.create(again)).toEqual({
        created: false,
        entry: { ...again, wanted: 'deleted', version: 0, edits: noEdits },
      });
      expect((await pages(a, {})).flat()).toMatchObject([{ nonce: 'other' }]);
    });

    it('lists by state and tag, page by page', async () => {
      const [a] = (await open(1)) as [Catalog];
      const names = Array.from({ length: 12 }, (_, n) => `c${n}`);
      for (const [n, id] of names.entries())
        await created(a, id, {
          wanted: n % 3 === 0 ? 'paused' : 'running',
          tags: [n % 2 === 0 ? 'even' : 'odd', ...(n > 5 ? ['late'] : [])],
        });
      expect((await pages(a, { limit: 5 })).map(ids)).toEqual([
        names.slice(0, 5),
        names.slice(5, 10),
        names.slice(10),
      ]);
      expect(ids((await pages(a, { limit: 3, states: ['paused'] })).flat())).toEqual([
        'c0',
        'c3',
        'c6',
        'c9',
      ]);
      expect(ids((await pages(a, { limit: 3, states: ['running', 'paused'] })).flat())).toEqual(names);
      expect(ids((await pages(a, { limit: 1, tags: ['late', 'even'] })).flat())).toEqual(['c6', 'c8', 'c10']);
      expect(ids((await pages(a, { tags: ['odd'], states: ['paused'] })).flat())).toEqual(['c3', 'c9']);
      expect(await a.list({ ...first, tags: ['none'] })).toEqual({ entries: [], next: undefined });
      await expect(a.list({ ...first, after: 'nonsense!' })).rejects.toThrow('list cursor');
      await expect(a.create(newEntry('bad', { tags: ['a\nb'] }))).rejects.toThrow('invalid tag');
    });

    it('misses and repeats nothing while entries change between pages', async () => {
      const [a, b] = (await open(2)) as [Catalog, Catalog];
      for (let n = 0; n < 10; n++) await created(a, `c${n}`);
      const one = await a.list({ ...first, limit: 4, states: ['running'] });
      await b.change('c1' as CrawlId, one.entries[1]?.version ?? 0, { tags: ['later'] });
      await deleted(b, 'c3');
      await deleted(b, 'c7');
      await created(b, 'c10');
      const two = await a.list({ ...first, limit: 100, states: ['running'], after: one.next ?? '' });
      expect(ids(one.entries)).toEqual(['c0', 'c1', 'c2', 'c3']);
      expect(ids(two.entries)).toEqual(['c4', 'c5', 'c6', 'c8', 'c9', 'c10']);
    });

    it('tells what changed since it was asked', async () => {
      const [a, b] = (await open(2)) as [Catalog, Catalog];
      const start = await a.changes('');
      expect(start).toMatchObject({ complete: false, changed: [] });
      const x = await created(b, 'x');
      const y = await created(b, 'y');
      const news = await a.changes(start.generation);
      expect(news).toMatchObject({ complete: true, changed: [x, y] });
      expect(await a.changes(news.generation)).toEqual({ ...news, changed: [] });
      const gone = await deleted(b, 'x');
      const seen = await a.changes(news.generation);
      expect(seen).toMatchObject({ complete: true, changed: [gone] });
      await b.remove(x.nonce);
      expect(await a.changes(seen.generation)).toMatchObject({ complete: true, changed: [] });
      expect(await a.changes(news.generation)).toMatchObject({ complete: false, changed: [] });
      expect(await a.changes('of another store 5')).toMatchObject({ complete: false });
    });

    it(`carries ${many.toLocaleString('en')} crawls`, { timeout: 120_000 }, async () => {
      const [a] = (await open(1)) as [Catalog];
      const { generation } = await a.changes('');
      for (let from = 0; from < many; from += 250)
        await Promise.all(
          Array.from({ length: 250 }, (_, n) => {
            const wanted = (from + n) % 50 === 0 ? 'running' : 'stopped';
            return created(a, `c${from + n}`, { wanted, tags: [`t${(from + n) % 100}`, 'all'] });
          }),
        );
      expect(await a.get(`c${many - 1}` as CrawlId)).toMatchObject({ wanted: 'stopped' });
      const running = await pages(a, { states: ['running'], limit: 50 });
      expect(running.length).toBe(many / 50 / 50);
      expect(new Set(ids(running.flat())).size).toBe(many / 50);
      const seldom = (await pages(a, { tags: ['all', 't50'], states: ['running'] })).flat();
      expect(seldom).toHaveLength(many / 100);
      expect(new Set(ids((await pages(a, { limit: 1_000 })).flat())).size).toBe(many);
      expect(await a.changes(generation)).toMatchObject({ complete: false });
    });
  });
}
