import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type HostLease, systemClock, type WorkerId } from '@webfarer/protocol';
import { afterEach, expect, it, vi } from 'vitest';
import { startRedis } from '../../../../test/redis/servers.ts';
import type { Frontier } from '../frontier/frontier.ts';
import { openRedisFrontier } from '../frontier/redis/redis-frontier.ts';
import { openSqliteFrontier } from '../frontier/sqlite/sqlite-frontier.ts';
import { crawlA, offerOf, outcome, quiet, settings } from '../frontier/suite/world.fixture.ts';
import { openStore } from '../redis/store.ts';
import { resultKinds, type Results, type ResultsCursor } from './results.ts';

const clock = systemClock();
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

async function settle(frontier: Frontier, names: string[]): Promise<void> {
  await frontier.offer(
    crawlA,
    names.map((name) => offerOf(`http://a.test/${name}`)),
  );
  const lease = await leaseOne(frontier, names.length);
  const settled = lease.entries.map((entry) => outcome(entry));
  await frontier.report([{ ...lease, settled, news: quiet, close: true }]);
}

/** A server that has just been restarted may answer late, and then nothing is leased yet. */
async function leaseOne(frontier: Frontier, urlsPerHost: number): Promise<HostLease> {
  return await vi.waitFor(async () => {
    const { leases } = await frontier.lease({ worker: 'w' as WorkerId, hosts: 1, urlsPerHost });
    expect(leases).toHaveLength(1);
    return leases[0]!;
  }, 20_000);
}

const page = (frontier: { results: Results }, cursor?: ResultsCursor) =>
  frontier.results.after(crawlA, cursor, { kinds: resultKinds, filter: {}, limit: 100, absent: 'hold' });

it('refuses a cursor behind what an older copy of the file has, also once that has grown', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-back-'));
  ends.push(() => rmSync(folder, { recursive: true }));
  const [path, copy] = [join(folder, 'crawl.db'), join(folder, 'copy.db')];
  let frontier = openSqliteFrontier({ path, clock });
  const reopen = async () => {
    await frontier.close();
    frontier = openSqliteFrontier({ path, clock });
  };
  await frontier.openCrawl({ ...settings, gapMs: 0 });
  await settle(frontier, ['1', '2']);
  const early = await page(frontier);
  await reopen();
  expect((await page(frontier, early.cursor)).entries).toEqual([]);
  await frontier.close();
  cpSync(path, copy);
  frontier = openSqliteFrontier({ path, clock });
  await settle(frontier, ['3', '4']);
  const late = await page(frontier, early.cursor);
  expect(late.entries).toHaveLength(2);
  await frontier.close();
  for (const suffix of ['', '-wal', '-shm']) rmSync(path + suffix, { force: true });
  cpSync(copy, path);
  frontier = openSqliteFrontier({ path, clock });
  await expect(page(frontier, late.cursor)).rejects.toMatchObject({ code: 'cursor-stale' });
  await settle(frontier, ['5', '6', '7']);
  await expect(page(frontier, late.cursor)).rejects.toMatchObject({ code: 'cursor-stale' });
  expect((await page(frontier, early.cursor)).entries).toHaveLength(3);
  await frontier.close();
});

it('refuses a cursor behind what a restored server has, and no other', async () => {
  const servers = await startRedis();
  ends.push(() => servers.stop());
  const store = await openStore({ url: servers.url, replicas: 0, clock });
  const frontier = await openRedisFrontier({ store, clock, groups: 4 });
  ends.push(() => frontier.close());
  await frontier.openCrawl({ ...settings, gapMs: 0 });
  await settle(frontier, ['1', '2']);
  const early = await page(frontier);
  const server = servers.nodes[0]!;
  const copy = `${server.folder}.copy`;
  await server.kill('SIGKILL');
  cpSync(server.folder, copy, { recursive: true });
  await server.restart();
  expect((await page(frontier, early.cursor)).entries).toEqual([]);
  await settle(frontier, ['3', '4']);
  const late = await page(frontier, early.cursor);
  expect(late.entries).toHaveLength(2);
  await server.kill('SIGKILL');
  rmSync(server.folder, { recursive: true });
  cpSync(copy, server.folder, { recursive: true });
  await server.restart();
  await expect(page(frontier, late.cursor)).rejects.toMatchObject({ code: 'cursor-stale' });
  await settle(frontier, ['5']);
  await expect(page(frontier, late.cursor)).rejects.toMatchObject({ code: 'cursor-stale' });
  expect((await page(frontier, early.cursor)).entries).toHaveLength(1);
});
