import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlOptions, crawl, type PageRecord } from 'webfarer';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findBrowser } from '../../packages/worker/src/browser/find-browser.ts';
import { type Answer, type SmallSite, startSmallSite } from './small-site.ts';

let folder: string;
let site: SmallSite;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-challenges-'));
});
afterEach(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

const paths = Array.from({ length: 20 }, (_, n) => `/p${n}`);
const links = paths.map((path) => `<a href="${path}">${path}</a>`).join(' ');
const good = '<h1>A page</h1><p>fine</p>';
const allGood: Record<string, Answer> = Object.fromEntries(paths.map((path) => [path, good]));
/** With a link that nobody may follow. */
const challenge: Answer = {
  status: 200,
  body: '<title>Wait</title><a href="/bait">x</a><script id="anubis_challenge" type="application/json">{}</script>',
};
const unavailable: Answer = {
  status: 503,
  headers: { 'cf-mitigated': 'challenge' },
  body: '<a href="/bait">x</a>',
};

async function run(pages: Record<string, Answer>, more: Partial<CrawlOptions> = {}) {
  site = await startSmallSite(pages);
  const shown: string[] = [];
  const result = await crawl({
    name: 'challenges',
    folder: join(folder, 'challenges.crawl'),
    seeds: [`${site.origin}/`],
    politeness: { gap: '1ms', slowFactor: 0 },
    fetch: { allowPrivate: [site.origin], retries: { count: 2, backoff: '20ms' } },
    limits: { minFree: '1MB' },
    save: ['warc'],
    ...more,
    onPage(page, { follow, push }) {
      shown.push(page.url);
      push({ url: page.url });
      follow(page.links);
    },
  });
  expect(result.state).toBe('finished');
  const records: PageRecord[] = [];
  for await (const record of result.records) records.push(record);
  const asked = site.asked.filter((path) => path !== '/robots.txt');
  return { ...result, all: records, shown, asked };
}

const allSame = (answer: Answer) => Object.fromEntries(paths.map((path) => [path, answer]));

it.each([
  ['200', challenge],
  ['503 that is not worth a second try', unavailable],
])(
  'records challenges as refusals and leaves their host alone: %s',
  async (_, answer) => {
    const { snapshot, all, shown, asked } = await run({ '/': links, ...allSame(answer) });
    expect(snapshot.byReason).toEqual({ ok: 1, challenge: paths.length });
    expect(shown).toEqual([`${site.origin}/`]);
    const refused = all.filter(({ reason }) => reason === 'challenge');
    expect(refused).toHaveLength(paths.length);
    for (const { verdict, items, links, saved } of refused)
      expect({ verdict, items, links, saved }).toEqual({
        verdict: 'refused',
        items: 0,
        links: 0,
        saved: undefined,
      });
    // Three of twenty; the others are refused without a request.
    expect(asked).toEqual(['/', ...paths.slice(0, 3)]);
    expect(refused.filter(({ detail }) => detail?.startsWith('not requested'))).toHaveLength(
      paths.length - 3,
    );
  },
  300_000,
);

it('continues with a host that challenges now and then', async () => {
  const pages = { '/': links, ...allGood, '/p1': challenge, '/p2': challenge, '/p5': challenge };
  const { snapshot, asked, shown } = await run(pages);
  expect(snapshot.byReason).toEqual({ ok: 18, challenge: 3 });
  expect(asked).toHaveLength(21);
  expect(shown).toHaveLength(18);
});

it.skipIf(findBrowser() === undefined)(
  'shows no challenge to a browser, which might solve it',
  async () => {
    const solved =
      '<title>Wait</title><script id="anubis_challenge" type="application/json">{}</script><script src="/solve.js"></script>';
    const pages = {
      '/': '<link rel=icon href="data:,"><a href="/c">c</a>',
      '/c': solved,
      '/solve.js': { status: 200, headers: { 'content-type': 'text/javascript' }, body: '' },
    };
    const { snapshot, asked } = await run(pages, { render: 'always' });
    expect(snapshot.byReason).toEqual({ ok: 1, challenge: 1 });
    expect(asked).toEqual(['/', '/c']);
  },
  300_000,
);
