import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrawlId } from '@webfarer/protocol';
import { afterAll, expect, it } from 'vitest';
import { sqlite } from '../sqlite/node-sqlite.ts';
import type { Catalog } from './catalog.ts';
import { catalogSuite } from './catalog.suite.ts';
import { openSqliteCatalog } from './sqlite-catalog.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-catalog-'));
const catalogs: Catalog[] = [];
let files = 0;

afterAll(async () => {
  for (const catalog of catalogs) await catalog.close();
  rmSync(folder, { recursive: true });
});

catalogSuite({
  name: 'SQLite',
  many: 2_500,
  async open(processes) {
    const path = join(folder, `${files++}.db`);
    const opened = Array.from({ length: processes }, () => openSqliteCatalog(path));
    catalogs.push(...opened);
    return opened;
  },
});

it('lists a damaged entry beside the others, changes it and removes it', async () => {
  const path = join(folder, `${files++}.db`);
  const catalog = openSqliteCatalog(path);
  catalogs.push(catalog);
  const entry = { createdAtMs: 1, job: { seeds: ['https://a.test/'] }, seeds: ['https://a.test/'], tags: [] };
  const rest = { wanted: 'running', durability: 'strict', ownCode: false } as const;
  for (const name of ['torn', 'whole'])
    await catalog.create({ ...entry, ...rest, id: name as CrawlId, name, nonce: `nonce-${name}` });
  const db = new (sqlite().DatabaseSync)(path);
  db.exec(`UPDATE crawls SET text = '{"job": ' WHERE name = 'torn'`);
  db.close();
  const { entries } = await catalog.list({ after: '', limit: 10, states: [], tags: [] });
  expect(entries).toMatchObject([
    { name: 'torn', damaged: true, job: {}, seeds: [] },
    { name: 'whole', job: entry.job },
  ]);
  expect(entries[1]).not.toHaveProperty('damaged');
  const [torn] = entries;
  expect(await catalog.change(torn?.id as CrawlId, torn?.version ?? 0, { wanted: 'stopped' })).toMatchObject({
    kind: 'changed',
    entry: { wanted: 'stopped', damaged: true },
  });
  // What is written of it anew says so too.
  expect(await catalog.find('torn')).toMatchObject({ damaged: true });
});
