import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { queryObjects } from 'node:v8';
import {
  type CoordinatorLink,
  type CrawlId,
  type DatedClock,
  type Entry,
  type HostKey,
  type HostLease,
  type LeaseId,
  type LeaseReport,
  systemClock,
  type Url,
  type WorkerId,
} from '@webfarer/protocol';
import { createMetrics } from '@webfarer/protocol/metrics';
import { resolveJob } from '@webfarer/protocol/job';
import { expect, it, vi } from 'vitest';
import { fastClock } from '../../../../test/fast-clock.ts';
import type { CrawlContext } from '../context/context.ts';
import type { Fetch, FetchAnswer, FetchSession } from '../fetch/fetch.ts';
import type { NetworkWatch } from '../egress/network-watch.ts';
import { createWorker, type Worker } from '../worker.ts';
import { contextFor } from '../crawls/crawl-context.fixture.ts';
import { noTracing } from '../tracing/tracing.ts';

const crawl = 'c' as CrawlId;
const hosts = Array.from({ length: 5 }, (_, n) => `h${n}.example` as HostKey);
const seeds = hosts.map((host) => `https://${host}/` as Url);

function contextOf(gap: string): CrawlContext {
  const job = resolveJob({
    seeds,
    contact: 'https://lab.test/crawler',
    politeness: { gap },
    robots: { obey: false, ignoreFor: hosts },
  });
  return contextFor(job, seeds);
}

function leaseOf(host: HostKey): HostLease {
  const entry = (path: string): Entry => ({
    url: `https://${host}/${path}` as Url,
    kind: 'page',
    depth: 0,
    cost: 0,
    hops: 0,
    attempt: 0,
  });
  const id = host as string as LeaseId;
  return {
    id,
    crawl,
    host,
    fence: 1,
    part: 0,
    ttlMs: 600_000,
    endedAgoMs: null,
    entries: [entry(''), entry('b')],
    robots: [],
  };
}

type Work = (worker: Worker, reports: LeaseReport[]) => Promise<void>;

/** A worker that holds all hosts, and what it reported. */
async function workerOnAll(work: Work): Promise<void> {
  await workerGiven(hosts.map(leaseOf), async (worker, reports) => {
    await vi.waitFor(() => expect(worker.waiting()).toHaveLength(hosts.length), 5_000);
    await work(worker, reports);
  });
}

interface Lab {
  /** Pause between two requests to a host. */
  gap?: string;
  /** Whether the coordinator accepts reports. */
  accepts?: boolean;
  /** What becomes of every request; a page by default. */
  answer?: FetchSession['fetch'];
  clock?: DatedClock;
}

