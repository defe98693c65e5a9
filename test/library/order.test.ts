import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlOptions, crawl } from 'webfarer';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { redisForFile } from '../redis/for-file.ts';
import { type SmallSite, startSmallSite } from './small-site.ts';

/** The order of a host's requests, as the site itself has seen them. */
const redis = redisForFile({ settings: { appendonly: 'no' } });
let folder: string;
let site: SmallSite;

const linksTo = (paths: string[]) => paths.map((path) => `<a href="${path}">${path}</a>`).join('');
const paths = (name: string, count: number) => Array.from({ length: count }, (_, n) => `/${name}/${n}`);

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-order-'));
  // The worst are found first. Each of the best brings two more of the worst and one in the middle.
  const best = Object.fromEntries(
    paths('best', 6).map((path, n) => [path, linksTo([...paths(`worst${n}`, 2), `/middle/${n}`])]),
  );
  const leaves = [...paths('worst', 6), ...paths('middle', 6), ...best0to5()];
  site = await startSmallSite({
    '/': linksTo([...paths('worst', 6), ...paths('best', 6)]),
    ...best,
    ...Object.fromEntries(leaves.map((path) => [path, '<p>'])),
  });
});
afterEach(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

function best0to5(): string[] {
  return Array.from({ length: 6 }, (_, n) => paths(`worst${n}`, 2)).flat();
}

function options(changes: Partial<CrawlOptions>): CrawlOptions {
  return {
    name: 'ordered',
    folder: join(folder, 'ordered.crawl'),
    seeds: [`${site.origin}/`],
    order: 'best-first',
    urlRules: [
      { match: '/best/*', priority: 1 },
      { match: '/middle/*', cost: 2 },
      { match: '/worst*/*', priority: 8 },
    ],
    politeness: { gap: '2ms', slowFactor: 0 },
    fetch: { allowPrivate: [site.origin] },
    robots: { sitemaps: false },
    save: ['none'],
    ...changes,
  };
}

const kinds = () => site.asked.flatMap((path) => /^\/(best|middle|worst)/.exec(path)?.[1] ?? []);
const some = (kind: string, count: number) => Array<string>(count).fill(kind);

it.each(['folder', 'store'] as const)('fetches the best first: %s', async (kept) => {
  const store =
    kept === 'store' ? { store: { url: (await redis()).url, durability: 'available' as const } } : {};
  const { balance } = await crawl(options({ limits: { minFree: '1MB' }, ...store }));
  expect(balance).toMatchObject({ done: 31, queued: 0 });
  expect(kinds()).toEqual([...some('best', 6), ...some('middle', 6), ...some('worst', 18)]);
});

it('spends a limit of pages on the best', async () => {
  const { state } = await crawl(options({ limits: { pages: 10, minFree: '1MB' } }));
  expect(state).toBe('limited');
  expect(kinds()).toEqual([...some('best', 6), ...some('middle', 3)]);
});

it('fetches as found where the job does not ask for an order', async () => {
  const { order: _none, urlRules: _rules, ...plain } = options({ limits: { pages: 10, minFree: '1MB' } });
  await crawl(plain);
  expect(kinds()).toEqual([...some('worst', 6), ...some('best', 3)]);
});
