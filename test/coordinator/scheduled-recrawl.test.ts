import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readFolder } from '@webfarer/coordinator';
import { systemClock, type WorkerId } from '@webfarer/protocol';
import { scheduleSchema } from '@webfarer/protocol/api';
import { defaultTeam } from '@webfarer/protocol/job';
import { openWorker } from '@webfarer/worker';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { type ChangingSite, startChangingSite } from '../../packages/cli/src/changing-site.fixture.ts';
import { openParts } from '../../packages/coordinator/src/coordinator.ts';
import { openScheduledCrawls } from '../../packages/coordinator/src/scheduled-crawls.ts';
import { redisForFile } from '../redis/for-file.ts';

/** A schedule with `recrawl`, on coordinators with folders and on coordinators that share a store. */
const redis = redisForFile({ settings: { appendonly: 'no' } });
const clock = systemClock();
const patience = { timeout: 90_000, interval: 50 };
const ends: (() => Promise<unknown>)[] = [];
let under: string;
let site: ChangingSite;

beforeEach(async () => {
  under = mkdtempSync(join(tmpdir(), 'webfarer-scheduled-recrawl-'));
  site = await startChangingSite({
    '/': { body: '<a href="/list">list</a> <a href="/plain">plain</a> <a href="/old">old</a>' },
    '/list': { body: '<a href="/p/1">one</a> <a href="/p/2">two</a>' },
    '/p/1': { body: '<h1>One</h1>' },
    '/p/2': { body: '<h1>Two</h1>' },
    '/plain': { body: '<p>no validators here', plain: true },
    '/old': { body: '<p>soon gone' },
  });
});
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
  await site.stop();
  rmSync(under, { recursive: true, force: true });
});

async function member(name: string, store: { url: string } | undefined) {
  const folder = join(under, name);
  const shared = store && ({ ...store, durability: 'available', insecure: false } as const);
  const coordinator = await openParts(
    { folder, version: '0', id: name, clock, ...(shared ? { store: shared } : {}) },
    undefined,
  );
  const { schedules, engine } = openScheduledCrawls({ coordinator, folder, clock });
  await coordinator.start();
  const worker = openWorker({
    link: { kind: 'in-process', connect: coordinator.connect },
    id: `worker-${name}` as WorkerId,
    version: '0',
    folder: join(under, `worker-${name}`),
    baseFolder: under,
    connections: 2,
    clock,
    random: Math.random,
  });
  await worker.start();
  ends.push(() => worker.stop().then(() => coordinator.stop({ now: true })));
  ends.push(() => engine.stop());
  return { coordinator, schedules, engine };
}

/** Due every second: the second run begins 10 s after the first, which is over by then. */
const schedule = () =>
  scheduleSchema.parse({
    name: 'news',
    when: { cron: '* * * * * *' },
    runName: 'news {COUNT}',
    overlap: 'skip',
    recrawl: true,
    run: {
      job: {
        seeds: [`${site.origin}/`],
        politeness: { gap: '2ms', slowFactor: 0 },
        fetch: { allowPrivate: [site.origin], retries: { count: 0 } },
        limits: { minFree: '1MB' },
        save: ['none'],
      },
    },
  });

const statuses = () => site.asked.map(({ path, status }) => `${path} ${status}`).toSorted();

it.each(['folder', 'store'] as const)(
  'asks only for what changed since the last run: %s',
  async (kept) => {
    const store = kept === 'store' ? { url: (await redis()).url } : undefined;
    const first = await member('a', store);
    const all = store ? [first, await member('b', store)] : [first];
    const sender = { scope: 'admin', team: defaultTeam } as const;
    await first.schedules.put('s', { schedule: schedule(), sender, revision: undefined });
    first.engine.start();
    const catalog = first.coordinator.catalog();
    const finished = (name: string) =>
      vi.waitFor(async () => expect((await catalog.find(name))?.wanted).toBe('finished'), patience);
    await finished('news 1');
    expect(statuses()).toEqual(['/ 200', '/list 200', '/old 200', '/p/1 200', '/p/2 200', '/plain 200']);
    site.asked.length = 0;
    site.pages['/p/2'] = { body: '<h1>Two, rewritten</h1><a href="/p/3">three</a>' };
    site.pages['/p/3'] = { body: '<h1>Three</h1>' };
    site.pages['/old'] = undefined;
    // Whichever coordinator is there begins it, also one that did not decide on it.
    for (const { engine } of all) engine.start();
    await finished('news 2');
    await Promise.all(all.map(({ engine }) => engine.stop()));
    expect(statuses()).toEqual([
      '/ 304',
      '/list 304',
      '/old 404',
      '/p/1 304',
      '/p/2 200',
      '/p/3 200',
      '/plain 200',
    ]);
    expect((await catalog.find('news 2'))?.previous).toMatchObject({ id: 'news 1' });
    const reader = await readFolder(first.coordinator.folderOf('news 2'));
    const rows: string[] = [];
    for await (const { url, change } of reader.changes())
      rows.push(`${change} ${url.slice(site.origin.length)}`);
    await reader.close();
    expect(rows.toSorted()).toEqual([
      'changed /p/2',
      'gone /old',
      'new /p/3',
      'unchanged /',
      'unchanged /list',
      'unchanged /p/1',
      'unchanged /plain',
    ]);
  },
  300_000,
);
