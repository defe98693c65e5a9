import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { redisForFile } from '../../../test/redis/for-file.ts';
import { type ChangingSite, startChangingSite } from './changing-site.fixture.ts';
import { fakeWorld } from './fake-crawl.fixture.ts';
import { type CrawlOptions, crawl } from './library.ts';
import { localCrawls } from './local/local-crawl.ts';
import { readStoredJob } from './network/stored-job.ts';
import { runCli } from './program.ts';

const servers = redisForFile();
const clock = systemClock();
let home: string;
let site: ChangingSite;
let number = 0;
let name: string;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-own-code-'));
  name = `own-${++number}`;
  const links = Array.from({ length: 9 }, (_, n) => `<a href="/p/${n}">${n}</a>`).join(' ');
  site = await startChangingSite({ '/': { body: links } });
});
afterEach(async () => {
  await site.stop();
  rmSync(home, { recursive: true, force: true });
});

async function options(folder: string, more: Partial<CrawlOptions> = {}): Promise<CrawlOptions> {
  return {
    name,
    folder: join(home, folder),
    seeds: [`${site.origin}/`],
    store: (await servers()).url,
    politeness: { gap: '2ms', slowFactor: 0 },
    fetch: { allowPrivate: [site.origin] },
    limits: { minFree: '1MB', pages: 3 },
    ...more,
  };
}

const onPage: NonNullable<CrawlOptions['onPage']> = (page, { follow }) => {
  if (page.url.endsWith('/'))
    follow(['/p/0', '/p/1', '/p/2', '/p/3', '/p/4'].map((path) => site.origin + path));
};

async function cli(...argv: string[]) {
  const world = fakeWorld(home, {}, argv);
  const exit = await runCli(argv, { ...world.context, local: localCrawls, clock });
  return { exit, err: world.err().replaceAll(/\s+/g, ' ') };
}

test("a crawl of the user's own program in a store refuses every member without that program", async () => {
  const { url } = await servers();
  expect((await crawl(await options('a', { onPage }))).state).toBe('limited');
  const asked = site.asked.length;

  const sentence = `The store holds ${name} as a crawl of your own program`;
  const joining = ['crawl', `${site.origin}/`, '--name', name, '--store', url, '--limit', '9', '--out', 'b'];
  expect(await cli(...joining)).toMatchObject({ exit: 2, err: expect.stringContaining(sentence) });
  expect(await cli(...joining, '--rescope')).toMatchObject({
    exit: 2,
    err: expect.stringContaining(sentence),
  });
  await expect(crawl(await options('c'))).rejects.toMatchObject({ code: 'usage' });
  await expect(readStoredJob({ url, insecure: false, name, clock })).rejects.toThrow(sentence);
  expect([existsSync(join(home, 'b')), existsSync(join(home, 'c'))]).toEqual([false, false]);
  expect(site.asked.length).toBe(asked);

  // The program itself may join from any folder, and the crawl stays its own when the job is written anew.
  const raised = { onPage, limits: { minFree: '1MB', pages: 4 } };
  expect((await crawl(await options('d', raised))).state).toBe('limited');
  expect(site.asked.length).toBeGreaterThan(asked);
  await expect(crawl(await options('c'))).rejects.toThrow(sentence);
});

test('a crawl without a handler is open to other members', async () => {
  expect((await crawl(await options('a'))).state).toBe('limited');
  const { url } = await servers();
  expect(await readStoredJob({ url, insecure: false, name, clock })).toMatchObject({ name });
  const more = { limits: { minFree: '1MB', pages: 5 } };
  expect((await crawl(await options('b', more))).state).toBe('limited');
});
