import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterAll, expect, it } from 'vitest';
import { sqlite } from '../sqlite/node-sqlite.ts';
import type { Registry } from './registry.ts';
import { keptHere, registrySuite } from './registry.suite.ts';
import { openSqliteRegistry } from './sqlite-registry.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-registry-'));
const clock = systemClock();
const registries: Registry[] = [];
let files = 0;

afterAll(async () => {
  for (const registry of registries) await registry.close();
  rmSync(folder, { recursive: true });
});

function open(path: string): Registry {
  const registry = openSqliteRegistry({ path, clock, kept: keptHere });
  registries.push(registry);
  return registry;
}

const newPath = () => join(folder, `${files++}.db`);

registrySuite({
  name: 'SQLite',
  many: 10_000,
  async open(processes) {
    const path = newPath();
    return Array.from({ length: processes }, () => open(path));
  },
  async openFilled(teams) {
    const path = newPath();
    const registry = open(path);
    const db = new (sqlite().DatabaseSync)(path);
    // One transaction: ten thousand would wait for the disk ten thousand times.
    db.prepare(
      `WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
       INSERT INTO docs SELECT 'team', 't' || i, i + 1, 0, '{}' FROM n`,
    ).run(teams);
    db.close();
    return registry;
  },
  async openRestorable() {
    const path = newPath();
    const copy = `${path}.copy`;
    let registry = open(path);
    return {
      registry: () => registry,
      async save() {
        await registry.close();
        cpSync(path, copy);
        registry = open(path);
      },
      async restore() {
        await registry.close();
        for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
        cpSync(copy, path);
        registry = open(path);
      },
    };
  },
});

it('has the time of the wall clock after the machine was suspended', async () => {
  const wall = () => clock.now() + 8 * 3_600_000;
  const registry = openSqliteRegistry({ path: newPath(), clock: { wall } });
  registries.push(registry);
  expect((await registry.changes('')).nowMs).toBeGreaterThan(clock.now() + 7 * 3_600_000);
});

it('lists a damaged schedule as one without fields, and removes it', async () => {
  const path = newPath();
  const registry = open(path);
  for (const id of ['torn', 'whole']) await registry.put('schedule', id, 0, { schedule: id });
  const db = new (sqlite().DatabaseSync)(path);
  db.exec(`UPDATE docs SET text = '{"schedule": ' WHERE id = 'torn'`);
  db.close();
  const { docs } = await registry.list('schedule', { after: '', limit: 10 });
  expect(docs.map(({ id, value }) => [id, value])).toEqual([
    ['torn', {}],
    ['whole', { schedule: 'whole' }],
  ]);
  expect(await registry.remove('schedule', 'torn', docs[0]?.version ?? 0)).toMatchObject({ kind: 'changed' });
});

it('refuses a damaged rule, which may forbid something', async () => {
  const path = newPath();
  const registry = open(path);
  await registry.put('opt-out', '*.torn.test', 0, { reason: 'asked' });
  const db = new (sqlite().DatabaseSync)(path);
  db.exec(`UPDATE docs SET text = '{"reason": '`);
  db.close();
  await expect(registry.list('opt-out', { after: '', limit: 10 })).rejects.toThrow();
});
