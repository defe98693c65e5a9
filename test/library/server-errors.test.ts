import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlOptions, crawl } from 'webfarer';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Answer, type SmallSite, startSmallSite } from './small-site.ts';

let folder: string;
let site: SmallSite;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-errors-'));
});
afterEach(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

const broken: Answer = { status: 500, body: 'broken' };
const good = '<p>fine</p>';
const paths = Array.from({ length: 8 }, (_, n) => `/p${n}`);
const start = paths.map((path) => `<a href="${path}">${path}</a>`).join(' ');

async function run(pages: Record<string, Answer>, more: Partial<CrawlOptions> = {}) {
  site = await startSmallSite({ '/': start, ...pages });
  const started = performance.now();
  const { snapshot, state } = await crawl({
    name: 'errors',
    folder: join(folder, 'errors.crawl'),
    seeds: [`${site.origin}/`],
    politeness: { gap: '5ms', slowFactor: 0, ...more.politeness },
    fetch: { allowPrivate: [site.origin], retries: { count: 2, backoff: '400ms' } },
    limits: { minFree: '1MB' },
  });
  expect(state).toBe('finished');
  return {
    snapshot,
    ms: performance.now() - started,
    asked: site.asked.filter((path) => path !== '/robots.txt'),
  };
}

const allGood = Object.fromEntries(paths.map((path) => [path, good]));

it('goes on with the other pages of a host when one answers 500', async () => {
  const { snapshot, asked } = await run({ ...allGood, '/p1': broken });
  expect(snapshot.byReason).toEqual({ ok: 8, 'http-5xx': 1 });
  const tries = asked.flatMap((path, n) => (path === '/p1' ? [n] : []));
  expect(tries).toHaveLength(3);
  // All others were fetched before it was tried again.
  expect(tries[1]).toBeGreaterThanOrEqual(9);
});

it('spaces the tries of a page that is all there is left', async () => {
  const { ms, asked } = await run({ ...allGood, '/p1': broken });
  expect(asked.filter((path) => path === '/p1')).toHaveLength(3);
  // The last try waits for the back-off of the second one, 800 ms.
  expect(ms).toBeGreaterThan(700);
});

it('lets the host rest after three errors in a row, whatever comes after', async () => {
  const pages = { ...allGood, '/p0': broken, '/p1': broken, '/p2': broken };
  const { snapshot, asked, ms } = await run(pages);
  expect(snapshot.byReason).toEqual({ ok: 6, 'http-5xx': 3 });
  expect(asked.slice(0, 4)).toEqual(['/', '/p0', '/p1', '/p2']);
  expect(ms).toBeGreaterThan(400);
});

it('keeps a rest that other pages of the same host answered into', async () => {
  const own = { politeness: { gap: '5ms', slowFactor: 0, perHost: 4, ownHosts: ['127.0.0.1'] } };
  const { snapshot, ms } = await run({ ...allGood, '/p1': broken }, own as Partial<CrawlOptions>);
  expect(snapshot.byReason).toEqual({ ok: 8, 'http-5xx': 1 });
  expect(ms).toBeGreaterThan(700);
});

it('lets the whole host rest at once where it says that it is overloaded', async () => {
  let times = 0;
  const busy: Answer = () => (times++ === 0 ? { status: 503 } : good);
  const { asked } = await run({ ...allGood, '/p0': busy });
  expect(asked.slice(0, 2)).toEqual(['/', '/p0']);
  expect(asked.filter((path) => path === '/p0')).toHaveLength(2);
});
