import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findFolder, findFolderFor } from './folders.ts';
import { newestGeneration } from './generations.ts';

let cwd: string;
beforeEach(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'webfarer-generations-'));
});
afterEach(() => rm(cwd, { recursive: true, force: true }));

async function folder(name: string, previous?: string): Promise<void> {
  await mkdir(join(cwd, name));
  await writeFile(
    join(cwd, name, 'crawl.json'),
    JSON.stringify({ format: 1, ...(previous ? { previous: { folder: previous } } : {}) }),
  );
}

test('the newest of a family is meant, whichever way it is asked for', async () => {
  await folder('example.org.crawl');
  await folder('example.org.2.crawl', '../example.org.crawl');
  await folder('example.org.10.crawl', '../example.org.2.crawl');
  const newest = join(cwd, 'example.org.10.crawl');
  expect(await newestGeneration(join(cwd, 'example.org.crawl'))).toBe(newest);
  expect(await findFolder(undefined, cwd)).toBe(newest);
  expect(await findFolder('example.org', cwd)).toBe(newest);
  expect(await findFolderFor('https://example.org/x', undefined, cwd)).toBe(newest);
  expect(await findFolder('example.org.crawl', cwd)).toBe(join(cwd, 'example.org.crawl'));
});

test('a name that only looks like a recrawl is a crawl of its own', async () => {
  await folder('release-1.crawl');
  await folder('release-1.2.crawl');
  await mkdir(join(cwd, 'release-1.3.crawl'));
  expect(await newestGeneration(join(cwd, 'release-1.crawl'))).toBe(join(cwd, 'release-1.crawl'));
  await expect(findFolder(undefined, cwd)).rejects.toThrow('There are 3 crawl folders here');
});

test('folders without the usual ending have recrawls too', async () => {
  await folder('out');
  await folder('out.2', '../out');
  expect(await newestGeneration(join(cwd, 'out'))).toBe(join(cwd, 'out.2'));
});
