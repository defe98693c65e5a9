import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Coordinator, CrawlListing } from '@webfarer/coordinator';
import type { WebfarerEvent } from '@webfarer/protocol';
import { beforeEach, expect, test, vi } from 'vitest';
import type { SmallSite } from '../library/small-site.ts';
import { redisForFile } from '../redis/for-file.ts';
import { coordinatorStage } from './parts.fixture.ts';

/** A coordinator that is started again, or beside another one, does what operators wanted last. */
const redis = redisForFile({ settings: { appendonly: 'no' } });
const stage = coordinatorStage();
const pages = 60;
const patience = { timeout: 120_000 };
let site: SmallSite;

beforeEach(async () => {
  site = await stage.siteOf(pages);
});

const job = (name: string, more?: object) => stage.job(name, [site], more);

async function all(coordinator: Coordinator, query: object = {}): Promise<CrawlListing[]> {
  return (await coordinator.list({ after: '', limit: 100, states: [], tags: [], ...query })).crawls;
}

const states = async (coordinator: Coordinator) =>
  Object.fromEntries((await all(coordinator)).map(({ entry, state }) => [entry.name, state]));

async function restarted(coordinator: Coordinator, name: string): Promise<Coordinator> {
  await coordinator.stop();
  const next = await stage.coordinatorIn(name);
  await next.start();
  return next;
}

