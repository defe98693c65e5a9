import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Coordinator, type CoordinatorOptions, openCoordinator } from '@webfarer/coordinator';
import { systemClock, type WorkerId } from '@webfarer/protocol';
import { openWorker } from '@webfarer/worker';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type SmallSite, startSmallSite } from '../library/small-site.ts';
import { redisForFile } from '../redis/for-file.ts';
import { crawlNumbers, leftKeys } from '../redis/left-keys.ts';

const redis = redisForFile({ settings: { appendonly: 'no' } });
const pages = 60;
let folder: string;
let site: SmallSite;
const open: { stop(): Promise<unknown> }[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-deleting-'));
  const links = Array.from({ length: pages }, (_, i) => `<a href="/${i}">${i}</a>`).join('');
  site = await startSmallSite({
    '/': links,
    ...Object.fromEntries(Array.from({ length: pages }, (_, i) => [`/${i}`, 'x'])),
  });
});

afterEach(async () => {
  for (const part of open.splice(0).toReversed()) await part.stop();
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

async function coordinatorIn(name: string, options: Partial<CoordinatorOptions> = {}): Promise<Coordinator> {
  const coordinator = await openCoordinator({ folder: join(folder, name), version: '0', ...options });
  open.push(coordinator);
  return coordinator;
}

async function workerOf({ connect }: Coordinator, id: string): Promise<void> {
  const worker = openWorker({
    link: { kind: 'in-process', connect },
    id: id as WorkerId,
    version: '0',
    folder: join(folder, id),
    baseFolder: folder,
    connections: 4,
    clock: systemClock(),
    random: Math.random,
  });
  open.push(worker);
  await worker.start();
}

const job = (name: string) => ({
  input: {
    name,
    seeds: [`${site.origin}/`],
    politeness: { gap: '20ms', slowFactor: 0 },
    fetch: { allowPrivate: [site.origin] },
    limits: { minFree: '1MB' },
    save: ['none'],
  },
  baseFolder: folder,
});

const asked = (count: number) =>
  vi.waitFor(() => expect(site.asked.length).toBeGreaterThan(count), { timeout: 20_000 });

test('deletes a crawl that runs in its folder, and the next one of its name is whole', async () => {
  const coordinator = await coordinatorIn('data');
  const { crawl } = await coordinator.create(job('doomed'));
  await workerOf(coordinator, 'w');
  await asked(5);
  expect(existsSync(join(crawl.folder, 'crawl.db'))).toBe(true);
  expect(await coordinator.delete('doomed')).toBe(true);
  expect(await coordinator.delete('doomed')).toBe(false);
  expect(readdirSync(join(folder, 'data', 'crawls'))).toEqual([]);
  expect(coordinator.crawls()).toEqual([]);
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
  const number = (await crawlNumbers(servers)).get('doomed') ?? '';
  const traces = { words: ['doomed'], number };
  expect((await leftKeys(servers, [traces])).flat().length).toBeGreaterThan(10);
  expect(await here.delete('doomed')).toBe(true);
  expect((await leftKeys(servers, [traces])).flat()).toEqual([]);
  await vi.waitFor(() => expect(existsSync(crawl.folder)).toBe(false), { timeout: 20_000 });
  expect(there.crawls()).toEqual([]);
  const again = await here.create(job('doomed'));
  await workerOf(here, 'w2');
  expect((await again.crawl.ended).balance.done).toBe(pages + 1);
  expect((await leftKeys(servers, [{ words: [], number }])).flat()).toEqual([]);
});
