import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { readFolderUse } from './folder-use.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-use-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('counts what a folder holds by what it is for, and does not follow links', async () => {
  const crawl = join(folder, 'crawls', 'shop');
  mkdirSync(crawl, { recursive: true });
  const write = (name: string, bytes: number) => writeFileSync(join(crawl, name), Buffer.alloc(bytes, 1));
  write('frontier.db', 100_000);
  write('frontier.db-wal', 50_000);
  write('pages-1.warc.gz', 200_000);
  write('items.ndjson', 30_000);
  writeFileSync(join(folder, 'events.jsonl'), Buffer.alloc(10_000, 1));
  writeFileSync(join(folder, 'coordinator.json'), '{}');
  symlinkSync(folder, join(crawl, 'around'));
  const use = await readFolderUse(folder);
  expect(use).toMatchObject({ path: folder, files: 6, isWhole: true });
  const { databases = 0, archives = 0, results = 0, logs = 0, other = 0 } = use.byUse;
  // Whole blocks of the disk.
  for (const [taken, least] of [
    [databases, 150_000],
    [archives, 200_000],
    [results, 30_000],
    [logs, 10_000],
    [other, 2],
  ] as const) {
    expect(taken).toBeGreaterThanOrEqual(least);
    expect(taken).toBeLessThan(least + 4 * 65_536);
  }
  expect(databases + archives + results + logs + other).toBe(use.bytes);
  expect(use.totalBytes).toBeGreaterThan(use.freeBytes);
});

it('says that it has not counted all where there are too many', async () => {
  for (let n = 0; n < 5; n++) writeFileSync(join(folder, `${n}`), 'x');
  expect(await readFolderUse(folder, 3)).toMatchObject({ files: 3, isWhole: false });
});
