import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Database, sqlite } from '../sqlite/node-sqlite.ts';
import { backupFolder } from './backup-folder.ts';

let home: string;
let folder: string;
let db: Database;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-backup-'));
  folder = join(home, 'shop.crawl');
  mkdirSync(join(folder, 'archive'), { recursive: true });
  mkdirSync(join(folder, 'segments'));
  writeFileSync(join(folder, 'crawl.json'), '{"format":1}');
  writeFileSync(join(folder, 'segments', 'a.jsonl'), '{}\n');
  writeFileSync(join(folder, 'archive', 'a.warc.gz'), 'body');
  writeFileSync(join(folder, 'lock.db'), '');
  db = new (sqlite().DatabaseSync)(join(folder, 'crawl.db'));
  db.exec('PRAGMA journal_mode = wal; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t (n INTEGER)');
  for (let n = 0; n < 100; n++) db.prepare('INSERT INTO t VALUES (?)').run(n);
});
afterEach(() => {
  db.close();
  rmSync(home, { recursive: true, force: true });
});

const options = (more: object = {}) => ({
  folder,
  to: join(home, 'copy'),
  withBodies: false,
  nowMs: 0,
  onFile: () => undefined,
  ...more,
});

function rowsIn(path: string): number {
  const copy = new (sqlite().DatabaseSync)(path, { readOnly: true });
  try {
    return (copy.prepare('SELECT count(*) AS n FROM t').get() as { n: number }).n;
  } finally {
    copy.close();
  }
}

it('is as closed to others as the folder', async () => {
  chmodSync(join(folder, 'crawl.db'), 0o600);
  await backupFolder(options());
  expect(statSync(join(home, 'copy', 'crawl.db')).mode & 0o777).toBe(0o600);
});

it('copies a database that is being written to as it is between two transactions', async () => {
  db.exec('BEGIN; INSERT INTO t VALUES (100)');
  const done = await backupFolder(options());
  db.exec('COMMIT');
  expect(rowsIn(join(home, 'copy', 'crawl.db'))).toBe(100);
  expect(done).toMatchObject({ files: 3, gone: [] });
  expect(readdirSync(join(home, 'copy')).toSorted()).toEqual([
    'backup.json',
    'crawl.db',
    'crawl.json',
    'segments',
  ]);
});

it('copies bodies when asked, and says of each other file what it was', async () => {
  await backupFolder(options({ withBodies: true }));
  expect(readFileSync(join(home, 'copy', 'archive', 'a.warc.gz'), 'utf8')).toBe('body');
  const { sums } = JSON.parse(readFileSync(join(home, 'copy', 'backup.json'), 'utf8')) as { sums: object };
  expect(Object.keys(sums)).toEqual(['crawl.db', 'crawl.json', 'segments/a.jsonl']);
});

it('leaves nothing that looks whole where it fails', async () => {
  writeFileSync(join(folder, 'spoilt.db'), 'no database');
  await expect(backupFolder(options())).rejects.toThrow('not a database');
  expect(existsSync(join(home, 'copy'))).toBe(false);
  rmSync(join(folder, 'spoilt.db'));
  await backupFolder(options());
  await expect(backupFolder(options())).rejects.toThrow('exists already');
});

it.each([
  ['a folder inside the one that is copied', () => ({ to: join(folder, 'copy') }), 'next backup'],
  ['a folder of something else', () => ({ folder: join(folder, 'archive') }), 'neither a crawl folder'],
  ['no folder', () => ({ folder: join(home, 'none') }), 'ENOENT'],
])('refuses %s', async (_, more, said) => {
  await expect(backupFolder(options(more()))).rejects.toThrow(said);
});
