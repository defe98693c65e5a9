import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CrawlId, systemClock } from '@webfarer/protocol';
import { scheduleSchema } from '@webfarer/protocol/api';
import { defaultTeam } from '@webfarer/protocol/job';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { redisForFile } from '../../../test/redis/for-file.ts';
import { openParts } from './coordinator.ts';
import type { CoordinatorOptions } from './coordinator-options.ts';
import { readManifest } from './folder/manifest.ts';
import { openScheduledCrawls, stopInStore } from './scheduled-crawls.ts';

const servers = redisForFile();
const clock = systemClock();
const patience = { timeout: 60_000, interval: 20 };
const ends: (() => Promise<unknown>)[] = [];
let under: string;

beforeEach(() => {
  under = mkdtempSync(join(tmpdir(), 'webfarer-scheduled-'));
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  rmSync(under, { recursive: true, force: true });
});

async function open(name: string, options: Partial<CoordinatorOptions> = {}) {
  const folder = join(under, name);
  const coordinator = await openParts({ folder, version: '0', id: name, clock, ...options }, undefined);
  const scheduled = openScheduledCrawls({ coordinator, folder, clock });
  let ended: Promise<void> | undefined;
  const end = () => (ended ??= scheduled.engine.stop().then(() => coordinator.stop({ now: true })));
  ends.push(end);
  scheduled.engine.start();
  return { coordinator, end, ...scheduled };
}

/** Due every second; the second run would begin 10 s after the first, were that one not in progress. */
const schedule = scheduleSchema.parse({
  name: 'often',
  when: { cron: '* * * * * *' },
  runName: 'often {COUNT}',
  tags: ['scheduled'],
  run: { job: 'seeds: [http://127.0.0.1:9/]\n' },
});
const given = { schedule, sender: { scope: 'admin', team: defaultTeam }, revision: undefined } as const;

it('starts a crawl of its coordinator, and takes it up again after a restart', async () => {
  const first = await open('a');
  await first.schedules.put('s1', given);
  await vi.waitFor(() => expect(first.coordinator.crawls()).toHaveLength(1), patience);
  const [crawl] = first.coordinator.crawls();
  const entry = await first.coordinator.catalog().find('often 1');
  expect(entry).toMatchObject({ id: crawl?.id, tags: ['scheduled'], wanted: 'running' });
  await vi.waitFor(async () => expect((await first.schedules.get('s1'))?.state.count).toBe(1), patience);
  await first.end();

  const second = await open('a');
  await vi.waitFor(() => expect(second.coordinator.crawls()).toHaveLength(1), patience);
  expect(second.coordinator.crawl('often 1')?.id).toBe(entry?.id);
  expect((await second.schedules.get('s1'))?.state.count).toBe(1);
});

it('has all coordinators of a store take part in a run that one of them started', async () => {
  const store = { url: (await servers()).url, durability: 'strict', insecure: false } as const;
  const members = [await open('a', { store }), await open('b', { store })];
  await members[0]?.schedules.put('s1', given);
  for (const { coordinator } of members)
    await vi.waitFor(
      () => expect(coordinator.crawls().map(({ name }) => name)).toEqual(['often 1']),
      patience,
    );
  // A run is entered in the catalog before its schedule counts it.
  await vi.waitFor(
    async () => expect((await members[1]?.schedules.get('s1'))?.state).toMatchObject({ count: 1 }),
    patience,
  );
});

it('begins a run whose folder was not made yet, and reports no failure', async () => {
  const entered = {
    id: 'night 2' as CrawlId,
    name: 'night 2',
    nonce: 'of-the-instant',
    createdAtMs: 1,
    job: { name: 'night 2', seeds: ['http://127.0.0.1:9/'] },
    seeds: ['http://127.0.0.1:9/'],
    tags: [],
    wanted: 'running',
    durability: 'strict',
    ownCode: false,
    unbegun: true,
  } as const;
  const first = await open('a');
  const before = await first.coordinator.create({
    input: { name: 'night 1', seeds: ['http://127.0.0.1:9/'] },
    baseFolder: under,
  });
  await before.crawl.stop();
  const { id, nonce } = (await first.coordinator.catalog().find('night 1'))!;
  // The coordinator dies between the two steps of a start.
  await first.coordinator
    .catalog()
    .create({ ...entered, tags: [], seeds: [...entered.seeds], previous: { id, nonce } });
  await first.end();

  const second = await open('a');
  const failures: unknown[] = [];
  second.coordinator.events.listen(['crawl-failed'], (event) => failures.push(event));
  await second.coordinator.start();
  expect(failures).toEqual([]);
  expect(second.coordinator.crawl('night 2')).toMatchObject({ id: 'night 2', state: 'running' });
  const folder = second.coordinator.folderOf('night 2');
  expect(await readManifest(folder)).toMatchObject({ nonce: 'of-the-instant', previous: { id } });
  const entry = await second.coordinator.catalog().find('night 2');
  expect(entry?.unbegun).toBeFalsy();
  // From now on the folder must be there.
  await second.end();
  rmSync(folder, { recursive: true });
  const third = await open('a');
  third.coordinator.events.listen(['crawl-failed'], (event) => failures.push(event));
  await third.coordinator.start();
  expect(failures).toMatchObject([{ name: 'night 2', code: 'not-found' }]);
});

it('lets two calls open the same crawl at the same time', async () => {
  const { coordinator } = await open('a');
  const failures: unknown[] = [];
  coordinator.events.listen(['crawl-failed'], (event) => failures.push(event));
  await coordinator.start();
  const { entry } = await coordinator.catalog().create({
    id: 'c' as CrawlId,
    name: 'c',
    nonce: 'n',
    createdAtMs: 1,
    job: { name: 'c', seeds: ['http://127.0.0.1:9/'] },
    seeds: ['http://127.0.0.1:9/'],
    tags: [],
    wanted: 'running',
    durability: 'strict',
    ownCode: false,
    unbegun: true,
  });
  await Promise.all([coordinator.takeUp(entry), coordinator.takeUp(entry), coordinator.takeUp(entry)]);
  expect(coordinator.crawls().map(({ name }) => name)).toEqual(['c']);
  expect(failures).toEqual([]);
});

it('does not stop a crawl of the store that was resumed since, nor another one of its name', async () => {
  const store = { url: (await servers()).url, durability: 'strict', insecure: false } as const;
  const { coordinator } = await open('c', { store });
  const frontier = coordinator.joined!.frontier;
  const job = { name: 'replaced', seeds: ['http://127.0.0.1:9/'], contact: 'mailto:a@b.test' };
  await coordinator.create({ input: job, baseFolder: under });
  const id = job.name as CrawlId;
  await coordinator.stopCrawl(job.name);
  const stopped = (await coordinator.catalog().get(id))!;
  await coordinator.resume(job.name);
  await stopInStore(frontier, stopped);
  expect(await frontier.state(id)).toBe('running');
  await stopInStore(frontier, { ...stopped, nonce: 'of another', version: stopped.version + 99 });
  expect(await frontier.state(id)).toBe('running');
  const { version } = (await coordinator.catalog().get(id))!;
  await stopInStore(frontier, { ...stopped, version });
  expect(await frontier.state(id)).toBe('stopped');
});
