import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseListen } from '@webfarer/coordinator';
import { openMetricsServer } from '@webfarer/coordinator/server';
import { systemClock } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { createMetrics } from '@webfarer/protocol/metrics';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { shopPages, type SmallSite, startSmallSite } from '../../../../test/library/small-site.ts';
import { redisForFile } from '../../../../test/redis/for-file.ts';
import { fakeWorld } from '../fake-crawl.fixture.ts';
import { localCrawls } from '../local/local-crawl.ts';
import { type CoordinatorService, openCoordinatorService } from '../network/coordinator-service.ts';
import { runCli } from '../program.ts';

const servers = redisForFile();
/** More pages than are fetched before the crawl is paused. */
const manyLinks = Array.from({ length: 20 }, (_, n) => `<a href="/n/${n}">${n}</a>`).join(' ');
const clock = systemClock();
const ends: (() => Promise<void>)[] = [];
let under: string;
let site: SmallSite;

beforeEach(async () => {
  under = mkdtempSync(join(tmpdir(), 'webfarer-metrics-'));
  site = await startSmallSite({ ...shopPages, '/many': manyLinks });
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  await site.stop();
  rmSync(under, { recursive: true, force: true });
});

interface Opened {
  service: CoordinatorService;
  folder: string;
}

async function coordinator(name: string, withWorker = true): Promise<Opened> {
  const folder = join(under, name);
  const listen = parseListen('127.0.0.1:0');
  const service = await openCoordinatorService({
    folder,
    listen,
    advertise: undefined,
    withWorker,
    baseFolder: under,
    clock,
  });
  ends.push(() => service.stop());
  return { service, folder };
}

async function crawl({ service, folder }: Opened, more: Record<string, unknown> = {}) {
  const input = {
    name: 'shop',
    seeds: [site.origin],
    fetch: { allowPrivate: ['127.0.0.0/8'] },
    politeness: { gap: '1ms', slowFactor: 0 },
    ...more,
  };
  return await service.open({ job: resolveJob(input), input, folder, userAgent: 'webfarer-test/1' });
}

async function scrape({ service, folder }: Opened, token = 'operator.token'): Promise<string> {
  const answer = await fetch(`${service.url}/metrics`, {
    headers: { authorization: `Bearer ${readFileSync(join(folder, token), 'utf8').trim()}` },
  });
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  return await answer.text();
}

