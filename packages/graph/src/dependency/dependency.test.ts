import { mkdtemp, rm, writeFile, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Edge, type PageRecord, systemClock, type Url } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { each, recordOf } from '../records.fixture.ts';
import { fileCheckpoint } from './checkpoint.ts';
import { computeJob } from './compute.ts';
import { contentOf, graphFrom } from './job-content.ts';
import { readArrays, writeArrays } from '../files/array-file.ts';
import { pageGraphs } from './read-crawl.ts';
import { siteJobs } from './site-jobs.ts';
import type { SourceScore } from './scores.ts';
import { openDependencies } from './store.ts';

const own = 'https://a.test';
const url = (text: string): Url => (text.startsWith('/') ? own + text : text) as Url;

/** A crawl of a.test, written as page: links. A link of the form `rel>URL` has another rel than `a`. */
function crawlOf(pages: Record<string, string[]>, more: PageRecord[] = []) {
  const edges = Object.entries(pages).map(([from, links]) => ({ from: url(from), edges: links.map(edgeOf) }));
  const records = Object.keys(pages).map((page) => recordOf(url(page)));
  return { records: () => each([...records, ...more]), edges: () => each(edges) };
}

function edgeOf(link: string): Edge {
  const [to = '', rel = 'a'] = link.split('>').toReversed();
  return { to: url(to), rel };
}

async function graphOf(pages: Record<string, string[]>, more: PageRecord[] = []) {
  const [graph] = await pageGraphs(crawlOf(pages, more), siteJobs('site', [url('/')]));
  if (graph === undefined) throw new Error('no page');
  return graph;
}

async function siteScore(pages: Record<string, string[]>, threshold = 0): Promise<SourceScore> {
  const scores = await computeJob(await graphOf(pages), { threshold });
  return scores.find(({ level }) => level === 'site') as SourceScore;
}

const shares = ({ dependencies }: SourceScore) => dependencies.map(({ target, share }) => [target, share]);
const d = 0.85;

describe('webs solved by hand', () => {
  test('one page, two ways out', async () => {
    const score = await siteScore({ '/': ['https://b.test/', 'https://c.test/', 'https://c.test/x'] });
    expect(shares(score)).toEqual([
      ['c.test', expect.closeTo(2 / 3, 12)],
      ['b.test', expect.closeTo(1 / 3, 12)],
    ]);
    expect(score).toMatchObject({
      leaves: expect.closeTo(d, 12),
      stopped: expect.closeTo(1 - d, 12),
      lost: 0,
    });
  });

  test('a chain: from /1 half go straight, half over /2', async () => {
    const score = await siteScore({ '/1': ['/2', 'https://b.test/'], '/2': ['https://c.test/'] });
    const toB = (1 / 2) * (d / 2);
    const toC = (1 / 2) * d + (1 / 2) * (d / 2) * d;
    expect(shares(score)).toEqual([
      ['c.test', expect.closeTo(toC / (toB + toC), 12)],
      ['b.test', expect.closeTo(toB / (toB + toC), 12)],
    ]);
    expect(score.dependencies.map(({ pages, reachable }) => [pages, reachable])).toEqual([
      [1, 1],
      [1, 0.5],
    ]);
  });

  test('a circle goes round and round', async () => {
    const score = await siteScore({ '/1': ['/2', 'https://b.test/'], '/2': ['/1'] });
    // v1 = 1/2 + d·v2, v2 = 1/2 + d/2·v1
    const v1 = (1 / 2 + d / 2) / (1 - (d * d) / 2);
    expect(score.leaves).toBeCloseTo((v1 * d) / 2, 11);
    expect(score.leaves + score.stopped + score.ended + score.lost).toBeCloseTo(1, 11);
  });

  test('nobody leaves', async () => {
    const score = await siteScore({ '/1': ['/2'], '/2': ['/1'], '/3': [] });
    expect(score).toMatchObject({ leaves: 0, rest: 0, targets: 0, dependencies: [] });
    expect(score.stopped + score.ended).toBeCloseTo(1, 11);
  });
});

describe('what counts as a link', () => {
  test('loaded, declared and repeated ones do not', async () => {
    const graph = await graphOf({
      '/': ['img>https://i.test/x.png', 'link:canonical>https://b.test/', '/', 'iframe>https://f.test/'],
      '/2': ['https://b.test/', 'https://b.test/', 'area>https://b.test/'],
    });
    expect([graph.targets, [...graph.exitLinks]]).toEqual([['https://b.test/'], [3]]);
    expect([...graph.inner.targets]).toEqual([]);
  });

  test('redirects are passed through, circles and unknown pages are lost', async () => {
    const moved = (from: string, to: string) =>
      recordOf(url(from), { reason: 'redirect', status: 301, redirectTo: url(to) });
    const graph = await graphOf({ '/': ['/old', '/out', '/round', '/missing', '/2'], '/2': [] }, [
      moved('/old', '/older'),
      moved('/older', '/2'),
      moved('/out', 'https://b.test/'),
      moved('/round', '/round-2'),
      moved('/round-2', '/round'),
      recordOf(url('/missing'), { reason: 'http-4xx', status: 404 }),
    ]);
    expect(graph.pages).toEqual([url('/'), url('/2')]);
    expect([...graph.inner.targets]).toEqual([1]);
    expect(graph.targets).toEqual(['https://b.test/']);
    expect([...graph.lost]).toEqual([2, 0]);
  });

  test('a crawl of the web has one job for each site, whatever the order of its records', async () => {
    const crawl = crawlOf({ '/2': ['https://b.test/'], 'https://b.test/': ['/2'], '/1': ['/2'] });
    const graphs = await pageGraphs(crawl, siteJobs('web', []));
    expect(graphs.map(({ job, pages }) => [job, pages.length])).toEqual([
      ['a.test', 2],
      ['b.test', 1],
    ]);
    expect(graphs[0]?.pages).toEqual([url('/1'), url('/2')]);
  });

  test('where others redirect is not looked at, even where the crawl knows it', async () => {
    const moved = recordOf('https://b.test/', { reason: 'redirect', redirectTo: url('https://c.test/') });
    const graphs = await pageGraphs(crawlOf({ '/1': ['https://b.test/'] }, [moved]), siteJobs('web', []));
    expect(graphs.map(({ job, targets }) => [job, targets])).toEqual([['a.test', ['https://b.test/']]]);
  });

  test('a directory leads to the rest of its own site', async () => {
    const crawl = crawlOf({ '/docs/': ['/shop', '/docs/a'], '/docs/a': ['/docs/'], '/shop': ['/docs/'] });
    const [graph] = await pageGraphs(crawl, siteJobs('path', [url('/docs/')]));
    expect([graph?.job, graph?.pages.length, graph?.targets]).toEqual(['a.test/docs/', 2, [url('/shop')]]);
  });
});

