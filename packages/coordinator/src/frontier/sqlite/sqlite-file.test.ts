import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { frontierSuite } from '../suite/frontier.suite.ts';
import {
  answered,
  collect,
  crawlA,
  createWorld,
  gapMs,
  offerOf,
  outcome,
  settings,
  url,
  worker,
  type World,
} from '../suite/world.fixture.ts';
import type { TestClock } from '../suite/clock.fixture.ts';
import { sqlite } from '../../sqlite/node-sqlite.ts';
import { openDatabase } from './schema.ts';
import { frontierOn, openSqliteFrontier, type SqliteFrontierOptions } from './sqlite-frontier.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-frontier-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const file = () => join(folder, 'frontier.db');

// So small that every fold and merge happens all the time.
const sizes = { seen: { table: 4, tail: 3, runsPerLevel: 2, pace: 2, kept: 7, recent: 4 }, unlisted: 5 };

frontierSuite({
  name: 'SQLite file, small portions',
  open: async (clock) => openSqliteFrontier({ path: file(), clock, sizes }),
});

function world(options: Partial<SqliteFrontierOptions> = {}): Promise<World> {
  return createWorld({
    name: 'file',
    open: async (clock: TestClock) => openSqliteFrontier({ path: file(), clock, ...options }),
  });
}

