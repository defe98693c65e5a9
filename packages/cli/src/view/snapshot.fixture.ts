import type { CrawlId, CrawlSnapshot, HostKey, HostWait, PageRecord, Url } from '@webfarer/protocol';

/** A crawl of www.example.org after a minute and a half, for tests. */
export function sampleSnapshot(change: Partial<CrawlSnapshot> = {}): CrawlSnapshot {
  return {
    crawl: 'c1' as CrawlId,
    name: 'example.org',
    state: 'running',
    elapsedMs: 92_000,
    balance: { known: 1262, queued: 1211, leased: 1, done: 38, failed: 0, refused: 12 },
    byStatus: { '200': 36, '301': 2 },
    byReason: { ok: 36, redirect: 2, robots: 12 },
    dropped: { scope: 300, scheme: 10, nofollow: 4 },
    bytes: 4_100_000,
    items: 0,
    pagesPerSecond: 0.4,
    leftMs: 49 * 60_000,
    hostsQueued: 1,
    inFlight: 1,
    waiting: [sampleWait()],
    archive: { files: 1, bytes: 3_000_000 },
    latency: { p50Ms: 240, p95Ms: 910 },
    last: sampleRecord(),
    ...change,
  };
}

export function sampleWait(change: Partial<HostWait> = {}): HostWait {
  return {
    host: 'www.example.org' as HostKey,
    queued: 1211,
    dueInMs: 1200,
    why: 'crawl-delay',
    dead: false,
    ...change,
  };
}

export function sampleRecord(change: Partial<PageRecord> = {}): PageRecord {
  return {
    url: 'https://www.example.org/docs/install' as Url,
    verdict: 'done',
    reason: 'ok',
    kind: 'page',
    depth: 1,
    attempts: 1,
    status: 200,
    mime: 'text/html',
    bytes: 48_000,
    startedAtMs: 1_700_000_000_000,
    durationMs: 310,
    links: 3,
    items: 0,
    ...change,
  };
}
