import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CrawlId, Url } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chosenFolders, ownCrawlFolders } from './crawl-folders.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-crawl-folders-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function crawl(name: string, nonce: string): LinkCrawl {
  const seeds = ['http://a.test/' as Url];
  const job = resolveJob({ name, seeds });
  return {
    id: name as CrawlId,
    nonce,
    revision: 'r',
    job,
    seeds,
    userAgent: 't',
    urlsPerHost: 1,
    state: 'running',
  };
}

async function filled(at: Promise<string>): Promise<string> {
  const where = await at;
  mkdirSync(join(where, 'archive'), { recursive: true });
  writeFileSync(join(where, 'archive', 'a.warc.gz'), 'x');
  return where;
}

it('erases the folder of a deleted crawl, also one that an earlier process made, and nothing else', async () => {
  const first = ownCrawlFolders(folder);
  await first.begin();
  await filled(first.open(crawl('a', 'nonce-a')));
  await filled(first.open(crawl('b', 'nonce-b')));
  writeFileSync(join(folder, 'worker.json'), '{}');
  const later = ownCrawlFolders(folder);
  await later.begin();
  expect(later.nonces().toSorted()).toEqual(['nonce-a', 'nonce-b']);
  await later.erase('nonce-a');
  await later.erase('nonce-unknown');
  expect(readdirSync(folder).toSorted()).toEqual(['b.crawl', 'worker.json']);
  expect(existsSync(join(folder, 'b.crawl', 'archive', 'a.warc.gz'))).toBe(true);
  expect(later.nonces()).toEqual(['nonce-b']);
});

it('keeps two crawls of one name apart, whichever is deleted first', async () => {
  const folders = ownCrawlFolders(folder);
  await folders.begin();
  const old = await filled(folders.open(crawl('a', 'older-crawl')));
  const young = await filled(folders.open(crawl('a', 'younger-crawl')));
  expect([old, young]).toEqual([join(folder, 'a.crawl'), join(folder, 'a-younger.crawl')]);
  const later = ownCrawlFolders(folder);
  await later.begin();
  expect(await later.open(crawl('a', 'younger-crawl'))).toBe(young);
  // Word of the first one's deletion comes late.
  await later.erase('older-crawl');
  expect(existsSync(join(young, 'archive', 'a.warc.gz'))).toBe(true);
  expect(existsSync(old)).toBe(false);
});

it('never erases a folder that was there before, or whose crawl it does not know', async () => {
  mkdirSync(join(folder, 'a.crawl'));
  writeFileSync(join(folder, 'a.crawl', 'notes.txt'), 'mine');
  const folders = ownCrawlFolders(folder);
  await folders.begin();
  expect(await folders.open(crawl('a', 'nonce-a'))).toBe(join(folder, 'a.crawl'));
  await folders.open(crawl('b', ''));
  expect(folders.nonces()).toEqual([]);
  await folders.erase('nonce-a');
  await folders.erase('');
  expect(readdirSync(folder).toSorted()).toEqual(['a.crawl', 'b.crawl']);
});

it('finishes what a process began to erase before it died', async () => {
  mkdirSync(join(folder, '.deleted-1', 'archive'), { recursive: true });
  await ownCrawlFolders(folder).begin();
  expect(readdirSync(folder)).toEqual([]);
});

it('takes no part in the deletion of a folder that its user chose', async () => {
  const folders = chosenFolders(() => join(folder, 'chosen'));
  await folders.begin();
  await filled(folders.open(crawl('a', 'nonce-a')));
  await folders.erase('nonce-a');
  expect([folders.nonces(), readdirSync(join(folder, 'chosen'))]).toEqual([[], ['archive']]);
});
