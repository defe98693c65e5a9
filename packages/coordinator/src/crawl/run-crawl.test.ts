import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CoordinatorLink,
  type CrawlEvent,
  type CrawlId,
  type HostLease,
  type LeaseReport,
  systemClock,
  WebfarerError,
  type WorkerId,
} from '@webfarer/protocol';
import { sendOrders } from '@webfarer/protocol/link';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openCoordinator } from '../coordinator.ts';
import type { Coordinator } from '../coordinator-parts.ts';
import { headless } from './crawl-host.ts';

/** A crawl on a real folder, database, router and roster; only the worker is a part of the test. */
let folder: string;
let coordinator: Coordinator;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-run-crawl-'));
  coordinator = await openCoordinator({ folder, version: '0', clock: systemClock() });
});
afterEach(async () => {
  await coordinator.stop({ now: true });
  rmSync(folder, { recursive: true, force: true });
});

const seeds = ['http://127.0.0.1:9/', 'http://127.0.0.2:9/'];
const input = {
  name: 'c',
  seeds,
  contact: 'mailto:a@b.test',
  politeness: { gap: '1ms' },
  fetch: { allowPrivate: ['127.0.0.0/8'] },
};
const create = async () => (await coordinator.create({ input, baseFolder: folder })).crawl;

function worker() {
  const released: (CrawlId | undefined)[] = [];
  const closed: CrawlId[] = [];
  const orders = sendOrders((order) => {
    if (order.type === 'release') released.push(order.crawl);
  });
  const id = 'w' as WorkerId;
  const { link } = coordinator.connect({
    id,
    connections: 4,
    orders,
    look: () => ({ inFlight: 0, waiting: [], written: [] }),
    isToldAsLeased: false,
    keeps: () => [],
    closeCrawl: async (crawl) => void closed.push(crawl),
  });
  return { link, released, closed, ask: { worker: id, hosts: 4, urlsPerHost: 9 } };
}

function reportOf(lease: HostLease): LeaseReport {
  const { id, crawl, host, fence, entries } = lease;
  const news = { endedAgoMs: 0, gapMs: 1, why: 'gap', health: 'ok' } as const;
  return {
    id,
    crawl,
    host,
    fence,
    close: true,
    news,
    settled: entries.map(({ url, kind }) => ({
      kind: 'outcome',
      url,
      offers: [],
      edges: [],
      items: [],
      dropped: {},
      record: {
        url,
        kind,
        depth: 0,
        verdict: 'done',
        reason: 'ok',
        status: 200,
        attempts: 1,
        bytes: 5,
        startedAtMs: 1,
        durationMs: 1,
      } as never,
    })),
  };
}

async function leaseAll({
  link,
  ask,
}: {
  link: CoordinatorLink;
  ask: Parameters<CoordinatorLink['lease']>[0];
}) {
  const leases: HostLease[] = [];
  await vi.waitFor(async () => {
    leases.push(...(await link.lease(ask)).leases);
    expect(leases).toHaveLength(seeds.length);
  });
  return leases;
}

const manifest = (at: string) =>
  JSON.parse(readFileSync(join(at, 'crawl.json'), 'utf8')) as { session: { state: string } };

it('runs until nothing is left, and has let go of everything when it says that it ended', async () => {
  const far = worker();
  const crawl = await create();
  const states: string[] = [];
  const following = (async () => {
    for await (const { event } of crawl.follow())
      if ((event as CrawlEvent).type === 'crawl-state') states.push((event as { state: string }).state);
  })();
  const leases = await leaseAll(far);
  expect((await crawl.snapshot()).balance).toMatchObject({ leased: 2, done: 0 });
  await far.link.report(leases.map(reportOf));
  const { state, balance } = await crawl.ended;
  expect([state, balance.done]).toEqual(['finished', 2]);
  await following;
  expect(states.at(-1)).toBe('finished');
  expect(far.closed).toEqual([crawl.id]);
  expect(manifest(crawl.folder).session.state).toBe('finished');
  // Asked after its end, it answers with its last figures; it cannot be resumed as what it was.
  expect((await crawl.snapshot()).balance.done).toBe(2);
  await expect(crawl.resume()).rejects.toMatchObject({ code: 'usage' });
  expect(await far.link.report(leases.map(reportOf))).toEqual([{ ok: false }, { ok: false }]);
});

it('waits for room for the files of a crawl that is over, and says so; a fault of another kind ends it', async () => {
  const noSpace = Object.assign(new Error('ENOSPC: no space left on /secret'), { code: 'ENOSPC' });
  const faults: Error[] = [new WebfarerError('storage', 'the disk is full'), noSpace];
  const host = {
    ...headless,
    conclude: () => {
      const fault = faults.shift();
      return fault ? Promise.reject(fault) : Promise.resolve({ 'results.jsonl': { bytes: 1, sha256: '' } });
    },
  };
  const far = worker();
  const { crawl } = await coordinator.create({ input, baseFolder: folder }, host);
  const said: string[] = [];
  const following = (async () => {
    for await (const { event } of crawl.follow()) {
      const told = event as CrawlEvent;
      if (told.type === 'crawl-paused') said.push(told.pause.text);
      else if (told.type === 'crawl-resumed') said.push('resumed');
    }
  })();
  await far.link.report((await leaseAll(far)).map(reportOf));
  expect((await crawl.ended).state).toBe('finished');
  await following;
  expect(said).toEqual([
    'the disk is full',
    'the disk is full where the coordinator keeps its files',
    'resumed',
  ]);
  expect(faults).toEqual([]);
  faults.push(new TypeError('a bug'));
  const { crawl: other } = await coordinator.create(
    { input: { ...input, name: 'd' }, baseFolder: folder },
    host,
  );
  await far.link.report((await leaseAll(far)).map(reportOf));
  await expect(other.ended).rejects.toThrow('a bug');
});

it('carries out a pause that comes while it begins, and grants nothing until it is resumed', async () => {
  const far = worker();
  const crawl = await create();
  await crawl.pause();
  expect(crawl.state).toBe('paused');
  expect((await far.link.lease(far.ask)).leases).toEqual([]);
  await crawl.resume();
  await far.link.report((await leaseAll(far)).map(reportOf));
  expect((await crawl.ended).state).toBe('finished');
});

it('asks for what is out when it is stopped, takes what comes, and is taken up again where it was', async () => {
  const far = worker();
  const crawl = await create();
  const [first, second] = await leaseAll(far);
  const stopping = crawl.stop();
  await vi.waitFor(() => expect(far.released).toContain(crawl.id));
  expect((await far.link.lease(far.ask)).leases).toEqual([]);
  expect(
    await far.link.report([first, second].map((one) => reportOf(one as HostLease)).slice(0, 1)),
  ).toMatchObject([{ ok: true }]);
  await stopping;
  expect(await crawl.ended).toMatchObject({ state: 'stopped', balance: { done: 1 } });
  const again = await create();
  await vi.waitFor(async () => {
    const { leases } = await far.link.lease(far.ask);
    await far.link.report(leases.map(reportOf));
    expect((await again.snapshot()).balance.done).toBe(2);
  });
  expect((await again.ended).state).toBe('finished');
});

it('ends with a fault of ours, and leaves a folder that can be opened again', async () => {
  const crawl = await create();
  coordinator.fail(new Error('a fault'));
  await expect(crawl.ended).rejects.toThrow('a fault');
  const far = worker();
  const again = await create();
  await far.link.report((await leaseAll(far)).map(reportOf));
  expect((await again.ended).balance.done).toBe(2);
});
