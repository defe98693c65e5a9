import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { retryAll } from '../../all-steps.ts';
import { redisForFile } from '../../../../../../test/redis/for-file.ts';
import { testClock } from '../../suite/clock.fixture.ts';
import {
  answered,
  collect,
  crawlA,
  host as hostKey,
  offerOf,
  outcome,
  settings,
  url,
  worker,
} from '../../suite/world.fixture.ts';
import { groupTag } from '../../../redis/keys.ts';
import { openRedisFrontier, type RedisFrontier } from '../redis-frontier.ts';
import { openStore, type RedisStore } from '../../../redis/store.ts';
import type { BacklogOptions } from './backlog.ts';
import { drainedTo } from './drained.fixture.ts';

const servers = redisForFile({ settings: { appendonly: 'no' } });
/** One group, so that everything is in one stream. */
const groups = 1;
const stream = `${groupTag(0)}1r`;
const clock = testClock();
let store: RedisStore;
let here: ReturnType<typeof drainedTo>;
let there: ReturnType<typeof drainedTo>;
const opened: RedisFrontier[] = [];

beforeEach(async () => {
  store = await openStore({ url: (await servers()).url, replicas: 0, clock: systemClock() });
  await store.run([{ key: '{wf}', args: ['FLUSHALL'] }]);
  here = drainedTo('here');
  there = drainedTo('there');
});

afterEach(async () => {
  for (const frontier of opened.splice(0)) await frontier.close();
  await store.close();
  here.remove();
  there.remove();
});

/** A process of its own, as far as the store can tell. */
async function join1(
  backlog?: BacklogOptions,
  options: { segments?: string[] } = {},
): Promise<RedisFrontier> {
  const own = await openStore({ url: (await servers()).url, replicas: 0, clock: systemClock() });
  const frontier = await openRedisFrontier({
    store: own,
    clock,
    time: 'given',
    groups,
    ...(backlog ? { backlog } : {}),
    ...options,
  });
  opened.push(frontier);
  await frontier.openCrawl({ ...settings, gapMs: 0 });
  return frontier;
}

/** Settles so many URLs, each with an item and a link. */
async function settle(frontier: RedisFrontier, names: string[]): Promise<void> {
  await frontier.offer(
    crawlA,
    names.map((name) => offerOf(`http://a.test/${name}`)),
  );
  const { leases } = await frontier.lease({ worker, hosts: 1, urlsPerHost: names.length });
  for (const { id, crawl, host, fence, entries } of leases) {
    const settled = entries.map((entry) =>
      outcome(entry, {
        record: { title: `Grüße ${entry.url}` },
        items: [entry.url],
        edges: [{ to: entry.url, rel: 'a' }],
      }),
    );
    const news = { ...answered, gapMs: 0 };
    await frontier.report([{ id, crawl, host, fence, settled, news, close: true }]);
  }
  clock.advance(10);
}

async function paths(frontier: RedisFrontier): Promise<string[]> {
  const records = await collect(frontier.results.records(crawlA));
  return records.map((record) => record.url.slice('http://a.test/'.length));
}

async function waiting(): Promise<number> {
  const [length] = await store.run([{ key: groupTag(0), args: ['XLEN', stream] }]);
  return Number(length);
}

const dying = (backlog: BacklogOptions, at: string): BacklogOptions => ({
  ...backlog,
  drain: backlog.drain && {
    ...backlog.drain,
    failpoint(step) {
      if (step === at) throw new Error(`died when ${step}`);
    },
  },
});

