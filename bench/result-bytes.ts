// watches: packages/coordinator/src/results, packages/coordinator/src/frontier
// misses: the measurement of bytes a result no longer runs
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSqliteFrontier } from '../packages/coordinator/src/frontier/sqlite/sqlite-frontier.ts';
import type { Frontier } from '../packages/coordinator/src/frontier/frontier.ts';
import { openRedisFrontier, openStore } from '../packages/coordinator/src/redis.ts';
import {
  type CrawlId,
  type FetchedFacts,
  type HostLease,
  type LeaseReport,
  type Offer,
  type PageRecord,
  systemClock,
  type Url,
  type WorkerId,
} from '../packages/protocol/src/index.ts';
import { startRedis } from '../test/redis/servers.ts';
import type { BenchOptions, BenchResult } from './bench.ts';
import { randomNumbers } from './random.ts';
import { doneWith } from './redis/done-with.ts';

/**
 * What a result takes in each store, without and with who fetched it and its times: bytes of the database file, and
 * bytes of memory of the server. Three in four requests use a connection that is open.
 */
const full = { pages: 40_000, hosts: 400 };
const small = { pages: 4_000, hosts: 100 };
/** Bytes that a result may take more, on either store. */
const bar = 48;
const crawl = 'bench' as CrawlId;
const worker = 'worker-1' as WorkerId;
const clock = systemClock();

type Sizes = typeof full;
type Facts = (n: number) => FetchedFacts | undefined;

export async function bench({ quick }: BenchOptions): Promise<BenchResult> {
  const sizes = quick ? small : full;
  const sqlite = await bothWays(sizes, bytesInSqlite);
  const redis = await bothWays(sizes, bytesInRedis);
  return { ok: sqlite.more <= bar && redis.more <= bar, result: { sqlite, redis, bar, sizes } };
}

async function bothWays(sizes: Sizes, bytes: (sizes: Sizes, facts: Facts) => Promise<number>) {
  const random = randomNumbers(7);
  const ms = (most: number) => Math.floor(random() * most);
  const without = await bytes(sizes, () => undefined);
  const withFacts = await bytes(sizes, (n) =>
    n % 4 > 0
      ? { by: worker, waitedMs: ms(20_000), reused: true }
      : { by: worker, waitedMs: ms(20_000), dnsMs: ms(80), connectMs: ms(120), tlsMs: ms(150) },
  );
  const each = (all: number) => Math.round((all / sizes.pages) * 10) / 10;
  return { without: each(without), with: each(withFacts), more: each(withFacts - without) };
}

async function bytesInSqlite(sizes: Sizes, facts: Facts): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'webfarer-result-bytes-'));
  try {
    const path = join(folder, 'frontier.sqlite');
    const frontier = openSqliteFrontier({ path, clock });
    await fill(frontier, sizes, facts);
    await frontier.close();
    return statSync(path).size;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

async function bytesInRedis(sizes: Sizes, facts: Facts): Promise<number> {
  const servers = await startRedis({ settings: { appendonly: 'no' } });
  const store = await openStore({ url: servers.url, replicas: 0, clock });
  try {
    const frontier = await openRedisFrontier({ store, clock });
    await fill(frontier, sizes, facts);
    const [info] = await store.run([{ key: '{wf}', args: ['INFO', 'memory'] }]);
    const bytes = Number(/^used_memory_dataset:(\d+)/m.exec(info as string)?.[1]);
    await frontier.close();
    return bytes;
  } finally {
    await store.close();
    await servers.stop();
  }
}

async function fill(frontier: Frontier, { pages, hosts }: Sizes, facts: Facts): Promise<void> {
  const pace = { gapMs: 0, leaseTtlMs: 600_000, maxFetchMs: 30_000, backoffMs: 10_000, deadAfter: 5 };
  await frontier.openCrawl({ id: crawl, ...pace, limits: {} });
  for (let from = 0; from < pages; from += 1_000)
    await frontier.offer(
      crawl,
      Array.from({ length: Math.min(1_000, pages - from) }, (_, n) => offerOf(from + n, hosts)),
    );
  let done = 0;
  while (done < pages) {
    const { leases, nextDueMs } = await frontier.lease({ worker, hosts: 16, urlsPerHost: 20 });
    if (leases.length === 0) {
      if (nextDueMs === null) throw new Error(`${done} of ${pages} pages were leased`);
      await clock.sleep(Math.min(nextDueMs, 20) + 1);
      continue;
    }
    await frontier.report(leases.map((lease) => reportOf(lease, () => facts(done++))));
  }
}

function offerOf(n: number, hosts: number): Offer {
  const url = `https://www.host${n % hosts}.example/articles/2026/${n}.html` as Url;
  return { url, kind: 'page', depth: 1, cost: 0, hops: 0 };
}

/** Records as those of real pages are. */
function reportOf(lease: HostLease, facts: () => FetchedFacts | undefined): LeaseReport {
  const report = doneWith(lease);
  const settled = report.settled.map((one) => {
    if (one.kind === 'retry') return one;
    const fetched = facts();
    return { ...one, record: { ...one.record, ...seen(one.url), ...(fetched ? { fetched } : {}) } };
  });
  return { ...report, settled };
}

function seen(url: string): Partial<PageRecord> {
  return {
    startedAtMs: 1_795_000_000_000,
    durationMs: 184,
    firstByteMs: 151,
    mime: 'text/html',
    charset: 'utf-8',
    language: 'en',
    server: 'nginx',
    tls: 'TLSv1.3',
    ip: '203.0.113.17',
    digest: 'sha1:3I42H3S6NNFQ2MSVX7XZKYAYSCX5QBYJ',
    // Of very different lengths, so that what is left over in a page of the file evens out.
    title: 'An article of some words '.repeat(6).slice(0, 10 + ((numberOf(url) * 37) % 131)),
    etag: '"65f1c2d0-4e20"',
    saved: [
      { saver: 'warc', file: 'archive/rec-20261117-000001.warc.gz', offset: 123_456_789, length: 6_543 },
    ],
    links: 40,
  };
}

const numberOf = (url: string): number => Number(/(\d+)\.html$/.exec(url)?.[1]);
