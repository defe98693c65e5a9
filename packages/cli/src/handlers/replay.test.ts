import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type ChangingSite, startChangingSite } from '../changing-site.fixture.ts';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { type CrawlOptions, crawl } from '../library.ts';
import { localCrawls } from '../local/local-crawl.ts';
import { runCli } from '../program.ts';
import { replay } from './replay.ts';

let home: string;
let site: ChangingSite;
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'webfarer-replay-'));
  const pages: ChangingSite['pages'] = { '/': { body: '' } };
  for (let n = 0; n < 12; n++) {
    pages[`/p/${n}`] = { body: `<h1>Product ${n % 10}</h1>` };
    pages['/'] = { body: `${pages['/']?.body}<a href="/p/${n}">${n}</a>` };
  }
  site = await startChangingSite(pages);
});
afterEach(async () => {
  await site.stop();
  rmSync(home, { recursive: true, force: true });
});

const onPage: NonNullable<CrawlOptions['onPage']> = async (page, { follow, push }) => {
  if (page.label === 'product') push({ url: page.url, name: (await page.$())('h1').text() });
  else follow(page.links, { label: 'product' });
};

const options = (more: Partial<CrawlOptions> = {}): CrawlOptions => ({
  name: 'shop',
  folder: join(home, 'shop.crawl'),
  seeds: [`${site.origin}/`],
  politeness: { gap: '2ms', slowFactor: 0 },
  fetch: { allowPrivate: [site.origin] },
  limits: { minFree: '1MB' },
  onPage,
  ...more,
});

const lines = (...path: string[]): unknown[] =>
  readFileSync(join(home, ...path), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

async function cli(...argv: string[]) {
  const world = fakeWorld(home, {}, argv);
  const exit = await runCli(argv, { ...world.context, local: localCrawls, clock: systemClock() });
  return { exit, out: world.out(), err: world.err().replaceAll(/\s+/g, ' ') };
}

it('gives the items of the crawl again, in their order, without a request', async () => {
  await crawl(options());
  const asked = site.asked.length;
  const counts = await replay({ onPage }, join(home, 'shop.crawl'), {
    to: join(home, 'r'),
  });
  expect(counts).toMatchObject({
    pages: 13,
    items: 12,
    droppedItems: 0,
    followed: 12,
    failed: 0,
    notStored: 0,
  });
  expect(lines('r', 'items.jsonl')).toEqual(lines('shop.crawl', 'items.jsonl'));
  expect(site.asked.length).toBe(asked);
});

it('names the page and the line of a handler that throws, and goes on with the others', async () => {
  await crawl(options());
  writeFileSync(
    join(home, 'job.mjs'),
    [
      'export function onPage(page, { push }) {',
      "  if (page.url.endsWith('/p/3')) throw new Error('no price');",
      "  if (page.label === 'product') push({ url: page.url });",
      '}',
    ].join('\n'),
  );
  const asked = site.asked.length;
  const { exit, out } = await cli('replay', 'job.mjs', 'shop.crawl');
  expect(exit).toBe(4);
  expect(out).toContain('13 pages replayed, 0 requests');
  expect(out).toContain('1 page failed: see ./shop.replay/problems.jsonl');
  expect(lines('shop.replay', 'problems.jsonl')).toEqual([
    {
      url: `${site.origin}/p/3`,
      reason: 'handler',
      detail: expect.stringMatching(/no price \(.*job\.mjs:2:\d+\)/),
    },
  ]);
  expect(lines('shop.replay', 'items.jsonl')).toHaveLength(11);
  expect(site.asked.length).toBe(asked);
});

it('takes the pages that were unchanged in a recrawl from the crawl before', async () => {
  await crawl(options());
  site.pages['/p/5'] = { body: '<h1>Product new</h1>' };
  const { folder } = await crawl(options({ recrawl: true }));
  const { pages, items, notStored } = await replay({ onPage }, folder, { to: join(home, 'r') });
  expect({ pages, items, notStored }).toEqual({ pages: 13, items: 12, notStored: 0 });
  expect(lines('r', 'items.jsonl')).toContainEqual({ url: `${site.origin}/p/5`, name: 'Product new' });
});

it('counts pages without a stored body', async () => {
  await crawl(options({ save: ['none'] }));
  const { pages, notStored } = await replay({ onPage }, join(home, 'shop.crawl'), { to: join(home, 'r') });
  expect({ pages, notStored }).toEqual({ pages: 0, notStored: 13 });
});

it('refuses a program that starts a crawl when it is loaded, before its first request', async () => {
  await crawl(options());
  const asked = site.asked.length;
  const library = JSON.stringify(join(import.meta.dirname, '..', 'index.ts'));
  writeFileSync(
    join(home, 'shop.ts'),
    `import { crawl } from ${library};\nawait crawl(${JSON.stringify({ ...options(), name: 'other', folder: join(home, 'o') })});\n`,
  );
  const { exit, err } = await cli('replay', 'shop.ts', 'shop.crawl');
  expect(exit).toBe(2);
  expect(err).toContain('shop.ts starts a crawl when it is loaded');
  expect(site.asked.length).toBe(asked);
});