it('writes results beyond the backlog to files that any gzip tool reads', async () => {
  const frontier = await join1({ ...here.backlog, results: 3 });
  await settle(frontier, ['1', '2']);
  expect(await frontier.drain()).toBe(0);
  await settle(frontier, ['3']);
  expect(await frontier.drain()).toBe(3);
  expect(await waiting()).toBe(0);
  await settle(frontier, ['4']);
  const names = execFileSync('find', [here.folder, '-type', 'f'], { encoding: 'utf8' }).trim().split('\n');
  expect(names).toHaveLength(1);
  expect(names[0]).toMatch(/\/a\/g0\/0-0_\d+-\d+\.jsonl\.gz$/);
  const lines = execFileSync('zcat', names, { encoding: 'utf8' }).trim().split('\n');
  expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
    { record: { url: 'http://a.test/1', title: 'Grüße http://a.test/1' }, items: ['http://a.test/1'] },
    { record: { url: 'http://a.test/2' } },
    { record: { url: 'http://a.test/3' } },
  ]);
  expect(await paths(frontier)).toEqual(['1', '2', '3', '4']);
  expect(await collect(frontier.results.items(crawlA))).toHaveLength(4);
  expect(await frontier.results.edgesOf(crawlA, url('http://a.test/2'))).toEqual([
    { to: 'http://a.test/2', rel: 'a' },
  ]);
  expect(await frontier.look(crawlA, url('http://a.test/1'))).toMatchObject({ state: 'settled' });
  expect(await frontier.kept(crawlA)).toMatchObject({ segments: 1, records: 3, absent: [] });
});

it('tells which results lie elsewhere, and reads them once they are at hand', async () => {
  const frontier = await join1(here.backlog);
  await settle(frontier, ['1', '2']);
  await frontier.drain();
  await settle(frontier, ['3']);
  const other = await join1();
  // Within reach where its owner put it.
  expect(await paths(other)).toEqual(['1', '2', '3']);
  const away = join(there.folder, 'copy');
  renameSync(here.folder, away);
  expect(await paths(other)).toEqual(['3']);
  expect((await other.kept(crawlA)).absent).toEqual([
    { owner: 'here', folder: here.folder, machine: 'here', segments: 1, records: 2 },
  ]);
  await expect(other.look(crawlA, url('http://a.test/1'))).rejects.toThrow(/2 results .* here/);
  const informed = await join1(undefined, { segments: [away] });
  expect(await paths(informed)).toEqual(['1', '2', '3']);
  expect((await informed.kept(crawlA)).absent).toEqual([]);
});

it.each(['claimed', 'written'] as const)('loses and doubles nothing when it dies: %s', async (step) => {
  const dead = await join1(dying(here.backlog, step));
  await settle(dead, ['1', '2']);
  await expect(dead.drain()).rejects.toThrow('died');
  expect(await paths(dead)).toEqual(['1', '2']);
  const other = await join1(there.backlog);
  await settle(other, ['3']);
  // Somebody may still be writing it.
  expect(await other.drain()).toBe(0);
  clock.advance(60_000);
  expect(await other.drain()).toBe(3);
  expect(await paths(other)).toEqual(['1', '2', '3']);
  expect(await other.kept(crawlA)).toMatchObject({ segments: 2, records: 3 });
  // The one that died comes back to its folder.
  const back = await join1(here.backlog);
  expect(await back.drain()).toBe(0);
  expect(await paths(back)).toEqual(['1', '2', '3']);
});

it('leaves no file of results that left the store while they were read', async () => {
  let goOn = (): void => undefined;
  const held = new Promise<void>((resolve) => (goOn = resolve));
  const { drain } = here.backlog;
  const slow = await join1({ results: 1, drain: drain && { ...drain, failpoint: () => held } });
  await settle(slow, ['1', '2']);
  const late = slow.drain();
  const other = await join1(there.backlog);
  await expect
    .poll(() => store.run([{ key: groupTag(0), args: ['GET', `${groupTag(0)}1x`] }]))
    .not.toEqual([null]);
  clock.advance(60_000);
  expect(await other.drain()).toBe(2);
  goOn();
  expect(await late).toBe(0);
  // Its own folder is looked through first.
  expect(await paths(slow)).toEqual(['1', '2']);
  expect((await slow.kept(crawlA)).absent).toEqual([]);
});

it('goes on with its own claim at once', async () => {
  const dead = await join1(dying(here.backlog, 'claimed'));
  await settle(dead, ['1']);
  await expect(dead.drain()).rejects.toThrow('died');
  const back = await join1(here.backlog);
  expect(await back.drain()).toBe(1);
  expect(await paths(back)).toEqual(['1']);
});

