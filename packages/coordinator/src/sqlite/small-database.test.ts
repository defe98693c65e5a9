import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openSmallDatabase } from './small-database.ts';

const folder = mkdtempSync(join(tmpdir(), 'webfarer-small-database-'));
afterAll(() => rmSync(folder, { recursive: true }));

const open = (name: string, version = 1) =>
  openSmallDatabase({
    path: join(folder, name),
    what: 'catalog',
    version,
    create: (db) => db.exec('CREATE TABLE words (word TEXT UNIQUE)'),
  });

it('makes its tables once, and undoes a transaction that fails', async () => {
  const one = open('words.db');
  await one.transaction(() => one.run('INSERT INTO words VALUES (?)', 'first'));
  const other = open('words.db');
  const failing = other.transaction(() => {
    other.run('INSERT INTO words VALUES (?)', 'second');
    other.run('INSERT INTO words VALUES (?)', 'first');
  });
  await expect(failing).rejects.toThrow('UNIQUE');
  expect(one.many('SELECT word FROM words')).toMatchObject([{ word: 'first' }]);
  await one.close();
  await other.close();
});

it('refuses a file of a later version', async () => {
  await open('later.db', 99).close();
  expect(() => open('later.db')).toThrow('is a catalog of version 99');
});

it('says that a file is damaged', () => {
  writeFileSync(join(folder, 'damaged.db'), 'no database, but long enough to be taken for one'.repeat(100));
  expect(() => open('damaged.db')).toThrow('damaged.db is damaged');
});

it('makes files that only their owner can read', async () => {
  const file = open('private.db');
  await file.transaction(() => file.run('INSERT INTO words VALUES (?)', 'secret'));
  for (const suffix of ['', '-wal', '-shm'])
    expect(statSync(join(folder, `private.db${suffix}`)).mode & 0o077).toBe(0);
  await file.close();
});
