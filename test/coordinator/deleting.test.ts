import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import type { SmallSite } from '../library/small-site.ts';
import { redisForFile } from '../redis/for-file.ts';
import { crawlNumbers, leftKeys } from '../redis/left-keys.ts';
import { coordinatorStage } from './parts.fixture.ts';

const redis = redisForFile({ settings: { appendonly: 'no' } });
const stage = coordinatorStage();
const { coordinatorIn, workerOf } = stage;
const pages = 60;
let site: SmallSite;

beforeEach(async () => {
  site = await stage.siteOf(pages);
});

const job = (name: string) => stage.job(name, [site]);

/** The folders of crawls that a worker keeps. */
const keptAt = (worker: string) =>
  readdirSync(join(stage.folder, worker)).filter((name) => name.endsWith('.crawl'));

const asked = (count: number) =>
  vi.waitFor(() => expect(site.asked.length).toBeGreaterThan(count), { timeout: 120_000 });

test('deletes a crawl that runs in its folder, and the next one of its name is whole', async () => {
  const coordinator = await coordinatorIn('data');
  const { crawl } = await coordinator.create(job('doomed'));
  await workerOf(coordinator, 'w');
  await asked(5);
  expect(existsSync(join(crawl.folder, 'crawl.db'))).toBe(true);
  expect(await coordinator.delete('doomed')).toBe(true);
  expect(await coordinator.delete('doomed')).toBe(false);
  expect(readdirSync(join(stage.folder, 'data', 'crawls'))).toEqual([]);
  expect(coordinator.crawls()).toEqual([]);
  await vi.waitFor(() => expect(keptAt('w')).toEqual([]), { timeout: 120_000 });
  const again = await coordinator.create(job('doomed'));
  expect(again.resumed).toBeUndefined();
  expect((await again.crawl.ended).balance.done).toBe(pages + 1);
});

test('deletes a crawl that another coordinator of the store works on', async () => {
  const servers = await redis();
  const store = { url: servers.url, durability: 'available', insecure: false } as const;
  const [here, there] = await Promise.all(['c1', 'c2'].map((id) => coordinatorIn(id, { store, id })));
  if (!here || !there) throw new Error('two coordinators');
  const { crawl } = await there.create(job('doomed'));
  await workerOf(there, 'w');
  await asked(5);
  expect(keptAt('w')).toEqual(['doomed.crawl']);
  const number = (await crawlNumbers(servers)).get('doomed') ?? '';
  const traces = { words: ['doomed'], number };
  expect((await leftKeys(servers, [traces])).flat().length).toBeGreaterThan(10);
  expect(await here.delete('doomed')).toBe(true);
  expect((await leftKeys(servers, [traces])).flat()).toEqual([]);
  await vi.waitFor(() => expect(existsSync(crawl.folder)).toBe(false), { timeout: 120_000 });
  expect(there.crawls()).toEqual([]);
  await vi.waitFor(() => expect(keptAt('w')).toEqual([]), { timeout: 60_000 });
  const again = await here.create(job('doomed'));
  await workerOf(here, 'w2');
  expect((await again.crawl.ended).balance.done).toBe(pages + 1);
  expect((await leftKeys(servers, [{ words: [], number }])).flat()).toEqual([]);
});

test('the name of a crawl that another coordinator has just deleted is free', async () => {
  const { url } = await redis();
  const store = { url, durability: 'available', insecure: false } as const;
  const [here, there] = await Promise.all(['f1', 'f2'].map((id) => coordinatorIn(id, { store, id })));
  if (!here || !there) throw new Error('two coordinators');
  const first = await there.create(job('freed'));
  first.crawl.ended.catch(() => undefined);
  expect(await here.delete('freed')).toBe(true);
  // It has not heard of that yet.
  const second = await there.create(job('freed'));
  expect(existsSync(second.crawl.folder)).toBe(true);
  await expect(there.create(job('freed'))).rejects.toThrow('runs already');
});

test('deletes a crawl that has ended', async () => {
  const coordinator = await coordinatorIn('data');
  const { crawl } = await coordinator.create(job('ended'));
  await crawl.stop();
  expect(await coordinator.delete('ended')).toBe(true);
  expect(existsSync(crawl.folder)).toBe(false);
  expect(await coordinator.find('ended')).toBeUndefined();
});
