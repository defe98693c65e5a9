import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { HostLease, WorkerId } from '@webfarer/protocol';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openHostLedger } from '../../ledger/sqlite-ledger.ts';
import { type TestClock, testClock } from '../suite/clock.fixture.ts';
import {
  answered,
  createWorld,
  crawlA,
  gapMs,
  host,
  settings,
  url,
  worker,
  type World,
} from '../suite/world.fixture.ts';
import { openSqliteFrontier, type SqliteFrontierOptions } from './sqlite-frontier.ts';

const heldMs = settings.leaseTtlMs + settings.maxFetchMs + gapMs;
const page = (n: number) => `http://h.test/${n}`;

let folder: string;
let clock: TestClock;
let closing: (() => unknown)[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-claims-'));
  clock = testClock();
  closing = [];
});

afterEach(async () => {
  for (const close of closing) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** The crawl of one database, in a process of its own: it opens the ledger by itself. */
async function process(name: string, options: Partial<SqliteFrontierOptions> = {}): Promise<World> {
  const ledger = openHostLedger({ path: join(folder, 'ledger.db'), clock });
  const path = join(folder, `${name}.db`);
  const world = await createWorld({
    name,
    open: async () => openSqliteFrontier({ path, clock, ledger, ...options }),
  });
  closing.push(
    () => world.frontier.close(),
    () => ledger.close(),
  );
  await world.openCrawl();
  return Object.assign(world, { clock });
}

/** Both have pages of the same host to fetch. */
async function twoCrawls(options?: Partial<SqliteFrontierOptions>): Promise<[World, World]> {
  const worlds = [await process('red', options), await process('blue')] as [World, World];
  for (const world of worlds) await world.offer([1, 2, 3, 4, 5, 6, 7, 8].map(page));
  return worlds;
}

describe('two crawls with one host ledger', () => {
  it('never hold a host at once, and the second asks again soon, not when the first may be dead', async () => {
    const [red, blue] = await twoCrawls();
    const lease = await red.leaseOne(2);
    const answer = await blue.frontier.lease({ worker, hosts: 4, urlsPerHost: 2 });
    expect(answer).toEqual({ leases: [], nextDueMs: gapMs, limited: [] });
    await red.finishLease(lease);
    expect(await blue.lease()).toEqual([]);
    clock.advance(gapMs);
    expect(await blue.lease()).toHaveLength(1);
  });

  it('say whom they wait for', async () => {
    const [red, blue] = await twoCrawls();
    await red.leaseOne();
    await blue.lease();
    const wait = { host: host('h.test'), queued: 8, dueInMs: gapMs, why: 'other-crawl', dead: false };
    expect(await blue.frontier.waiting(crawlA, 3)).toMatchObject([wait]);
    expect(await blue.frontier.look(crawlA, url(page(1)))).toMatchObject({ state: 'queued', host: wait });
  });

  it('take turns, also where the one that had the host asks first', async () => {
    const [red, blue] = await twoCrawls();
    const turns: string[] = [];
    for (let step = 0; step < 100 && turns.length < 8; step++) {
      for (const [name, world] of [
        ['red', red],
        ['blue', blue],
      ] as const) {
        for (const lease of await world.lease(1, 2)) {
          turns.push(name);
          await world.finishLease(lease);
        }
      }
      clock.advance(gapMs / 4);
    }
    expect(turns).toEqual(['red', 'blue', 'red', 'blue', 'red', 'blue', 'red', 'blue']);
  });

  it('leave a host that rests alone, for as long and for the reason that the other was told', async () => {
    const [red, blue] = await twoCrawls();
    const lease = await red.leaseOne(1);
    const news = { ...answered, gapMs: 20_000, why: 'retry-after' } as const;
    await red.report(lease, { news, close: true });
    expect((await blue.frontier.lease({ worker, hosts: 1, urlsPerHost: 1 })).nextDueMs).toBe(20_000);
    expect(await blue.frontier.waiting(crawlA, 1)).toMatchObject([{ why: 'retry-after' }]);
  });

  it('know of a long rest that a lease reported before it ran out', async () => {
    const [red, blue] = await twoCrawls();
    const lease = await red.leaseOne(2);
    await red.report(lease, { news: { ...answered, gapMs: 600_000, why: 'retry-after' } });
    clock.advance(heldMs);
    expect(await blue.lease()).toEqual([]);
    expect(await blue.frontier.waiting(crawlA, 1)).toMatchObject([{ why: 'retry-after' }]);
  });

  it('keep a host as long as its lease is renewed', async () => {
    const [red, blue] = await twoCrawls();
    const lease = await red.leaseOne();
    clock.advance(settings.leaseTtlMs - 1);
    expect(await red.frontier.renew([lease])).toMatchObject([{ ok: true }]);
    clock.advance(heldMs - 1);
    expect(await blue.lease()).toEqual([]);
    clock.advance(1);
    expect(await blue.lease()).toHaveLength(1);
  });

  it('ask for a bounded number of hosts that others have in one call, and for the rest in the next', async () => {
    const [red, blue] = [await process('red'), await process('blue')];
    const urls = Array.from({ length: 150 }, (_, n) => `http://h${n}.test/`);
    await red.offer(urls);
    await blue.offer([...urls, 'http://own.test/']);
    expect(await red.lease(150)).toHaveLength(150);
    const rounds: number[] = [];
    const found: string[] = [];
    while (found.length === 0 && rounds.length < 5) {
      const { leases, nextDueMs } = await blue.frontier.lease({ worker, hosts: 1, urlsPerHost: 1 });
      found.push(...leases.map((lease) => lease.host));
      rounds.push(nextDueMs ?? -1);
    }
    expect(found).toEqual(['own.test']);
    expect(rounds.length).toBeGreaterThan(1);
    expect(rounds.slice(0, -1).every((ms) => ms === 0)).toBe(true);
  });

  it('ask the ledger for a single host too', async () => {
    const [red, blue] = await twoCrawls();
    const ask = { worker, crawl: crawlA, host: host('h.test') };
    expect(await red.frontier.leaseHost(ask)).toMatchObject({ granted: true });
    expect(await blue.frontier.leaseHost(ask)).toEqual({ granted: false, retryAfterMs: gapMs });
  });
});

describe('a crawl with a host ledger that dies', () => {
  it('and is resumed frees its hosts after one gap', async () => {
    const [red, blue] = await twoCrawls();
    await red.leaseOne();
    clock.advance(5_000);
    const again = await process('red');
    await again.frontier.releaseAll();
    expect(await blue.lease()).toEqual([]);
    clock.advance(gapMs);
    expect(await blue.lease()).toHaveLength(1);
  });

  it('and is not resumed keeps its hosts until nobody can be talking to them', async () => {
    const [red, blue] = await twoCrawls();
    await red.leaseOne();
    clock.advance(heldMs - 1);
    expect(await blue.lease()).toEqual([]);
    clock.advance(1);
    expect(await blue.lease()).toHaveLength(1);
  });

  it('between claim and grant has asked for nothing, and owes one gap when it is resumed', async () => {
    const died = new Error('killed');
    const [red, blue] = await twoCrawls({
      failpoint(name) {
        if (name === 'claimed') throw died;
      },
    });
    await expect(red.frontier.lease({ worker, hosts: 1, urlsPerHost: 1 })).rejects.toThrow(died);
    expect(await red.balance()).toMatchObject({ queued: 8, leased: 0 });
    expect(await blue.lease()).toEqual([]);
    const again = await process('red');
    await again.frontier.releaseAll();
    clock.advance(gapMs - 1);
    expect(await blue.lease()).toEqual([]);
    clock.advance(1);
    expect(await blue.lease()).toHaveLength(1);
  });

  it('loses no claim of one of its workers when another one dies', async () => {
    const [red, blue] = await twoCrawls();
    await red.offer(['http://i.test/1']);
    await blue.offer(['http://i.test/1']);
    const ask = (name: string) => red.frontier.lease({ worker: name as WorkerId, hosts: 1, urlsPerHost: 1 });
    const dead = (await ask('w1')).leases[0] as HostLease;
    await ask('w2');
    await red.frontier.releaseAll('w1' as WorkerId);
    clock.advance(gapMs);
    const leases = await blue.lease();
    expect(leases.map((lease) => lease.host)).toEqual([dead.host]);
  });

  it('and is copied is another crawl', async () => {
    const red = await process('red');
    await red.offer([page(1), page(2)]);
    await red.leaseOne(1);
    await red.frontier.close();
    copyFileSync(join(folder, 'red.db'), join(folder, 'copy.db'));
    const copy = await process('copy');
    await copy.frontier.releaseAll();
    clock.advance(gapMs);
    expect(await copy.lease()).toEqual([]);
  });
});

describe('a commit that fails', () => {
  it('takes the claims of its grants back, and keeps those of leases that live on', async () => {
    let full = false;
    const [red, blue] = await twoCrawls({
      failpoint(name) {
        if (full && name === 'before-commit') throw new Error('refused');
      },
    });
    const lease = await red.leaseOne(1);
    full = true;
    await expect(red.report(lease, { close: true })).rejects.toThrow('refused');
    await expect(red.frontier.releaseAll()).rejects.toThrow('refused');
    clock.advance(2 * gapMs);
    expect(await blue.lease()).toEqual([]);
    full = false;
    await red.report(lease, { close: true });
    full = true;
    // Blue comes first here, because it has waited.
    clock.advance(5_000);
    await expect(red.lease()).rejects.toThrow('refused');
    expect(await blue.lease()).toHaveLength(1);
  });
});
