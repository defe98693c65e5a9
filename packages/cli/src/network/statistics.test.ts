import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseListen, readFolder, readToken } from '@webfarer/coordinator';
import { systemClock } from '@webfarer/protocol';
import { createClient, type ShownHostGraph, type ShownStatistics } from '@webfarer/protocol/api';
import { resolveJob } from '@webfarer/protocol/job';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { shopPages, type SmallSite, startSmallSite } from '../../../../test/library/small-site.ts';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { runCli } from '../program.ts';
import { openCoordinatorService } from './coordinator-service.ts';

let under: string;
let site: SmallSite;
beforeEach(async () => {
  under = mkdtempSync(join(tmpdir(), 'webfarer-statistics-'));
  site = await startSmallSite({ ...shopPages, '/about': { status: 410 } });
});
afterEach(async () => {
  await site.stop();
  rmSync(under, { recursive: true, force: true });
});

/** A crawl of the shop at a coordinator, and a client of its API. */
async function crawledShop() {
  const folder = join(under, 'data');
  const service = await openCoordinatorService({
    folder,
    listen: parseListen('127.0.0.1:0'),
    advertise: undefined,
    withWorker: true,
    baseFolder: under,
    clock: systemClock(),
  });
  const fetching = { allowPrivate: ['127.0.0.0/8'], retries: { count: 0 } };
  const input = { name: 'shop', seeds: [site.origin], politeness: { gap: '5ms' }, fetch: fetching };
  const job = resolveJob(input);
  const { run } = await service.open({ job, input, folder, userAgent: 'webfarer-test/1' });
  const { balance } = await run;
  const token = await readToken(join(folder, 'operator.token'));
  return { service, folder, balance, api: createClient({ url: service.url, token, fetch }) };
}

it('a coordinator counts what the site has answered, as webfarer stats does', async () => {
  const { service, folder, balance, api } = await crawledShop();
  let answer: ShownStatistics = await api.getStatistics({ params: { crawl: 'shop' } });
  for (let turn = 0; turn < 100 && !answer.ready; turn++)
    answer = await api.getStatistics({ params: { crawl: 'shop' }, query: { id: answer.id } });
  const { statistics } = answer;
  if (!statistics) throw new Error('it is never ready');
  await service.stop();
  const { done, failed, refused } = balance;
  expect(statistics.verdicts).toEqual({ done, failed, refused });
  expect(answer.balance).toEqual(balance);
  // What the site itself has logged, without robots.txt.
  const asked = new Set(site.asked.filter((path) => path !== '/robots.txt' && !path.includes('sitemap')));
  expect(statistics.totals.answers).toBe(asked.size);

  const words = ['stats', folder, '--json'];
  const { context, out } = fakeWorld(under, {}, words);
  context.local.readFolder = (path) => readFolder(path);
  expect(await runCli(words, context)).toBe(0);
  const tables = out()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; rows: unknown[][] });
  const rows = (id: string) => tables.find((table) => table.id === id)?.rows;
  const pairs = { status: 'status', types: 'mime-detected', depths: 'depths', kinds: 'kinds' } as const;
  for (const [name, id] of Object.entries(pairs)) {
    const shown = statistics.tables[name as keyof typeof pairs].rows;
    expect(shown.map((row) => [row.key, row.urls, row.pages, row.bytes])).toEqual(rows(id));
  }
  expect(statistics.tables.status.rows.map(({ key, urls }) => [key, urls])).toContainEqual(['410', 1]);
  expect(statistics.sizes.steps.map(({ above, upTo, urls }) => [above, upTo, urls])).toEqual(rows('sizes'));
});

it('a coordinator maps the hosts of a crawl, and those that it only links to', async () => {
  const elsewhere = 'http://elsewhere.test/';
  await site.stop();
  site = await startSmallSite({
    ...shopPages,
    '/about': `<a href="${elsewhere}">one</a> <a href="${elsewhere}b">b</a>`,
  });
  const { service, api } = await crawledShop();
  const params = { crawl: 'shop' };
  let answer: ShownHostGraph = await api.getHostGraph({ params });
  for (let turn = 0; turn < 100 && !answer.ready; turn++)
    answer = await api.getHostGraph({ params, query: { id: answer.id } });
  expect(answer.graph?.hosts).toMatchObject([
    { host: '127.0.0.1', crawled: true, linksOut: 2, hostsOut: 1 },
    { host: 'elsewhere.test', crawled: false, urls: 0, linksIn: 2, hostsIn: 1 },
  ]);
  expect(answer.graph?.links).toEqual([[0, 1, 2]]);
  const first = await api.getHostGraph({ params, query: { limit: 1 } });
  expect(first.graph).toMatchObject({
    hosts: [{ host: '127.0.0.1' }],
    links: [],
    totals: { hosts: 2, links: 2 },
  });
  await service.stop();
});
