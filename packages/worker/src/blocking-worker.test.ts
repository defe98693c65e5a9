import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type CoordinatorLink,
  type CrawlId,
  type Entry,
  type HostKey,
  type HostLease,
  type LeaseId,
  systemClock,
  type Url,
  type WorkerId,
  type WorkerLook,
} from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openWorker, type OpenWorker } from './open-worker.ts';
import type { Scraper } from './scrape/scraper.ts';

let folder: string;
let servers: Server[];
let worker: OpenWorker;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-blocking-'));
  servers = [];
});
afterEach(async () => {
  await worker.stop({ now: true });
  for (const server of servers) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
  rmSync(folder, { recursive: true, force: true });
});

async function siteAt(address: string): Promise<string> {
  const server = createServer((request, response) => {
    response.writeHead(request.url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' });
    response.end(`<title>${request.url}</title>`);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, address, resolve));
  return `http://${address}:${(server.address() as AddressInfo).port}`;
}

/** Computes for so long, on a busy machine too, and lets nothing else happen. */
function block(ms: number): void {
  const before = process.threadCpuUsage();
  for (let usedMs = 0; usedMs < ms; ) {
    const { user, system } = process.threadCpuUsage(before);
    usedMs = (user + system) / 1_000;
  }
}

function linkCrawl(id: string, origin: string): LinkCrawl {
  const seeds = [`${origin}/` as Url];
  const job = resolveJob({
    name: id,
    seeds,
    contact: 'https://lab.test/crawler',
    politeness: { gap: '1ms' },
    limits: { minFree: '1MB' },
    fetch: { allowPrivate: ['127.0.0.0/8'] },
    save: ['none'],
  });
  return {
    id: id as CrawlId,
    nonce: id,
    revision: '1',
    job,
    seeds,
    userAgent: 'test',
    urlsPerHost: 100,
    state: 'running',
  };
}

/** A worker in the process of its coordinator, which gives it page after page of these crawls. */
async function start(handlers: Record<string, Scraper>, pausesBlocking: boolean) {
  const pages: Record<string, number> = {};
  const looks: WorkerLook[] = [];
  const crawls: LinkCrawl[] = [];
  const hosts = new Map<string, HostKey>();
  for (const [at, id] of Object.keys(handlers).entries()) {
    const address = `127.0.0.${at + 1}`;
    crawls.push(linkCrawl(id, await siteAt(address)));
    hosts.set(id, address as HostKey);
    pages[id] = 0;
  }
  let granted = 0;
  const out = new Set<string>();
  function leaseOf({ id, seeds }: LinkCrawl): HostLease {
    out.add(id);
    const entries = Array.from(
      { length: 10 },
      (_, at): Entry => ({
        url: `${seeds[0]}${granted}-${at}` as Url,
        kind: 'page',
        depth: 0,
        cost: 0,
        hops: 0,
        attempt: 0,
      }),
    );
    const host = hosts.get(id) as HostKey;
    const lease = `l${granted++}` as LeaseId;
    return {
      id: lease,
      part: 0,
      crawl: id,
      host,
      fence: 1,
      ttlMs: 600_000,
      endedAgoMs: null,
      entries,
      robots: [],
    };
  }
  const link: CoordinatorLink = {
    async lease({ without = [] }) {
      const free = crawls.filter(({ id }) => !out.has(id) && !without.includes(id));
      return { leases: free.map(leaseOf), nextDueMs: 10 };
    },
    leaseHost: async () => ({ granted: false, retryAfterMs: 1_000 }),
    robots: async () => undefined,
    previous: async () => undefined,
    renew: async (leases) => leases.map(() => ({ ok: true, ttlMs: 600_000 })),
    async report(sent) {
      for (const { crawl, close } of sent) if (close) out.delete(crawl);
      return sent.map(() => ({ ok: true, accepted: 0, known: 0 }));
    },
  };
  worker = openWorker({
    link: {
      kind: 'in-process',
      hooks: ({ id }) => ({
        onPage(page, tools) {
          pages[id] = (pages[id] ?? 0) + 1;
          return handlers[id]?.(page, tools);
        },
      }),
      connect({ orders }) {
        orders.crawls(crawls);
        return { link, tellLook: (look) => void looks.push(look), leave: () => undefined };
      },
    },
    id: 'w' as WorkerId,
    version: '0.0.0',
    folder,
    connections: 4,
    clock: systemClock(),
    random: Math.random,
    leavesOut: true,
    pausesBlocking,
  });
  await worker.start();
  return { pages, looks };
}

/** Blocks are of computing: with a tenth of a processor, each takes ten times as long. */
const patient = { timeout: 120_000, interval: 20 };

it('a crawl whose handler blocks the loop again and again is paused with its cause, and the other goes on', async () => {
  const { pages } = await start({ bad: () => block(1_100), good: () => undefined }, true);
  await expect
    .poll(() => worker.look().unable, patient)
    .toMatchObject([
      {
        crawl: 'bad',
        code: 'blocks-worker',
        message: expect.stringMatching(
          /^pages of bad blocked the event loop 3 times within 5 minutes, for \d+ ms in all; the last one was http:\/\/127\.0\.0\.1:\d+\/\d+-\d for \d+ ms in the handler\. It is paused here for 5 minutes$/,
        ),
      },
    ]);
  const { bad, good = 0 } = pages;
  await expect.poll(() => pages['good'], patient).toBeGreaterThan(good + 25);
  expect(pages['bad']).toBe(bad);
}, 280_000);

it('the own crawl of a person is not paused: that its handler blocks is said once', async () => {
  const mine = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    block(1_500);
  };
  const { pages, looks } = await start({ mine, second: () => undefined }, false);
  await expect
    .poll(() => looks.at(-1)?.blocking, patient)
    .toMatchObject([{ crawl: 'mine', message: expect.stringContaining('in the handler') }]);
  const told = pages['mine'] ?? 0;
  await expect.poll(() => pages['mine'], patient).toBeGreaterThan(told + 1);
  expect([worker.look().unable, worker.look().blocking?.length]).toEqual([undefined, 1]);
}, 280_000);
