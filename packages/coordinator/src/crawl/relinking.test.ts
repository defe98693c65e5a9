import type { Edge, Url } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { createScope } from '@webfarer/protocol/url';
import { expect, it } from 'vitest';
import { openSqliteFrontier } from '../frontier/sqlite/sqlite-frontier.ts';
import { answered, crawlA, createWorld, outcome } from '../frontier/suite/world.fixture.ts';
import { relinkStep } from './relinking.ts';

const seed = 'https://a.example/' as Url;
const jobOf = (more: object) => resolveJob({ name: 'x', seeds: [seed], contact: 'me@a.example', ...more });
const edge = (path: string, more: Partial<Edge> = {}): Edge => ({
  to: `https://a.example/${path}` as Url,
  rel: 'a',
  ...more,
});

it('queues the links of pages that an earlier scope left out, each once', async () => {
  const w = await createWorld({
    name: 'SQLite',
    open: (clock) => Promise.resolve(openSqliteFrontier({ path: ':memory:', clock })),
  });
  await w.openCrawl();
  await w.offer([seed]);
  const lease = await w.leaseOne();
  const edges = [edge('in'), edge('out'), edge('no', { nofollow: true }), edge('i.png', { rel: 'img' })];
  const [entry] = lease.entries;
  await w.report(lease, { settled: [outcome(entry!, { edges })], news: answered, close: true });
  const { frontier } = w;
  const step = (job: ReturnType<typeof jobOf>) =>
    relinkStep({ frontier, crawl: crawlA, job, scope: createScope(job, [seed]), after: '' });
  const narrow = jobOf({ scope: { exclude: ['/out'] } });
  expect(await step(narrow)).toEqual({ moved: 1, searched: 1, next: undefined });
  expect(await step(jobOf({}))).toMatchObject({ moved: 1 });
  expect(await step(jobOf({}))).toMatchObject({ moved: 0 });
  const { urls } = await frontier.urls(crawlA, { filter: { state: 'queued' }, after: '', limit: 9 });
  expect(urls).toMatchObject([
    { entry: { url: 'https://a.example/in', depth: 1, kind: 'page' } },
    { entry: { url: 'https://a.example/out', depth: 1, kind: 'page' } },
  ]);
  await expect(step(jobOf({ scraper: 'site' }))).rejects.toMatchObject({ code: 'conflict' });
  await frontier.close();
});
