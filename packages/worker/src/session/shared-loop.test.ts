import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type {
  CoordinatorLink,
  CrawlId,
  Entry,
  HostKey,
  HostLease,
  LeaseId,
  Url,
  WorkerId,
} from '@webfarer/protocol';
import { systemClock } from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import { createMetrics } from '@webfarer/protocol/metrics';
import { expect, it, vi } from 'vitest';
import type { CrawlContext } from '../context/context.ts';
import { contextFor } from '../crawls/crawl-context.fixture.ts';
import type { NetworkWatch } from '../egress/network-watch.ts';
import type { Fetch, FetchAnswer } from '../fetch/fetch.ts';
import { mainThread } from '../shares/main-thread.ts';
import { noTracing } from '../tracing/tracing.ts';
import { createWorker } from '../worker.ts';

/** Of each crawl. */
const hostCount = 20;
const urlsOfHost = 10;

const hostsOf = (crawl: string) =>
  Array.from({ length: hostCount }, (_, n) => `${crawl}${n}.example` as HostKey);

/** A crawl of a team of its own, each of whose pages keeps the main thread busy for so long. */
function contextOf(name: string, busyMs: number, handled: (crawl: string) => void): CrawlContext {
  const hosts = hostsOf(name);
  const seeds = hosts.map((host) => `https://${host}/` as Url);
  const job = resolveJob({
    seeds,
    contact: 'https://lab.test/crawler',
    politeness: { gap: '1ms' },
    robots: { obey: false, ignoreFor: hosts },
  });
  return contextFor({ ...job, team: name }, seeds, {
    crawl: name as CrawlId,
    scraper() {
      const endMs = performance.now() + busyMs;
      while (performance.now() < endMs);
      handled(name);
      return undefined;
    },
  });
}

function leaseOf(crawl: string, host: HostKey): HostLease {
  const entry = (path: number): Entry => ({
    url: `https://${host}/${path}` as Url,
    kind: 'page',
    depth: 0,
    cost: 0,
    hops: 0,
    attempt: 0,
  });
  return {
    id: host as string as LeaseId,
    crawl: crawl as CrawlId,
    host,
    fence: 1,
    part: 0,
    ttlMs: 600_000,
    endedAgoMs: null,
    entries: Array.from({ length: urlsOfHost }, (_, n) => entry(n)),
    robots: [],
  };
}

const page = {
  ok: true,
  status: 200,
  statusText: 'OK',
  headers: [['Content-Type', 'text/html']],
  requestHead: '',
  body: Buffer.from('<title>x</title>'),
  unread: false,
  startedAtMs: 0,
  durationMs: 1,
  others: [],
  release: () => undefined,
} as unknown as FetchAnswer;

const fetch: Fetch = {
  open: () => ({
    fetch: async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return page;
    },
    close: () => undefined,
  }),
  close: async () => undefined,
};

/** A worker on all of these crawls at once, until so many pages of the last one are handled: how many of each are. */
async function pagesUntil(most: number, crawls: Record<string, number>): Promise<Record<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-shared-loop-'));
  const names = Object.keys(crawls);
  const last = names.at(-1) as string;
  const counts = Object.fromEntries(names.map((name) => [name, 0]));
  const reached = Promise.withResolvers<Record<string, number>>();
  const handled = (name: string) => {
    counts[name] = (counts[name] ?? 0) + 1;
    if (counts[last] === most) reached.resolve({ ...counts });
  };
  const contexts = new Map(names.map((name) => [name, contextOf(name, crawls[name] ?? 0, handled)]));
  const open = names.flatMap((name) => hostsOf(name).map((host) => leaseOf(name, host)));
  const link: CoordinatorLink = {
    lease: async () => ({ leases: open.splice(0), nextDueMs: null }),
    leaseHost: async () => ({ granted: false, retryAfterMs: 1_000 }),
    robots: async () => undefined,
    previous: async () => undefined,
    renew: async (leases) => leases.map(() => ({ ok: true, ttlMs: 600_000 })),
    report: async (sent) => sent.map(() => ({ ok: true, accepted: 0, known: 0 })),
  };
  const network = { succeeded: () => undefined } as unknown as NetworkWatch;
  const failed = vi.fn();
  const worker = createWorker({
    random: Math.random,
    id: 'w' as WorkerId,
    link,
    clock: systemClock(),
    opening: () => undefined,
    crawl(name) {
      const context = contexts.get(name);
      return context && { context, fetch, network, ready: () => Promise.resolve(true) };
    },
    connections: names.length * hostCount,
    renderer: undefined,
    metrics: createMetrics({ clock: systemClock() }),
    tracing: noTracing,
    without: () => undefined,
    urlsPerHost: () => urlsOfHost,
    folder,
    minFreeBytes: () => 0,
    mayBegin: () => true,
    noted: async () => undefined,
    patienceMs: undefined,
    pauseChanged: () => undefined,
    failed,
  });
  for (const { account } of contexts.values()) mainThread.join(account, () => undefined);
  worker.start();
  try {
    return await reached.promise;
  } finally {
    await worker.stop({ now: true });
    for (const { account } of contexts.values()) mainThread.leave(account);
    rmSync(folder, { recursive: true, force: true });
    expect(failed).not.toHaveBeenCalled();
  }
}

it('a crawl that computes 20 times as much for a page gets no more of the main thread than the other', async () => {
  const { heavy = 0 } = await pagesUntil(150, { heavy: 40, light: 2 });
  // Of equal shares 150 / 20 pages, and some more because a light page costs more than its handler. In turns it would be 150.
  expect(heavy).toBeGreaterThan(2);
  expect(heavy).toBeLessThan(75);
});