it('loses results when they leave the store before they are on the disk', async () => {
  const { drain } = here.backlog;
  const careless = { results: 1, drain: drain && { ...drain, unsafeKeepFirst: true } };
  const dead = await join1(dying(careless, 'kept'));
  await settle(dead, ['1', '2']);
  await expect(dead.drain()).rejects.toThrow('died');
  expect(await paths(dead)).toEqual([]);
});

it('puts URLs back whose records are in files, also while they are being written', async () => {
  const dead = await join1(dying(here.backlog, 'written'));
  await settle(dead, ['1', '2']);
  await expect(dead.drain()).rejects.toThrow('died');
  // In the file that was written and in the stream.
  expect(await retryAll(dead, crawlA, { host: hostKey('a.test') })).toBe(2);
  const back = await join1(here.backlog);
  await settle(back, []);
  await back.drain();
  expect(await paths(back)).toEqual([]);
  await settle(back, ['1', '2', '3']);
  await back.drain();
  expect(await paths(back)).toEqual(['1', '2', '3']);
  expect(await retryAll(back, crawlA, { status: '200' })).toBe(3);
  expect(await retryAll(back, crawlA, { status: '200' })).toBe(0);
  expect(await paths(back)).toEqual([]);
  expect(await back.balance(crawlA)).toMatchObject({ queued: 3, done: 0 });
  expect(await back.totals(crawlA)).toMatchObject({ items: 0, edges: 0, bytes: 0 });
});

it('drains under the eyes of a reader', async () => {
  const frontier = await join1({ ...here.backlog, results: 100 });
  const names = Array.from({ length: 1200 }, (_, n) => String(n));
  await settle(frontier, names);
  const seen: string[] = [];
  for await (const { url: found } of frontier.results.records(crawlA)) {
    if (seen.push(found.slice('http://a.test/'.length)) === 600) await frontier.drain();
  }
  expect(await waiting()).toBe(0);
  expect(seen).toEqual(names);
});

it('leases nothing while far too much waits, says why, and goes on when it can write again', async () => {
  // A file where the folder should be.
  const blocked = join(here.folder, 'segments');
  writeFileSync(blocked, '');
  const drain = { owner: 'here', folder: blocked, machine: 'here' };
  const frontier = await join1({ results: 2, drain });
  const told: (string | undefined)[] = [];
  frontier.onBacklog((pause) => told.push(pause?.text));
  await settle(
    frontier,
    Array.from({ length: 20 }, (_, n) => String(n)),
  );
  await frontier.offer(crawlA, [offerOf('http://a.test/next')]);
  const ask = () => frontier.lease({ worker, hosts: 1, urlsPerHost: 10 });
  await expect
    .poll(async () => (await frontier.sweep(), told.at(-1)), { timeout: 30_000 })
    .toMatch(/ENOTDIR|EEXIST/);
  expect(told.at(-1)).toMatch(/20 results wait/);
  expect(await ask()).toMatchObject({ leases: [], nextDueMs: 250 });
  expect(await frontier.finish(crawlA)).toBe(false);
  rmSync(blocked);
  mkdirSync(blocked);
  await expect.poll(async () => (await frontier.sweep(), told.at(-1)), { timeout: 30_000 }).toBe(undefined);
  expect((await ask()).leases).toHaveLength(1);
  expect(await paths(frontier)).toHaveLength(20);
});

it('is through with it although others bring more all the time', async () => {
  const frontier = await join1({ ...here.backlog, results: 5 });
  let more = true;
  let next = 0;
  const bring = async () => {
    const other = await join1();
    while (more)
      await settle(
        other,
        Array.from({ length: 20 }, () => String(next++)),
      );
  };
  const bringing = bring();
  await expect.poll(waiting).toBeGreaterThan(20);
  await frontier.sweep();
  expect(await frontier.drain()).toBeGreaterThan(0);
  more = false;
  await bringing;
  expect((await paths(frontier)).length).toBe(next);
});
