import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlOptions, crawl } from 'webfarer';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

async function run(pages: Record<string, Answer>, more: Pick<CrawlOptions, 'politeness'> = {}) {
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

describe('with several requests in flight on a host of our own', () => {
  const own = { politeness: { perHost: 4, ownHosts: ['127.0.0.1'] } };
  const links = (to: string[]) => to.map((path) => `<a href="${path}">x</a>`).join(' ');
  const tries = (path: string) => site.log.filter((line) => line.path === path).map(({ atMs }) => atMs);

  /** Resolves for all when it was called this many times. */
  function meeting(size: number): () => Promise<void> {
    const all = Promise.withResolvers<void>();
    let here = 0;
    return () => {
      if (++here === size) all.resolve();
      return all.promise;
    };
  }

  it('backs off a page that answers 500 while the others are fetched', async () => {
    // Three chains of links: the queue of the host is short all the time. Their first pages answer together.
    const chains = ['a', 'b', 'c'];
    const length = 20;
    const together = meeting(chains.length);
    const pages: Record<string, Answer> = { '/bad': broken };
    for (const chain of chains)
      for (let n = 0; n < length; n++) {
        const page = n + 1 < length ? links([`/${chain}${n + 1}`]) : good;
        pages[`/${chain}${n}`] = n > 0 ? page : () => together().then(() => page);
      }
    pages['/'] = links(['/bad', ...chains.map((chain) => `/${chain}0`)]);
    const { snapshot } = await run(pages, own);

    expect(snapshot.byReason).toEqual({ ok: 1 + chains.length * length, 'http-5xx': 1 });
    expect(Math.max(...site.log.map(({ inFlight }) => inFlight))).toBeGreaterThanOrEqual(chains.length);
    const [first = 0, second = 0, third = 0, ...more] = tries('/bad');
    expect(more).toEqual([]);
    expect(second - first).toBeGreaterThan(390);
    expect(third - second).toBeGreaterThan(790);
    const meanwhile = site.log.filter(({ path, atMs }) => path !== '/bad' && atMs > first && atMs < second);
    expect(meanwhile.length).toBeGreaterThan(3);
  });

  it('lets the host rest after three errors in a row, for every request', async () => {
    const bad = ['/bad0', '/bad1', '/bad2', '/bad3'];
    const together = meeting(bad.length);
    const answer = () => together().then(() => ({ status: 500 }));
    const others = Array.from({ length: 30 }, (_, n) => `/good${n}`);
    const { snapshot } = await run(
      {
        ...Object.fromEntries([...bad.map((path) => [path, answer]), ...others.map((path) => [path, good])]),
        '/': links([...bad, ...others]),
      },
      // No other page may answer between the four, on a busy machine either.
      { politeness: { ...own.politeness, gap: '100ms' } },
    );

    expect(snapshot.byReason).toEqual({ ok: 1 + others.length, 'http-5xx': bad.length });
    const lastBad = Math.max(...bad.map((path) => site.log.findIndex((line) => line.path === path)));
    expect(site.log[lastBad]?.inFlight).toBe(4);
    const after = site.log.slice(lastBad);
    const rest = after.findIndex((line, n) => line.atMs - (after[n - 1]?.atMs ?? line.atMs) > 390);
    // Requests that began before the third error arrived are all that comes before the rest.
    expect(rest).toBeGreaterThan(0);
    expect(rest).toBeLessThanOrEqual(3);
  });
});

it('lets the whole host rest at once where it says that it is overloaded', async () => {
  let times = 0;
  const busy: Answer = () => (times++ === 0 ? { status: 503 } : good);
  const { asked } = await run({ ...allGood, '/p0': busy });
  expect(asked.slice(0, 2)).toEqual(['/', '/p0']);
  expect(asked.filter((path) => path === '/p0')).toHaveLength(2);
});
