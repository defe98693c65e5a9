import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlId, systemClock, type Url } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openSqliteFrontier } from '../frontier/sqlite/sqlite-frontier.ts';
import { type OpenCrawlOptions, type OpenedCrawl, openCrawl } from './open-crawl.ts';

const clock = systemClock();
let under: string;
let folder: string;
beforeEach(() => {
  under = mkdtempSync(join(tmpdir(), 'webfarer-open-crawl-'));
  folder = join(under, 'shop.crawl');
});
afterEach(() => rmSync(under, { recursive: true, force: true }));

const input = { name: 'shop', seeds: ['https://shop.test/'], contact: 'mailto:a@b.test' };

function optionsFor(changes: Partial<OpenCrawlOptions> = {}): OpenCrawlOptions {
  return {
    input,
    baseFolder: under,
    folder,
    version: '1',
    clock,
    store: undefined,
    network: undefined,
    openDatabase: (path) => openSqliteFrontier({ path, clock }),
    given: undefined,
    outside: {
      chooseSeeds: async (seeds) => seeds.map(({ candidates }) => candidates[0] as Url),
      check: async () => undefined,
      prepared: async () => undefined,
    },
    ...changes,
  };
}

async function close({ frontier, lock, previous }: OpenedCrawl): Promise<void> {
  await previous?.close();
  await frontier.close();
  lock.release();
}

/** Opens it, registers it with its frontier as a run does, and closes it. */
async function openOnce(changes: Partial<OpenCrawlOptions> = {}): Promise<OpenedCrawl> {
  const opened = await openCrawl(optionsFor(changes));
  const { manifest, frontier } = opened;
  const times = { gapMs: 1, leaseTtlMs: 1, maxFetchMs: 1, backoffMs: 1, deadAfter: 1 };
  await frontier.openCrawl({ id: manifest.id, ...times, limits: {} });
  await close(opened);
  return opened;
}

const written = () => JSON.parse(readFileSync(join(folder, 'crawl.json'), 'utf8')) as Record<string, unknown>;

it('makes a folder for a new crawl, and takes up the same crawl there, with its seeds and its identity', async () => {
  const first = await openOnce();
  expect(first.resumed).toBeUndefined();
  expect(written()).toMatchObject({ id: first.manifest.id, name: 'shop', seeds: input.seeds });
  const chooseSeeds = () => Promise.reject(new Error('they were chosen before'));
  const outside = { ...optionsFor().outside, chooseSeeds };
  const again = await openOnce({ outside, input: { ...input, politeness: { gap: '7s' } } });
  expect(again.manifest.id).toBe(first.manifest.id);
  expect(again.offers).toEqual([{ url: 'https://shop.test/', kind: 'page' }]);
  expect(again.resumed).toMatchObject({ state: 'running', balance: { known: 0 } });
  expect(again.resumed?.changed.join()).toContain('politeness');
});

it('leaves the folder of another crawl as it is, whatever its name', async () => {
  const { manifest } = await openOnce();
  const before = written();
  const holds = 'other' as CrawlId;
  await expect(openCrawl(optionsFor({ holds }))).rejects.toMatchObject({
    code: 'folder-foreign',
    message: expect.stringContaining(`holds another crawl: shop (${manifest.id})`) as string,
  });
  expect(written()).toEqual(before);
  await openOnce({ holds: manifest.id });
});

it('refuses another scope unless it is accepted, and leaves what is there as it was', async () => {
  await openOnce();
  const before = written();
  const other = { ...input, scope: { exclude: ['*/cart'] } };
  await expect(openCrawl(optionsFor({ input: other }))).rejects.toMatchObject({ code: 'scope-changed' });
  expect(written()).toEqual(before);
  await openOnce({ input: other, rescope: true });
  expect(written()).toMatchObject({ job: { scope: other.scope } });
});

it('never writes into a folder with files of others, nor into a file', async () => {
  mkdirSync(folder);
  writeFileSync(join(folder, 'thesis.txt'), 'mine');
  await expect(openCrawl(optionsFor())).rejects.toMatchObject({ code: 'folder-foreign' });
  expect(readdirSync(folder)).toEqual(['thesis.txt']);
  const file = join(under, 'a file');
  writeFileSync(file, 'x');
  await expect(openCrawl(optionsFor({ folder: file }))).rejects.toMatchObject({ code: 'usage' });
});

it('writes nothing where the job cannot be worked on here', async () => {
  const check = () => Promise.reject(new Error('no such scraper'));
  const outside = { ...optionsFor().outside, check };
  await expect(openCrawl(optionsFor({ outside }))).rejects.toThrow('no such scraper');
  expect(existsSync(folder)).toBe(false);
});

it('does not begin anew in silence where the database is missing', async () => {
  const { manifest } = await openOnce();
  const balance = { known: 1, queued: 1, leased: 0, done: 0, failed: 0, refused: 0 };
  writeFileSync(
    join(folder, 'crawl.json'),
    JSON.stringify({ ...manifest, session: { ...manifest.session, balance } }),
  );
  rmSync(join(folder, 'crawl.db'));
  await expect(openCrawl(optionsFor())).rejects.toThrow('crawl.db is missing');
});

it('starts over when asked to: another crawl, in the same folder', async () => {
  const first = await openOnce();
  writeFileSync(join(folder, 'report.html'), 'old');
  const again = await openOnce({ fresh: true });
  expect(again.manifest.id).not.toBe(first.manifest.id);
  expect([again.resumed, existsSync(join(folder, 'report.html'))]).toEqual([undefined, false]);
});

it('lets go of the folder when it fails, and keeps others out while it is open', async () => {
  const broken = () => {
    throw new Error('the disk is broken');
  };
  await expect(openCrawl(optionsFor({ openDatabase: broken }))).rejects.toThrow('the disk is broken');
  const opened = await openCrawl(optionsFor());
  await expect(openCrawl(optionsFor())).rejects.toMatchObject({ code: 'folder-busy' });
  await close(opened);
  await openOnce();
});
