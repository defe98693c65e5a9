import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrawlId } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Catalog, type EntryState, entryStates } from '../catalog/catalog.ts';
import { openSqliteCatalog } from '../catalog/sqlite-catalog.ts';
import { catalogList, ofTeam } from './lists.ts';

let folder: string;
let catalog: Catalog;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-lists-'));
  catalog = openSqliteCatalog(join(folder, 'catalog.db'));
});
afterEach(async () => {
  await catalog.close();
  rmSync(folder, { recursive: true });
});

async function create(name: string, team?: string): Promise<void> {
  await catalog.create({
    id: name as CrawlId,
    name,
    nonce: `${name}-${Math.random()}`,
    createdAtMs: 1,
    job: team === undefined ? {} : { team, password: 'secret' },
    seeds: [],
    tags: [],
    wanted: 'running',
    durability: 'strict',
    ownCode: false,
  });
}
async function change(name: string, wanted: EntryState): Promise<void> {
  const entry = await catalog.get(name as CrawlId);
  await catalog.change(name as CrawlId, entry?.version ?? 0, { wanted });
}

it('lists crawls without their jobs, and reads only what changed', async () => {
  let lists = 0;
  const read = catalogList(() => ({
    ...catalog,
    list(query) {
      lists++;
      return catalog.list(query);
    },
  }));
  await create('a');
  await create('b', 'red');
  const first = await read();
  expect([...first.keys()]).toEqual(['a', 'b']);
  expect(JSON.stringify([...first])).not.toContain('secret');
  await create('c');
  await change('a', 'paused');
  await change('b', 'deleted');
  const second = await read();
  expect([...second].map(([id, value]) => [id, (value as { wanted: string }).wanted])).toEqual([
    ['a', 'paused'],
    ['c', 'running'],
  ]);
  // What was read before stays as it was.
  expect([...first.keys()]).toEqual(['a', 'b']);
  await create('b');
  expect([...(await read()).keys()]).toEqual(['a', 'c', 'b']);
  expect(await read()).toBe(await read());
  expect(lists).toBe(1);
});

it('lists crawls in every state but deleted, also those that were over before the first look', async () => {
  for (const state of entryStates) {
    await create(state);
    await change(state, state);
  }
  expect([...(await catalogList(() => catalog)()).keys()]).toEqual(
    entryStates.filter((state) => state !== 'deleted'),
  );
});

it('shows a team its own', async () => {
  await create('ours', 'red');
  await create('theirs', 'blue');
  const all = await catalogList(() => catalog)();
  expect([...ofTeam(all, 'red').keys()]).toEqual(['ours']);
  expect(ofTeam(all, undefined).size).toBe(2);
});