describe('a frontier in a file', () => {
  it('goes on after a restart with the same balance, leases and clocks', async () => {
    const w = await world();
    await w.openCrawl();
    await w.offer(['http://a.test/1', 'http://a.test/2', 'http://b.test/1']);
    const [a, b] = await w.lease(2, 1);
    await w.report(b!, { settled: [outcome(b!.entries[0]!)], news: answered, close: true });
    const before = await w.balance();
    await w.frontier.close();

    w.frontier = openSqliteFrontier({ path: file(), clock: w.clock });
    expect(await w.frontier.balance(crawlA)).toEqual(before);
    expect(await w.frontier.offer(crawlA, [offerOf('http://a.test/2')])).toEqual(['known']);
    expect(await w.frontier.lease({ worker: 'w' as never, hosts: 5, urlsPerHost: 5 })).toMatchObject({
      leases: [],
    });
    const ref = { ...a!, settled: [outcome(a!.entries[0]!)], news: answered, close: true };
    expect(await w.frontier.report([ref])).toMatchObject([{ ok: true }]);
    w.clock.advance(gapMs);
    const { leases } = await w.frontier.lease({ worker: 'w' as never, hosts: 5, urlsPerHost: 5 });
    expect(leases[0]!.fence).toBeGreaterThan(b!.fence);
    await w.frontier.close();
  });

  it('knows after a restart how many URLs of each band wait, also where others were listed meanwhile', async () => {
    const w = await world({ sizes });
    await w.openCrawl();
    // The log is listed again and again, host by host.
    const fill = async (name: string) => {
      for (let n = 0; n < 20; n++) await w.offer([`http://a.test/${name}${n}`]);
    };
    await w.offer(['http://b.test/1']);
    await fill('x');
    await w.offer(['http://b.test/2', 'http://b.test/3'], { band: 2 });
    await fill('y');
    await w.frontier.close();
    w.frontier = openSqliteFrontier({ path: file(), clock: w.clock, sizes });
    const waiting = await w.frontier.waiting(crawlA, 5);
    expect(Object.fromEntries(waiting.map(({ host, queued }) => [host, queued]))).toEqual({
      'a.test': 40,
      'b.test': 3,
    });
    await w.frontier.close();
  });

  it.each([
    { awayMs: settings.leaseTtlMs + 1, renewed: 1 },
    { awayMs: 2 * settings.leaseTtlMs, renewed: 0 },
  ])(
    'lets leases begin anew that nobody could renew for $awayMs ms: $renewed',
    async ({ awayMs, renewed }) => {
      const w = await world();
      await w.openCrawl();
      await w.offer(['http://a.test/1']);
      const lease = await w.leaseOne();
      await w.frontier.close();
      w.clock.advance(awayMs);
      const reopened = openSqliteFrontier({ path: file(), clock: w.clock });
      w.frontier = reopened;
      expect(await reopened.owner.renewAll()).toBe(renewed);
      w.clock.advance(settings.leaseTtlMs - 1);
      expect(await w.frontier.sweep()).toMatchObject({ expired: 1 - renewed });
      const closing = { ...lease, settled: [], news: answered, close: true };
      expect(await w.frontier.report([closing])).toMatchObject([{ ok: renewed === 1 }]);
      await w.frontier.close();
    },
  );

  it('a restored copy has another epoch, and takes no report of what was lost with it', async () => {
    const w = await world();
    await w.openCrawl();
    await w.offer(['http://a.test/1', 'http://a.test/2']);
    const kept = await w.leaseOne(1);
    await w.report(kept, { close: true });
    const epoch = w.frontier.epoch(crawlA);
    await w.frontier.close();
    copyFileSync(file(), `${file()}.copy`);

    w.frontier = openSqliteFrontier({ path: file(), clock: w.clock });
    const [lost] = (await w.frontier.lease({ worker, hosts: 1, urlsPerHost: 1 })).leases;
    await w.frontier.close();
    copyFileSync(`${file()}.copy`, file());
    w.clock.advance(1);

    w.frontier = openSqliteFrontier({ path: file(), clock: w.clock });
    expect(w.frontier.epoch(crawlA)).not.toBe(epoch);
    const [lease] = (await w.frontier.lease({ worker, hosts: 1, urlsPerHost: 1 })).leases;
    expect(lease!.entries).toEqual(lost!.entries);
    expect(lease!.fence).toBeGreaterThan(lost!.fence);
    const report = { settled: [outcome(lease!.entries[0]!)], news: answered, close: true };
    expect(await w.frontier.report([{ ...lost!, ...report }])).toEqual([{ ok: false }]);
    expect(await w.frontier.report([{ ...lease!, ...report }])).toMatchObject([{ ok: true }]);
    await w.frontier.close();
  });

  it('time never goes back over a restart', async () => {
    const w = await world();
    await w.openCrawl();
    await w.offer(['http://a.test/1', 'http://a.test/2']);
    await w.finishLease(await w.leaseOne(1));
    await w.frontier.close();
    // The machine's clock was set back by a day meanwhile.
    w.clock.advance(-86_400_000);
    w.frontier = openSqliteFrontier({ path: file(), clock: w.clock });
    expect(await w.frontier.waiting(crawlA, 1)).toMatchObject([{ dueInMs: gapMs }]);
    w.clock.advance(gapMs);
    expect(await w.frontier.waiting(crawlA, 1)).toMatchObject([{ dueInMs: 0 }]);
    await w.frontier.close();
  });

  it('shares one commit among calls of the same moment', async () => {
    let commits = 0;
    const w = await world({ failpoint: (name) => void (name === 'after-commit' && commits++) });
    await w.openCrawl();
    commits = 0;
    await Promise.all(Array.from({ length: 50 }, (_, n) => w.offer([`http://a.test/${n}`])));
    expect(commits).toBe(1);
    expect(await w.balance()).toMatchObject({ known: 50 });
    await w.frontier.close();
  });

  it('refuses a call that cannot be stored and does the others of the same moment', async () => {
    const w = await world();
    await w.openCrawl();
    await w.offer(['http://a.test/1', 'http://b.test/1']);
    const [a, b] = await w.lease();
    const bad = w.report(a!, { settled: [outcome(a!.entries[0]!, { items: [10n] })], close: true });
    const good = w.report(b!, { settled: [outcome(b!.entries[0]!, { items: [10] })], close: true });
    await expect(bad).rejects.toThrow('BigInt');
    expect(await good).toMatchObject({ ok: true });
    expect(await w.balance()).toMatchObject({ leased: 1, done: 1 });
    expect(await w.frontier.totals(crawlA)).toMatchObject({ items: 1 });
    await w.frontier.close();
  });

  it('can be read by another process while it is written', async () => {
    const w = await world();
    await w.openCrawl();
    await w.offer(['http://a.test/1', 'http://a.test/2']);
    const reader = openSqliteFrontier({ path: file(), clock: w.clock, readOnly: true });
    expect(await reader.balance(crawlA)).toMatchObject({ known: 2, queued: 2 });
    const lease = await w.leaseOne(1);
    expect(await reader.look(crawlA, url('http://a.test/1'))).toMatchObject({
      state: 'leased',
      worker: 'w1',
    });
    await w.report(lease, { settled: [outcome(lease.entries[0]!)], news: answered, close: true });
    expect(await reader.look(crawlA, url('http://a.test/1'))).toMatchObject({ state: 'settled' });
    expect(await reader.look(crawlA, url('http://a.test/2'))).toMatchObject({ state: 'queued', ahead: 0 });
    expect(await reader.waiting(crawlA, 3)).toMatchObject([{ host: 'a.test', dueInMs: gapMs }]);
    expect(await collect(reader.results.records(crawlA))).toHaveLength(1);
    await expect(reader.offer(crawlA, [])).rejects.toThrow('read-only');
    await reader.close();
    await w.frontier.close();
    // Nobody writes now.
    const late = openSqliteFrontier({ path: file(), clock: w.clock, readOnly: true });
    expect(await late.balance(crawlA)).toMatchObject({ known: 2, done: 1 });
    await late.close();
  });

  it('says so when the file is missing or of another version', async () => {
    const clock = { now: () => 5, wall: () => 5, sleep: () => Promise.resolve() };
    expect(() => openSqliteFrontier({ path: join(folder, 'no.db'), clock, readOnly: true })).toThrow(
      'cannot be',
    );
    const db = new (sqlite().DatabaseSync)(join(folder, 'old.db'));
    db.exec('PRAGMA user_version = 99');
    db.close();
    expect(() => openSqliteFrontier({ path: join(folder, 'old.db'), clock })).toThrow('version 99');
  });

  it('a full disk changes nothing, and the same call works once there is room', async () => {
    const db = openDatabase(file(), false);
    const w = await createWorld({ name: 'small', open: async (clock) => frontierOn(db, { clock }) });
    await w.openCrawl();
    await w.offer(['http://a.test/1', 'http://b.test/2']);
    const [lease] = await w.lease(1);
    const before = await w.balance();
    db.exec('PRAGMA max_page_count = 10');
    const urls = Array.from({ length: 3000 }, (_, n) =>
      offerOf(`http://h${n % 50}.test/${'x'.repeat(100)}${n}`),
    );
    const report = {
      ...lease!,
      settled: [outcome(lease!.entries[0]!, { offers: urls, items: [1] })],
      news: answered,
      close: true,
    };
    await expect(w.frontier.report([report])).rejects.toMatchObject({ code: 'storage' });
    await expect(w.frontier.offer(crawlA, urls)).rejects.toMatchObject({ code: 'storage' });
    expect(await w.balance()).toEqual(before);
    db.exec('PRAGMA max_page_count = 1000000');
    expect(await w.frontier.report([report])).toEqual([{ ok: true, accepted: 3000, known: 0 }]);
    expect(await w.balance()).toMatchObject({ known: 3002, queued: 3001, done: 1 });
    expect(await w.frontier.offer(crawlA, urls.slice(0, 2))).toEqual(['known', 'known']);
    await w.frontier.close();
  });

  it('loses nothing when it stops before a commit, and keeps what was committed', async () => {
    let stop = false;
    const failpoint = (name: string) => {
      if (stop && name === 'before-commit') throw new Error('stopped');
    };
    const w = await world({ failpoint });
    await w.openCrawl();
    await w.offer(['http://a.test/1']);
    const lease = await w.leaseOne();
    stop = true;
    const settled = [outcome(lease.entries[0]!, { offers: [offerOf('http://b.test/')] })];
    await expect(w.report(lease, { settled, close: true })).rejects.toThrow('stopped');
    stop = false;
    expect(await w.balance()).toMatchObject({ known: 1, leased: 1 });
    expect(await w.report(lease, { settled, close: true })).toMatchObject({ ok: true, accepted: 1 });
    await w.frontier.close();
  });

  it('as a negative control, outcomes without their links lose URLs in a crash', async () => {
    const failpoint = (name: string) => {
      if (name === 'outcomes-committed') throw new Error('crash');
    };
    const w = await world({ failpoint, unsafeOutcomesFirst: true });
    await w.openCrawl();
    await w.offer(['http://a.test/1']);
    const lease = await w.leaseOne();
    const settled = [outcome(lease.entries[0]!, { offers: [offerOf('http://b.test/')] })];
    await expect(w.report(lease, { settled, close: true })).rejects.toThrow('crash');
    await w.frontier.close();
    const after = openSqliteFrontier({ path: file(), clock: w.clock });
    expect(await after.balance(crawlA)).toMatchObject({ known: 1, done: 1 });
    await after.close();
  });

  it('prints no warning', () => {
    const code = `
      const { openSqliteFrontier } = await import(${JSON.stringify(join(import.meta.dirname, 'sqlite-frontier.ts'))});
      const frontier = openSqliteFrontier({ path: ':memory:', clock: { now: Date.now } });
      await frontier.openCrawl(${JSON.stringify(settings)});
      process.emitWarning('still shown');
      await frontier.close();`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      encoding: 'utf8',
    });
    const output = stdout + stderr;
    expect(output).toContain('still shown');
    expect(output).not.toContain('SQLite');
  });
});