/** The sum of all series of a metric that have these labels. */
function sumOf(texts: readonly string[], name: string, labels = ''): number {
  const lines = texts
    .flatMap((text) => text.split('\n'))
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines
    .filter((line) => line.includes(labels))
    .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

it('a coordinator with a worker counts each outcome once on either side, and names no host', async () => {
  const here = await coordinator('alone');
  const { run } = await crawl(here);
  const { balance, snapshot } = await run;
  const text = await scrape(here);
  for (const side of ['webfarer_pages_total', 'webfarer_worker_pages_total']) {
    expect(sumOf([text], side)).toBe(balance.done + balance.failed + balance.refused);
    expect(sumOf([text], side, 'outcome="done"')).toBe(balance.done);
    expect(sumOf([text], side, 'crawl="shop"')).toBe(sumOf([text], side));
  }
  expect(sumOf([text], 'webfarer_bytes_total')).toBe(snapshot.bytes);
  expect(sumOf([text], 'webfarer_events_total', 'type="crawl-state"')).toBeGreaterThan(0);
  expect(sumOf([text], 'webfarer_worker_fetch_seconds_count')).toBeGreaterThanOrEqual(balance.done);
  expect(sumOf([text], 'webfarer_workers', 'state="connected"')).toBe(1);
  expect(text).not.toMatch(/127\.0\.0\.1|localhost|https?:/);
  const checked = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  expect([checked.status, checked.stdout, checked.stderr]).toEqual([0, '', '']);
});

it('worker processes are counted as one worker, each outcome once', async () => {
  const metrics = createMetrics({ clock });
  const argv = ['crawl', site.origin, '--gap', '1ms', '--allow-private', '127.0.0.0/8', '--processes', '2'];
  const { context } = fakeWorld(under, {}, argv);
  const local: typeof localCrawls = {
    ...localCrawls,
    openLocal: (options) => localCrawls.openLocal({ ...options, metrics }),
  };
  expect(await runCli(argv, { ...context, local, clock })).toBe(0);
  const text = await metrics.scrape();
  const pages = sumOf([text], 'webfarer_pages_total');
  expect(pages).toBeGreaterThan(3);
  expect(sumOf([text], 'webfarer_worker_pages_total')).toBe(pages);
  expect(sumOf([text], 'webfarer_worker_bytes_total')).toBe(sumOf([text], 'webfarer_bytes_total'));
  const done = sumOf([text], 'webfarer_worker_pages_total', 'outcome="done"');
  expect(sumOf([text], 'webfarer_worker_fetch_seconds_count')).toBeGreaterThanOrEqual(done);
  expect(sumOf([text], 'webfarer_worker_gap_seconds_count')).toBeGreaterThan(0);
});

it('two coordinators of one store report each their own part, and one of them the store', async () => {
  const store = (await servers()).url;
  const both = [await coordinator('first'), await coordinator('second')];
  const runs = [];
  // Held at first, so that both are there when the pages are counted.
  const slow = { seeds: [`${site.origin}/many`], politeness: { gap: '300ms', slowFactor: 0 } };
  for (const one of both) runs.push((await crawl(one, { name: 'shared', store, ...slow })).run);
  await runs[0]?.pause();
  await expect.poll(async () => (await both[0]?.service.status())?.peers.length, { timeout: 30_000 }).toBe(2);
  await expect
    .poll(
      async () => {
        const texts = await Promise.all(both.map((one) => scrape(one)));
        return [sumOf(texts, 'webfarer_crawls'), sumOf(texts, 'webfarer_coordinators')];
      },
      { timeout: 30_000 },
    )
    .toEqual([1, 2]);
  await runs[0]?.resume();
  const [summary] = await Promise.all(runs);
  const texts = await Promise.all(both.map((one) => scrape(one)));
  const { done, failed, refused } = summary?.balance ?? { done: -1, failed: 0, refused: 0 };
  expect(sumOf(texts, 'webfarer_pages_total')).toBe(done + failed + refused);
  expect(sumOf(texts, 'webfarer_store_call_seconds_count', 'result="ok"')).toBeGreaterThan(0);
});

it('the API answers /metrics to a token of its own scope and to an admin, and to nobody else', async () => {
  const here = await coordinator('guarded', false);
  await crawl(here);
  const admin = readFileSync(join(here.folder, 'operator.token'), 'utf8').trim();
  const ask = (path: string, token: string, init: RequestInit = {}) =>
    fetch(here.service.url + path, {
      ...init,
      headers: { ...init.headers, authorization: `Bearer ${token}` },
    });
  const tokenOf = async (scope: string) => {
    const headers = { 'content-type': 'application/json' };
    const made = await ask('/v1/tokens', admin, { method: 'POST', body: JSON.stringify({ scope }), headers });
    return ((await made.json()) as { token: string }).token;
  };
  const statuses: Record<string, number> = { admin: (await ask('/metrics', admin)).status };
  for (const scope of ['metrics', 'viewer', 'operator', 'worker'])
    statuses[scope] = (await ask('/metrics', await tokenOf(scope))).status;
  statuses.nobody = (await fetch(`${here.service.url}/metrics`)).status;
  expect(statuses).toEqual({
    admin: 200,
    metrics: 200,
    viewer: 403,
    operator: 403,
    worker: 403,
    nobody: 401,
  });
  expect((await ask('/v1/crawls', await tokenOf('metrics'))).status).toBe(403);
});

it('the port of --metrics answers GET /metrics by address, and nothing else', async () => {
  const metrics = createMetrics({ clock });
  const server = await openMetricsServer({ host: '127.0.0.1', port: 0 }, metrics);
  ends.push(() => server.stop());
  const { port } = server.address;
  const ask = (path: string, method = 'GET', host = `127.0.0.1:${port}`) =>
    new Promise<number | undefined>((resolve, reject) => {
      request({ port, path, method, headers: { host } }, (answer) => {
        answer.resume();
        resolve(answer.statusCode);
      })
        .on('error', reject)
        .end();
    });
  expect([await ask('/metrics'), await ask('/metrics', 'HEAD'), await ask('/metrics?x=1')]).toEqual([
    200, 200, 200,
  ]);
  expect([await ask('/'), await ask('/metrics/x'), await ask('/metrics', 'POST')]).toEqual([404, 404, 405]);
  expect(await ask('/metrics', 'GET', 'rebound.example')).toBe(403);
});

it('crawl --metrics answers while the crawl runs', async () => {
  let text = '';
  const argv = [
    'crawl',
    site.origin,
    '--metrics',
    '127.0.0.1:0',
    '--gap',
    '1ms',
    '--allow-private',
    '127.0.0.0/8',
  ];
  const world = fakeWorld(under, {}, argv);
  const running = runCli(argv, { ...world.context, local: localCrawls, clock });
  await expect.poll(() => world.out(), { timeout: 30_000 }).toMatch(/metrics: {2}http\S+\/metrics/);
  const [url = ''] = /http\S+\/metrics/.exec(world.out()) ?? [];
  await expect
    .poll(
      async () => {
        text = await fetch(url).then(
          (answer) => answer.text(),
          () => text,
        );
        return sumOf([text], 'webfarer_worker_pages_total');
      },
      { timeout: 30_000, interval: 5 },
    )
    .toBeGreaterThan(0);
  expect(await running).toBe(0);
  expect(text).toContain('role="crawl"');
  await expect(fetch(url)).rejects.toThrow();
});
