import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Coordinator, readFolder } from '@webfarer/coordinator';
import { endedBy } from '@webfarer/protocol/crawl';
import { beforeEach, expect, test } from 'vitest';
import type { SmallSite } from '../library/small-site.ts';
import { coordinatorStage } from './parts.fixture.ts';

const stage = coordinatorStage();
const pages = 40;
let site: SmallSite;
let coordinator: Coordinator;

beforeEach(async () => {
  site = await stage.siteOf(pages);
  coordinator = await stage.coordinatorIn('data');
  await stage.workerOf(coordinator, 'w');
});

const input = (changes: object = {}) => stage.job('c', [site], changes).input;
const create = async (changes: object = {}) =>
  await coordinator.create({ input: input(changes), baseFolder: stage.folder });

test('is paused and resumed by calls, and says where it stands', async () => {
  const { crawl } = await create();
  await expect.poll(() => site.asked.length).toBeGreaterThan(3);
  await crawl.pause();
  expect((await crawl.snapshot()).state).toBe('paused');
  await expect.poll(async () => (await crawl.snapshot()).balance.leased).toBe(0);
  const asked = site.asked.length;
  await crawl.resume();
  await expect.poll(() => site.asked.length).toBeGreaterThan(asked);
  expect((await crawl.explain(`${site.origin}/`)).state).toBe('done');
  expect((await crawl.ended).balance.done).toBe(pages + 1);
});

test('takes on another limit while it runs, and its workers the new revision', async () => {
  const { crawl } = await create();
  await expect.poll(() => site.asked.length).toBeGreaterThan(3);
  const limit = 12;
  await crawl.edit({ input: input({ limits: { pages: limit } }) });
  const { state, limitedBy, balance } = await crawl.ended;
  expect({ state, limitedBy, done: balance.done }).toEqual({
    state: 'limited',
    limitedBy: 'pages',
    done: limit,
  });
  const manifest = JSON.parse(readFileSync(join(crawl.folder, 'crawl.json'), 'utf8')) as { job: object };
  expect(manifest.job).toMatchObject({ limits: { pages: limit } });
});

test('is limited where a limit of its hosts refused URLs, and names it and how many, also when it is taken up again', async () => {
  const limits = { perHost: { pages: 10 } };
  for (let time = 0; time < 2; time++) {
    const { crawl } = await create({ limits });
    const { state, limitedBy, balance, snapshot } = await crawl.ended;
    expect({ state, limitedBy, done: balance.done }).toEqual({
      state: 'limited',
      limitedBy: 'perHost',
      done: 10,
    });
    const { 'host-budget': refused = 0 } = snapshot.byReason;
    expect(refused).toBeGreaterThan(0);
    expect(endedBy(snapshot)).toContain(`limits.perHost refused ${refused} URLs and `);
  }
});

test('refuses another scope unless it is told to accept it', async () => {
  const { crawl } = await create();
  const elsewhere = input({ scope: { exclude: ['*/3'] } });
  await expect(crawl.edit({ input: elsewhere })).rejects.toMatchObject({ code: 'scope-changed' });
  await crawl.edit({ input: elsewhere, rescope: true });
  expect((await crawl.ended).state).toBe('finished');
  expect((await crawl.ended).balance.refused).toBeLessThanOrEqual(1);
});

test('is stopped, and the same name takes it up again where it was', async () => {
  const { crawl } = await create();
  await expect.poll(() => site.asked.length).toBeGreaterThan(5);
  await crawl.stop();
  const { state, balance } = await crawl.ended;
  expect(state).toBe('stopped');
  expect(balance.leased).toBe(0);
  const again = await create();
  expect(again.resumed?.balance.done).toBe(balance.done);
  expect((await again.crawl.ended).balance.done).toBe(pages + 1);
  expect(new Set(site.asked).size).toBe(site.asked.length);
});

test('has a folder in which its results can be read once it has ended', async () => {
  const { crawl } = await create();
  const types: string[] = [];
  const reading = (async () => {
    for await (const { event } of crawl.follow()) types.push(event.type);
  })();
  await crawl.ended;
  await reading;
  expect(types.filter((type) => type === 'record')).toHaveLength(pages + 1);
  expect(crawl.folder).toBe(join(stage.folder, 'data', 'crawls', 'c'));
  expect(existsSync(join(crawl.folder, 'crawl.db'))).toBe(true);
  const reader = await readFolder(crawl.folder);
  expect((await reader.balance()).done).toBe(pages + 1);
  await reader.close();
});

test('of two crawls of one name the second is refused while the first runs', async () => {
  const { crawl } = await create();
  await expect(create()).rejects.toMatchObject({ code: 'usage' });
  await crawl.stop();
});