test('takes up at its start what was running or paused, and lists what was stopped or is over', async () => {
  const first = await stage.coordinatorIn('data');
  const running = await first.create(job('running'));
  const paused = await first.create(job('paused'));
  const stopped = await first.create(job('stopped'));
  const over = await first.create(job('over', { limits: { pages: 1, minFree: '1MB' } }));
  await paused.crawl.pause();
  await stopped.crawl.stop();
  await stage.workerOf(first, 'w');
  await over.crawl.ended;
  expect(running.crawl.state).toBe('running');
  const second = await restarted(first, 'data');
  expect(await states(second)).toEqual({
    running: 'running',
    paused: 'paused',
    stopped: 'stopped',
    over: 'limited',
  });
  expect(
    second
      .crawls()
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(['paused', 'running']);
  await stage.workerOf(second, 'w2');
  expect((await second.crawl('running')?.ended)?.balance.done).toBe(pages + 1);
  expect(await states(second)).toMatchObject({ running: 'finished', paused: 'paused' });
});

test('resumes by name what was stopped, paused or limited', async () => {
  const coordinator = await stage.coordinatorIn('data');
  await stage.workerOf(coordinator, 'w');
  const { crawl } = await coordinator.create(job('c', { limits: { pages: 3, minFree: '1MB' } }));
  expect((await crawl.ended).state).toBe('limited');
  expect(
    await coordinator.edit('c', { input: job('c', { limits: { pages: 5, minFree: '1MB' } }).input }),
  ).toBe(true);
  const again = await coordinator.resume('c');
  expect((await again?.ended)?.balance.done).toBe(5);
  await coordinator.edit('c', { input: job('c').input });
  await coordinator.resume('c');
  expect(await coordinator.pause('c')).toBe(true);
  expect(coordinator.crawl('c')?.state).toBe('paused');
  expect(await coordinator.stopCrawl('c')).toBe(true);
  expect(await states(coordinator)).toEqual({ c: 'stopped' });
  expect((await (await coordinator.resume('c'))?.ended)?.balance.done).toBe(pages + 1);
  expect(await coordinator.resume('nobody')).toBeUndefined();
  expect(await coordinator.pause('nobody')).toBe(false);
  // Nothing was asked for twice, in four sessions.
  expect(new Set(site.asked).size).toBe(site.asked.length);
});

test('an edit outlives the coordinator, also one of a crawl that does not run', async () => {
  const first = await stage.coordinatorIn('data');
  const { crawl } = await first.create(job('c'));
  await crawl.edit({ input: job('c', { limits: { pages: 7, minFree: '1MB' } }).input });
  const second = await restarted(first, 'data');
  expect(second.crawl('c')?.job.limits.pages).toBe(7);
  await second.stopCrawl('c');
  await second.edit('c', { input: job('c', { limits: { pages: 9, minFree: '1MB' } }).input });
  await expect(second.edit('c', { input: job('d').input })).rejects.toThrow('keeps its name');
  const third = await restarted(second, 'data');
  expect((await third.resume('c'))?.job.limits.pages).toBe(9);
});

const nameOf = (event: WebfarerEvent) => ('name' in event ? String(event.name) : '');

test('a crawl that cannot be opened is reported and listed as failed, and the others run', async () => {
  const first = await stage.coordinatorIn('data');
  for (const name of ['a', 'missing', 'spoilt', 'z']) await first.create(job(name));
  await first.stop();
  const crawls = join(stage.folder, 'data', 'crawls');
  rmSync(join(crawls, 'missing'), { recursive: true });
  for (const file of ['crawl.json', 'crawl.db']) writeFileSync(join(crawls, 'spoilt', file), 'nonsense');
  const second = await stage.coordinatorIn('data');
  const events: WebfarerEvent[] = [];
  second.events.listen(['crawl-failed'], (event) => events.push(event));
  await second.start();
  expect(await states(second)).toEqual({ a: 'running', missing: 'failed', spoilt: 'failed', z: 'running' });
  // They are opened at once, in no order.
  expect(events.toSorted((a, b) => nameOf(a).localeCompare(nameOf(b)))).toMatchObject([
    { name: 'missing', message: expect.stringContaining('is missing') as string },
    { name: 'spoilt' },
  ]);
  expect((await second.find('missing'))?.failure?.message).toContain('is missing');
  await expect(second.resume('missing')).rejects.toThrow('is missing');
});

test('only its own program takes up a crawl that is handled by its code', async () => {
  const first = await stage.coordinatorIn('data');
  await first.create({ ...job('own'), ownCode: true });
  const second = await restarted(first, 'data');
  expect(second.crawls()).toEqual([]);
  expect(await states(second)).toEqual({ own: 'running' });
  await expect(second.resume('own')).rejects.toThrow('your own program');
});

test('a crawl that another coordinator of the store creates, pauses, edits and stops is followed', async () => {
  const { url } = await redis();
  const store = { url, durability: 'available', insecure: false } as const;
  const [a, b] = (await Promise.all(['a', 'b'].map((id) => stage.coordinatorIn(id, { store, id })))) as [
    Coordinator,
    Coordinator,
  ];
  await a.start();
  await b.start();
  // So many that some are left when the limit comes.
  site = await stage.siteOf(5 * pages);
  await stage.workerOf(b, 'w');
  const { crawl } = await a.create(job('c'));
  await vi.waitFor(() => expect(b.crawl('c')?.state).toBe('running'), patience);
  await vi.waitFor(() => expect(site.asked.length).toBeGreaterThan(5), patience);
  await crawl.pause();
  await vi.waitFor(() => expect(b.crawl('c')?.state).toBe('paused'), patience);
  await crawl.edit({ input: job('c', { limits: { pages: 30, minFree: '1MB' } }).input });
  await vi.waitFor(() => expect(b.crawl('c')?.job.limits.pages).toBe(30), patience);
  await b.stopCrawl('c');
  expect((await crawl.ended).state).toBe('stopped');
  expect([await states(a), await states(b)]).toEqual([{ c: 'stopped' }, { c: 'stopped' }]);
  await a.resume('c');
  await vi.waitFor(() => expect(b.crawl('c')?.state).toBe('running'), patience);
  const ends = await Promise.all([a.crawl('c')?.ended, b.crawl('c')?.ended]);
  expect(ends.map((end) => end?.state)).toEqual(['limited', 'limited']);
  await vi.waitFor(async () => expect(await states(a)).toEqual({ c: 'limited' }), patience);
  // Deleted and created anew at one, it is dropped and taken up at the other.
  await b.delete('c');
  await vi.waitFor(() => expect(a.crawl('c')).toBeUndefined(), patience);
  await b.create(job('c'));
  await vi.waitFor(() => expect(a.crawl('c')?.state).toBe('running'), patience);
  expect((await a.crawl('c')?.ended)?.balance.done).toBe(5 * pages + 1);
});