async function workerGiven(
  open: HostLease[],
  work: Work,
  { gap = '60s', accepts = true, answer, clock = systemClock() }: Lab = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-give-back-'));
  const reports: LeaseReport[] = [];
  const link: CoordinatorLink = {
    lease: async () => ({ leases: open.splice(0), nextDueMs: null }),
    leaseHost: async () => ({ granted: false, retryAfterMs: 1_000 }),
    robots: async () => undefined,
    previous: async () => undefined,
    renew: async (leases) => leases.map(() => ({ ok: true, ttlMs: 600_000 })),
    async report(sent) {
      reports.push(...sent);
      return sent.map(() => (accepts ? { ok: true, accepted: 0, known: 0 } : { ok: false }));
    },
  };
  const page = { ok: true, status: 200, statusText: 'OK', headers: [['Content-Type', 'text/html']] };
  const session: FetchSession = {
    fetch:
      answer ??
      (async () =>
        ({
          ...page,
          requestHead: '',
          body: Buffer.from('x'),
          unread: false,
          startedAtMs: 0,
          durationMs: 1,
          others: [],
          release: () => undefined,
        }) as unknown as FetchAnswer),
    close: () => undefined,
  };
  const fetch: Fetch = { open: () => session, close: async () => undefined };
  const failed = vi.fn();
  const context = contextOf(gap);
  const network = { succeeded: () => undefined } as unknown as NetworkWatch;
  const worker = createWorker({
    random: Math.random,
    id: 'w' as WorkerId,
    link,
    clock,
    opening: () => undefined,
    crawl: () => ({ context, fetch, network, ready: () => Promise.resolve(true) }),
    connections: 16,
    renderer: undefined,
    metrics: createMetrics({ clock: systemClock() }),
    tracing: noTracing,
    without: () => undefined,
    urlsPerHost: () => 2,
    folder,
    minFreeBytes: () => 0,
    mayBegin: () => true,
    noted: async () => undefined,
    patienceMs: undefined,
    pauseChanged: () => undefined,
    failed,
  });
  worker.start();
  try {
    await work(worker, reports);
  } finally {
    await worker.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  expect(failed).not.toHaveBeenCalled();
}

it('gives back as many hosts as asked for, what is left of them unsettled, and keeps the others', async () => {
  await workerOnAll(async (worker, reports) => {
    expect(worker.giveBack(2)).toBe(2);
    await vi.waitFor(() => expect(reports.filter(({ close }) => close)).toHaveLength(2), 5_000);
    expect(reports.flatMap(({ settled }) => settled)).toHaveLength(hosts.length);
    expect(worker.waiting()).toHaveLength(3);
    // Those that are on their way back are not counted again.
    expect(worker.giveBack(10)).toBe(3);
    expect(worker.giveBack(1)).toBe(0);
  });
});

it('stops before the next request on hosts for which other rules hold now, and keeps the others', async () => {
  await workerOnAll(async (worker, reports) => {
    worker.releaseHosts(['h1.example', '*.h3.example', 'other.example']);
    await vi.waitFor(() => expect(reports.filter(({ close }) => close)).toHaveLength(2), 5_000);
    expect(new Set(reports.filter(({ close }) => close).map(({ host }) => host))).toEqual(
      new Set(['h1.example', 'h3.example']),
    );
    expect(reports.flatMap(({ settled }) => settled)).toHaveLength(hosts.length);
    expect(worker.waiting()).toHaveLength(3);
  });
});

it('keeps nothing of the looks of an idle worker', async () => {
  const clock = fastClock(2_000);
  let looks = 0;
  const counted: DatedClock = { ...clock, sleep: (...wait) => (looks++, clock.sleep(...wait)) };
  const promisesAfter = async (more: number) => {
    const until = looks + more;
    await vi.waitFor(() => expect(looks).toBeGreaterThan(until), 30_000);
    return queryObjects(Promise, { format: 'count' });
  };
  const idle = async () => {
    const before = await promisesAfter(10);
    expect((await promisesAfter(150)) - before).toBeLessThan(60);
  };
  await workerGiven([], idle, { clock: counted });
});

/** Each with one URL, with which so many workers have ended. */
function suspectLeases(deaths: number[]): HostLease[] {
  return deaths.map((count, n) => {
    const lease = leaseOf(hosts[n] as HostKey);
    const [entry] = lease.entries;
    return count === 0 || !entry ? lease : { ...lease, entries: [{ ...entry, deaths: count }] };
  });
}

it('begins a URL on its last chance when nothing else is in hand, and gives the hosts of others a rest', async () => {
  await workerGiven(suspectLeases([0, 2, 2, 1, 0]), async (_worker, reports) => {
    await vi.waitFor(() => expect(reports.filter(({ close }) => close)).toHaveLength(5), 5_000);
    expect(reports.at(-1)).toMatchObject({ host: hosts[1], settled: [{ url: `https://${hosts[1]}/` }] });
    const rested = reports.filter(({ news }) => news.why === 'alone');
    expect(rested.map(({ host }) => host)).toEqual([hosts[2], hosts[3]]);
    expect(rested.flatMap(({ settled }) => settled)).toEqual([]);
    // Nothing was asked of them: an hour between two requests does not begin now.
    expect(rested.map(({ news }) => news.endedAgoMs)).toEqual([null, null]);
  });
});

it('begins others with which a worker ended beside each other', async () => {
  await workerGiven(suspectLeases([1, 1, 1, 1, 0]), async (_worker, reports) => {
    await vi.waitFor(() => expect(reports.flatMap(({ settled }) => settled)).toHaveLength(5), 5_000);
  });
});

it('makes no further request to a host once its report was rejected', async () => {
  const lease = leaseOf(hosts[0] as HostKey);
  const [entry] = lease.entries;
  lease.entries = Array.from({ length: 50 }, (_, n) => ({
    ...(entry as Entry),
    url: `https://${lease.host}/${n}` as Url,
  }));
  const rejected = async (_worker: Worker, reports: LeaseReport[]) => {
    await vi.waitFor(() => expect(reports.some(({ close }) => close)).toBe(true), 10_000);
    // The first report is on its way while the next page is fetched; the rest goes back unsettled.
    expect(reports.flatMap(({ settled }) => settled).length).toBeLessThan(5);
  };
  await workerGiven([lease], rejected, { gap: '20ms', accepts: false });
});

it('gives back as it was a URL whose request waited for its address in vain', async () => {
  const lease = leaseOf(hosts[0] as HostKey);
  const mayBegin: unknown[] = [];
  const answer: FetchSession['fetch'] = async ({ turn }) => {
    mayBegin.push(turn?.mayBegin());
    const failure = {
      reason: 'timeout',
      detail: '',
      contacted: false,
      startedAtMs: 0,
      durationMs: 1,
    } as const;
    return { ok: false, notBegun: true, ...failure };
  };
  const givenBack = async (_worker: Worker, reports: LeaseReport[]) => {
    await vi.waitFor(() => expect(reports.filter(({ close }) => close)).toHaveLength(1), 5_000);
    expect(reports.flatMap(({ settled }) => settled)).toEqual([]);
    expect(reports[0]?.news).toMatchObject({ health: 'none', endedAgoMs: null });
    expect(mayBegin).toEqual([true]);
  };
  await workerGiven([lease], givenBack, { answer });
});