test('the threshold keeps what is above it and says what it left out', async () => {
  const links = Array.from({ length: 8 }, (_, n) => `https://t${n % 3}.test/${n}`);
  const all = await siteScore({ '/': links });
  const some = await siteScore({ '/': links }, 0.3);
  expect(shares(some)).toEqual(shares(all).filter(([, share]) => (share as number) >= 0.3));
  expect(some).toMatchObject({ targets: 3, rest: expect.closeTo(2 / 8, 12) });
});

describe('files', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'webfarer-deps-'));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));
  const web = { '/1': ['/2', 'https://b.test/'], '/2': ['/1', 'https://c.test/'], '/3': ['/1', '/2'] };

  test('a job computed elsewhere, from its file, gives the same bits', async () => {
    const graph = await graphOf(web);
    await writeArrays(join(folder, 'job'), contentOf(graph));
    const found = await readArrays(join(folder, 'job'));
    if (found === undefined) throw new Error('not there');
    const [here, there] = await Promise.all(
      [graph, graphFrom(found)].map((g) => computeJob(g, { threshold: 0 })),
    );
    expect(JSON.stringify(there)).toBe(JSON.stringify(here));
  });

  test('a damaged or torn file is none', async () => {
    const file = join(folder, 'job');
    await writeArrays(file, contentOf(await graphOf(web)));
    const bytes = await readFile(file);
    await writeFile(file, bytes.subarray(0, -1));
    expect(await readArrays(file)).toBeUndefined();
    bytes[bytes.length >> 1]! ^= 1;
    await writeFile(file, bytes);
    expect(await readArrays(file)).toBeUndefined();
  });

  test('stopped after any round, it goes on to the same bits', async () => {
    const graph = await graphOf(web);
    const whole = JSON.stringify(await computeJob(graph, { threshold: 0 }));
    for (const stopAfter of [1, 2, 7, 30]) {
      const checkpoint = fileCheckpoint(join(folder, 'checkpoint'), { clock: systemClock(), everyMs: 0 });
      let rests = 0;
      const rest = () => {
        if (++rests > stopAfter) throw new Error('killed');
        return undefined;
      };
      await expect(computeJob(graph, { threshold: 0, checkpoint, rest })).rejects.toThrow('killed');
      const loaded = new Set<number | undefined>();
      const watched = {
        ...checkpoint,
        load: async (input: string) => {
          const progress = await checkpoint.load(input);
          loaded.add(progress?.walk?.round);
          return progress;
        },
      };
      expect(JSON.stringify(await computeJob(graph, { threshold: 0, checkpoint: watched }))).toBe(whole);
      expect([...loaded]).not.toEqual([undefined]);
      await checkpoint.remove();
    }
  });

  test('a checkpoint of another input is not taken', async () => {
    const checkpoint = fileCheckpoint(join(folder, 'checkpoint'), { clock: systemClock(), everyMs: 0 });
    await computeJob(await graphOf(web), { threshold: 0, checkpoint });
    const other = await graphOf({ ...web, '/3': ['https://d.test/'] });
    expect(await computeJob(other, { threshold: 0, checkpoint })).toEqual(
      await computeJob(other, { threshold: 0 }),
    );
  });

  test('the database merges jobs once each, weighted by the readers who leave', async () => {
    const store = openDependencies(join(folder, 'deps.sqlite'), { DatabaseSync });
    const scores = await computeJob(await graphOf(web), { threshold: 0 });
    const put = (job: string) => store.put({ crawl: 'c', job }, { input: 'x', threshold: 0, scores });
    put('one');
    const before = store.dependencies({ level: 'site', limit: 10 });
    put('one');
    expect(store.dependencies({ level: 'site', limit: 10 })).toEqual(before);
    expect([
      store.jobs(),
      store.has({ crawl: 'c', job: 'one' }, 'x'),
      store.has({ crawl: 'c', job: 'one' }, 'y'),
    ]).toEqual([1, true, false]);
    put('two');
    const after = store.dependencies({ level: 'site', limit: 10 });
    expect(after.rows.map(({ target, share, pages }) => [target, share, pages])).toEqual(
      before.rows.map(({ target, share, pages }) => [target, expect.closeTo(share, 12), 2 * pages]),
    );
    expect(store.targets({ level: 'site', limit: 1 })).toMatchObject({
      total: 2,
      rows: [{ sources: 1, error: 0 }],
    });
    expect(store.sources({ level: 'site', limit: 5 })).toMatchObject([
      { source: 'a.test', jobs: 2, pages: 6 },
    ]);
    store.close();
  });
});
