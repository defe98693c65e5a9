// watches: packages/coordinator/src/network, packages/coordinator/src/link, packages/coordinator/src/members
// misses: the measurement of an idle coordinator no longer runs
import { mkdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type LeaseRef, systemClock, type WorkerId } from '@webfarer/protocol';
import { createMetrics } from '@webfarer/protocol/metrics';
import { noTracing } from '../packages/worker/src/tracing/tracing.ts';
import { sendOrders } from '@webfarer/protocol/link';
import { createLinkClient, dialWebSocket, createWorker, type LinkClient, noPeers } from '@webfarer/worker';
import { startFakeWeb } from '../test/fake-web/server.ts';
import { type CoordinatorProcess, startNetwork } from '../test/network/launcher.ts';
import { labJob, until, workFolder, writeJob } from '../test/prove/lab.ts';
import { startRedis } from '../test/redis/servers.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { cpuMs } from './process-cpu.ts';

/**
 * Share of one processor. Workers look ever more rarely and are at their longest pause after half a minute; before that,
 * and on a machine with other work, it can only be told that nobody spins.
 */
const sizes = {
  quick: { workers: 200, warmUpMs: 5_000, measuredMs: 5_000, mostPercent: 25 },
  full: { workers: 200, warmUpMs: 35_000, measuredMs: 60_000, mostPercent: 2 },
} as const;
const HANDS = 16;

/**
 * What a coordinator costs while 200 workers are linked and nothing is due: one host is held, so that the crawl goes
 * on, and nobody has anything to do. Once with its own file, once with a store.
 */
export async function bench({ quick }: BenchOptions): Promise<BenchResult> {
  const size = quick ? sizes.quick : sizes.full;
  const sqlite = await measure(size, undefined);
  const redis = await startRedis({});
  try {
    const store = await measure(size, redis.url);
    const cpuPercent = Math.max(sqlite, store);
    return { ok: cpuPercent < size.mostPercent, result: { cpuPercent, sqlite, store, sizes: size } };
  } finally {
    await redis.stop();
  }
}

interface Size {
  workers: number;
  warmUpMs: number;
  measuredMs: number;
}

async function measure(size: Size, store: string | undefined): Promise<number> {
  const work = workFolder('idle');
  const fake = await startFakeWeb({ size: 'S', seed: 1 });
  const job = join(work.path, 'job.json');
  await writeJob(job, labJob(fake));
  const where = store === undefined ? {} : { store };
  const network = await startNetwork({ job, under: work.path, coordinators: 1, workers: 0, ...where });
  const coordinator = network.coordinators[0] as CoordinatorProcess;
  const idlers: { stop(): Promise<void> }[] = [];
  try {
    await until('the coordinator to be ready', () => isReady(coordinator), 60_000);
    const token = (await readFile(join(coordinator.folder, 'worker.token'), 'utf8')).trim();
    const link = { url: coordinator.url(), token, folder: join(work.path, 'links') };
    mkdirSync(link.folder);
    idlers.push(await holdTheOnlyHost(link));
    for (let n = 0; n < size.workers; n++) idlers.push(await startIdler(link, n));
    await later(size.warmUpMs);
    const before = cpuMs(coordinator.pid ?? 0);
    const startedMs = performance.now();
    await later(size.measuredMs);
    const usedMs = cpuMs(coordinator.pid ?? 0) - before;
    return Math.round((10_000 * usedMs) / (performance.now() - startedMs)) / 100;
  } finally {
    await Promise.all(idlers.map((idler) => idler.stop().catch(() => undefined)));
    await network.end();
    await fake.stop();
    work.remove();
  }
}

async function isReady(coordinator: CoordinatorProcess): Promise<boolean> {
  return await fetch(`${coordinator.url()}/ready`).then(
    ({ ok }) => ok,
    () => false,
  );
}

interface Link {
  url: string;
  token: string;
  folder: string;
}

function linkClient({ url, token, folder }: Link, name: string, wake: () => void): LinkClient {
  const nothing = () => undefined;
  return createLinkClient({
    urls: [url],
    dial: dialWebSocket(() => token),
    worker: name as WorkerId,
    key: undefined,
    version: 'idle',
    connections: HANDS,
    keeps: () => [],
    asLeased: undefined,
    fresh: false,
    clock: systemClock(),
    random: Math.random,
    peers: noPeers,
    outboxFile: join(folder, `${name}.jsonl`),
    orders: { ...sendOrders(nothing), wake },
    changed: nothing,
    refused: nothing,
  });
}

/** Takes what is due and keeps it, without fetching. */
async function holdTheOnlyHost(link: Link): Promise<{ stop(): Promise<void> }> {
  const client = linkClient(link, 'holder', () => undefined);
  await client.start();
  let held: LeaseRef[] = [];
  await until(
    'the only host',
    async () => {
      const asked = { worker: 'holder' as WorkerId, hosts: 1, urlsPerHost: 1 };
      held = (await client.link.lease(asked)).leases;
      return held.length > 0;
    },
    30_000,
  );
  const renewal = setInterval(() => void client.link.renew(held).catch(() => undefined), 5_000);
  return {
    async stop() {
      clearInterval(renewal);
      await client.stop();
    },
  };
}

/** A real worker with nothing to do. */
async function startIdler(link: Link, n: number): Promise<{ stop(): Promise<void> }> {
  const client = linkClient(link, `idle-${n}`, () => worker.wake());
  const worker = createWorker({
    random: Math.random,
    id: `idle-${n}` as WorkerId,
    link: client.link,
    clock: systemClock(),
    crawl: () => undefined,
    opening: () => undefined,
    renderer: undefined,
    metrics: createMetrics({ clock: systemClock() }),
    tracing: noTracing,
    connections: HANDS,
    without: () => undefined,
    urlsPerHost: () => 10,
    folder: link.folder,
    minFreeBytes: () => 0,
    mayBegin: () => true,
    noted: async () => undefined,
    patienceMs: undefined,
    pauseChanged: () => undefined,
    failed: (error) => console.error(error),
  });
  await client.start();
  worker.start();
  return {
    async stop() {
      await worker.stop();
      await client.stop();
    },
  };
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
