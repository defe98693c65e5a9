import { existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ChangingSite, startChangingSite } from '../changing-site.fixture.ts';
import { type CrawlOptions, crawl } from '../library.ts';
import { readFolder } from '@webfarer/coordinator';

let home: string;
let folder: string;
let site: ChangingSite;

beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-spoilt-'));
  folder = join(home, 'shop.crawl');
  site = await startChangingSite({
    '/': { body: '<a href="/a">a</a> <a href="/b">b</a>' },
    '/a': { body: '<p>a' },
    '/b': { body: '<p>b' },
  });
});
afterEach(async () => {
  await site.stop();
  rmSync(home, { recursive: true, force: true });
});

const options = (changes: Partial<CrawlOptions> = {}): CrawlOptions => ({
  name: 'shop',
  folder,
  seeds: [`${site.origin}/`],
  politeness: { gap: '2ms', slowFactor: 0 },
  fetch: { allowPrivate: [site.origin] },
  limits: { minFree: '1MB' },
  ...changes,
});

describe('a crawl folder that a crash or a disk has spoilt', () => {
  const ways = {
    'is empty': (file: string) => truncateSync(file),
    'is missing': (file: string) => rmSync(file),
    'is torn': (file: string) => writeFileSync(file, readFileSync(file, 'utf8').slice(0, 100)),
  };
  for (const [how, spoil] of Object.entries(ways)) {
    it(`resumes from the copy in crawl.db where crawl.json ${how}`, async () => {
      await crawl(options({ limits: { pages: 1, minFree: '1MB' } }));
      const before = JSON.parse(readFileSync(join(folder, 'crawl.json'), 'utf8')) as { id: string };
      spoil(join(folder, 'crawl.json'));
      const summary = await crawl(options());
      expect(summary.balance).toMatchObject({ known: 3, done: 3 });
      expect(site.asked).toHaveLength(3);
      expect(JSON.parse(readFileSync(join(folder, 'crawl.json'), 'utf8'))).toMatchObject({ id: before.id });
    });
  }

  it('restores crawl.json also for a command that only looks', async () => {
    await crawl(options());
    truncateSync(join(folder, 'crawl.json'));
    const reader = await readFolder(folder);
    expect(await reader.balance()).toMatchObject({ done: 3 });
    await reader.close();
    expect(JSON.parse(readFileSync(join(folder, 'crawl.json'), 'utf8'))).toMatchObject({ format: 1 });
  });

  it('says that crawl.db is damaged and how to carry on, and changes nothing', async () => {
    await crawl(options());
    const spoilt = Buffer.alloc(8_192, 0xa5);
    writeFileSync(join(folder, 'crawl.db'), spoilt);
    const error = await Promise.resolve(crawl(options())).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'folder-damaged', message: expect.stringContaining('crawl.db') });
    expect((error as { next: string }).next).toContain(`mv ${folder} ${folder}.damaged`);
    expect(readFileSync(join(folder, 'crawl.db'))).toEqual(spoilt);
    await expect(readFolder(folder)).rejects.toMatchObject({ code: 'folder-damaged' });
  });

  it('names the folder also where only some pages of crawl.db are damaged', async () => {
    await crawl(options());
    const file = join(folder, 'crawl.db');
    const pages = readFileSync(file);
    writeFileSync(file, pages.fill(0xa5, 4_096));
    const error = await Promise.resolve(crawl(options())).catch((e: unknown) => e);
    expect(error).toMatchObject({ code: 'folder-damaged', message: expect.stringContaining(folder) });
  });

  it('does not start over in silence where crawl.db is missing', async () => {
    await crawl(options());
    for (const name of ['crawl.db', 'crawl.db-wal', 'crawl.db-shm'])
      rmSync(join(folder, name), { force: true });
    await expect(Promise.resolve(crawl(options()))).rejects.toMatchObject({ code: 'folder-damaged' });
    expect(existsSync(join(folder, 'crawl.db'))).toBe(false);
  });
});
