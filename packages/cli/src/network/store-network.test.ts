import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type SmallSite, shopPages, startSmallSite } from '../../../../test/library/small-site.ts';
import { redisForFile } from '../../../../test/redis/for-file.ts';
import type { CrawlRun } from '../crawl/crawl-run.ts';
import { openCoordinatorService } from './coordinator-service.ts';
import { parseListen } from '@webfarer/coordinator';
import { readStoredJob } from './stored-job.ts';

const servers = redisForFile();
const clock = systemClock();
const ends: (() => Promise<void>)[] = [];
let under: string;
let site: SmallSite;
let crawls = 0;

beforeEach(async () => {
  under = mkdtempSync(join(tmpdir(), 'webfarer-store-network-'));
  site = await startSmallSite(shopPages);
  crawls++;
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  await site.stop();
  rmSync(under, { recursive: true, force: true });
});

/** One of several coordinators of a crawl in one store. */
async function coordinator(name: string): Promise<{ run: CrawlRun; stop: () => Promise<void> }> {
  const folder = join(under, name);
  const listen = parseListen('127.0.0.1:0');
  const server = { folder, listen, advertise: undefined, withWorker: false, baseFolder: under, clock };
  const service = await openCoordinatorService(server);
  ends.push(() => service.stop());
  const input = {
    name: `shop-${crawls}`,
    seeds: [site.origin],
    fetch: { allowPrivate: ['127.0.0.0/8'] },
    store: (await servers()).url,
  };
  const { run } = await service.open({ job: resolveJob(input), input, folder, userAgent: 'webfarer-test/1' });
  return { run, stop: () => service.stop() };
}

const stateOf = async (run: CrawlRun) => (await run.snapshot()).state;

it('a crawl that was paused at one coordinator stays so when another comes, until it is resumed', async () => {
  const first = await coordinator('first');
  await first.run.pause();
  const second = await coordinator('second');
  await expect.poll(() => stateOf(second.run), { timeout: 30_000 }).toBe('paused');
  expect(await stateOf(first.run)).toBe('paused');
  await first.run.resume();
  await expect.poll(() => stateOf(second.run), { timeout: 30_000 }).toBe('running');
});

it('a paused crawl goes on with whoever opens it alone', async () => {
  const first = await coordinator('first');
  await first.run.pause();
  await first.stop();
  const second = await coordinator('second');
  await expect.poll(() => stateOf(second.run), { timeout: 30_000 }).toBe('running');
});

it('a machine without a job file learns from the store what is crawled', async () => {
  const { url, nodes } = await servers();
  await nodes[0]?.ask('FLUSHALL');
  const ask = (name?: string) => readStoredJob({ url, insecure: false, name, clock });
  await expect(ask()).rejects.toThrow('the store has no crawl');
  const first = await coordinator('first');
  const name = `shop-${crawls}`;
  expect(await ask()).toMatchObject({ name, durability: 'strict', input: { seeds: [site.origin] } });
  crawls++;
  await coordinator('second');
  await expect(ask()).rejects.toThrow(`the store has several crawls: ${name}, shop-${crawls}`);
  expect(await ask(name)).toMatchObject({ name });
  await expect(ask('other')).rejects.toThrow(`the store has no crawl named other; it has ${name}`);
  await first.stop();
});
