import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { duplexPair } from 'node:stream';
import {
  type CoordinatorLink,
  type CrawlId,
  type Entry,
  type HostKey,
  type HostLease,
  type LeaseId,
  type LeaseReport,
  type PageRecord,
  systemClock,
  type Url,
  type WorkerId,
} from '@webfarer/protocol';
import { resolveJob } from '@webfarer/protocol/job';
import {
  type CoordinatorFrame,
  type LinkCrawl,
  linkVersion,
  type Orders,
  sendOrders,
  unpackSent,
  type WorkerFrame,
} from '@webfarer/protocol/link';
import { frameStream } from '@webfarer/protocol/node';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorker, type OpenWorker } from './open-worker.ts';
import type { LinkChoice } from './worker-link.ts';

const crawl = 'c' as CrawlId;
const host = '127.0.0.1' as HostKey;
let folder: string;
let origin: string;
const site = createServer((request, response) => {
  response.writeHead(request.url === '/robots.txt' ? 404 : 200, { 'content-type': 'text/html' });
  response.end(`<title>${request.url}</title><a href="/next">next</a>`);
});

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'webfarer-open-worker-'));
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
});
afterEach(async () => {
  site.closeAllConnections();
  await new Promise((resolve) => site.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

/** A coordinator that is nothing but the link: one host with two pages, granted once. */
function plainLink() {
  const reports: LeaseReport[] = [];
  const entry = (path: string): Entry => ({
    url: `${origin}${path}` as Url,
    kind: 'page',
    depth: 0,
    cost: 0,
    hops: 0,
    attempt: 0,
  });
  const lease: HostLease = {
    id: 'l1' as LeaseId,
    part: 0,
    crawl,
    host,
    fence: 1,
    ttlMs: 60_000,
    endedAgoMs: null,
    entries: [entry('/'), entry('/other')],
    robots: [],
  };
  let granted = false;
  const link: CoordinatorLink = {
    async lease() {
      const leases = granted ? [] : [lease];
      granted = true;
      return { leases, nextDueMs: null };
    },
    leaseHost: async () => ({ granted: false, retryAfterMs: 1_000 }),
    robots: async () => undefined,
    previous: async () => undefined,
    renew: async (leases) => leases.map(() => ({ ok: true, ttlMs: 60_000 })),
    async report(sent) {
      reports.push(...sent);
      return sent.map(() => ({ ok: true, accepted: 0, known: 0 }));
    },
  };
  const closed = () => reports.some(({ close }) => close);
  const records = () =>
    reports.flatMap(({ settled }) => settled.flatMap((one) => (one.kind === 'outcome' ? [one.record] : [])));
  return { link, closed, records };
}

function linkCrawl(): LinkCrawl {
  const seeds = [`${origin}/` as Url];
  const job = resolveJob({
    name: 'few',
    seeds,
    contact: 'https://lab.test/crawler',
    politeness: { gap: '1ms' },
    limits: { minFree: '1MB' },
    fetch: { allowPrivate: ['127.0.0.0/8'] },
  });
  return {
    id: crawl,
    nonce: 'n',
    revision: '1',
    job,
    seeds,
    userAgent: 'test',
    urlsPerHost: 10,
    state: 'running',
  };
}

function open(link: LinkChoice, leavesOut = false): OpenWorker {
  return openWorker({
    link,
    leavesOut,
    id: 'w' as WorkerId,
    version: '0.0.0',
    folder,
    folderOf: () => folder,
    baseFolder: folder,
    connections: 4,
    clock: systemClock(),
    random: Math.random,
  });
}

const paths = (records: readonly PageRecord[]) =>
  records.map(({ url }) => url.slice(origin.length)).toSorted();

test('works in process: fetches, calls hooks, saves, reports, and closes what it saved', async () => {
  const { link, closed, records } = plainLink();
  const pages: string[] = [];
  let orders: Orders | undefined;
  let left = false;
  let closeCrawl: (id: CrawlId) => Promise<void> = async () => undefined;
  const worker = open({
    kind: 'in-process',
    hooks: () => ({ onPage: (page) => void pages.push(page.url) }),
    connect(one) {
      ({ orders, closeCrawl } = one);
      orders.crawls([linkCrawl()]);
      return { link, tellLook: () => undefined, leave: () => void (left = true) };
    },
  });
  await worker.start();
  await expect.poll(closed, { timeout: 30_000 }).toBe(true);
  expect(paths(records())).toEqual(['/', '/other']);
  expect(pages).toHaveLength(2);
  expect(records().every(({ saved }) => saved?.length === 1)).toBe(true);
  expect(worker.look()).toMatchObject({ pages: 2, written: [{ crawl, files: 1, open: true }] });
  await closeCrawl(crawl);
  expect(worker.look().written).toMatchObject([{ crawl, files: 1, open: false }]);
  orders?.drain({ now: false });
  expect(await worker.ended).toBe('drain');
  await worker.stop();
  expect(left).toBe(true);
});

test('works over a pipe: the same calls and orders as frames', async () => {
  const { link, closed, records } = plainLink();
  const [ours, theirs] = duplexPair();
  const told: WorkerFrame['type'][] = [];
  const send = (frame: CoordinatorFrame) => frames.send(JSON.stringify(frame), () => undefined);
  async function answer(frame: WorkerFrame): Promise<void> {
    told.push(frame.type);
    if (frame.type === 'hello') {
      const v = linkVersion;
      const about = { v, coordinator: 'p', version: '0', trust: 'own', heartbeatMs: 60_000 } as const;
      return send({ type: 'welcome', ...about, crawls: [linkCrawl()], peers: [] });
    }
    if (!('id' in frame)) return;
    let value: unknown = null;
    if (frame.type === 'lease') value = await link.lease({ worker: 'w' as WorkerId, ...frame });
    if (frame.type === 'renew') value = await link.renew(frame.leases);
    if (frame.type === 'report')
      value = await link.report(unpackSent(frame.reports, Buffer.from(frame.edges, 'base64')));
    send({ type: 'answer', id: frame.id, value });
  }
  const frames = frameStream(
    ours,
    { maxBytes: 1e7 },
    { frame: (text) => void answer(JSON.parse(text) as WorkerFrame), closed: () => undefined },
  );
  const worker = open({ kind: 'parent', stream: theirs });
  await worker.start();
  await expect.poll(closed, { timeout: 30_000 }).toBe(true);
  expect(paths(records())).toEqual(['/', '/other']);
  sendOrders(send).drain({ now: false });
  expect(await worker.ended).toBe('drain');
  await worker.stop();
  // The last look says that everything is closed, then it says goodbye.
  expect(told.slice(-2)).toEqual(['look', 'bye']);
});

test('is told of a crawl with its first lease, closes it when it rests, and opens it again', async () => {
  const { link, closed, records } = plainLink();
  const { link: second, closed: secondClosed } = plainLink();
  let current = link;
  let orders: Orders | undefined;
  const news = { crawls: [linkCrawl()], gone: [], resting: [], over: false };
  const worker = open(
    {
      kind: 'in-process',
      connect(one) {
        ({ orders } = one);
        expect(one.isToldAsLeased).toBe(true);
        orders.crawls([]);
        orders.crawlNews({ ...news, crawls: [] });
        const lease: CoordinatorLink['lease'] = async (request) => {
          const answer = await current.lease(request);
          // In the same moment as the lease, as over a connection.
          if (answer.leases.length > 0) orders?.crawlNews(news);
          return answer;
        };
        const report: CoordinatorLink['report'] = (reports) => current.report(reports);
        return { link: { ...link, lease, report }, tellLook: () => undefined, leave: () => undefined };
      },
    },
    true,
  );
  await worker.start();
  await expect.poll(closed, { timeout: 30_000 }).toBe(true);
  // Nothing of the lease was given back while the crawl was being opened.
  expect(paths(records())).toEqual(['/', '/other']);
  orders?.crawlNews({ ...news, crawls: [], resting: [crawl] });
  await expect
    .poll(() => worker.look().written, { timeout: 30_000 })
    .toMatchObject([{ crawl, files: 1, open: false }]);
  current = second;
  orders?.wake();
  await expect.poll(secondClosed, { timeout: 30_000 }).toBe(true);
  expect(worker.look()).toMatchObject({ pages: 4, written: [{ crawl, open: true }] });
  orders?.crawlNews({ ...news, crawls: [{ ...linkCrawl(), state: 'finished' }], over: false });
  await expect.poll(() => worker.look().written, { timeout: 30_000 }).toMatchObject([{ crawl, open: false }]);
  await worker.stop();
});

test('a crawl that this machine cannot open is an error of start', async () => {
  const { link } = plainLink();
  const about = linkCrawl();
  const scraper = { kind: 'module', path: './nowhere.mjs' } as LinkCrawl['job']['scraper'];
  const worker = open({
    kind: 'in-process',
    connect({ orders }) {
      orders.crawls([{ ...about, job: { ...about.job, scraper } }]);
      return { link, tellLook: () => undefined, leave: () => undefined };
    },
  });
  await expect(worker.start()).rejects.toMatchObject({ code: 'job-invalid' });
  await worker.stop({ now: true });
});
