import type { CrawlId, CrawlSnapshot, Edge, PageRecord, Url } from '@webfarer/protocol';
import { packEdges, type PageLinks, pageLinks } from '@webfarer/protocol/link';

/** A record for tests. */
export function recordOf(url: string, parts: Partial<PageRecord> = {}): PageRecord {
  return {
    url: url as Url,
    verdict: 'done',
    reason: 'ok',
    kind: 'page',
    depth: 1,
    attempts: 1,
    status: 200,
    mime: 'text/html',
    bytes: 10_000,
    startedAtMs: Date.UTC(2025, 0, 2, 3, 4, 5),
    durationMs: 120,
    links: 3,
    items: 0,
    ...parts,
  };
}

/** A record of a URL that was never answered. */
export function unanswered(url: string, parts: Partial<PageRecord>): PageRecord {
  const { status: _status, mime: _mime, ...rest } = recordOf(url, { bytes: 0 });
  return { ...rest, ...parts };
}

export function snapshotOf(parts: Partial<CrawlSnapshot> = {}): CrawlSnapshot {
  return {
    crawl: 'c1' as CrawlId,
    name: 'example.org',
    state: 'finished',
    elapsedMs: 60_000,
    balance: { known: 3, queued: 0, leased: 0, done: 1, failed: 1, refused: 1 },
    byStatus: { 200: 1 },
    byReason: { ok: 1, timeout: 1, robots: 1 },
    dropped: { scope: 12 },
    bytes: 10_000,
    items: 0,
    pagesPerSecond: 0,
    hostsQueued: 0,
    inFlight: 0,
    waiting: [],
    archive: { files: 1, bytes: 1_000 },
    ...parts,
  };
}

/** The links of a page, as a store answers them. */
export function linksOf(from: string, edges: Edge[]): PageLinks {
  return pageLinks(from as Url, packEdges(from as Url, edges));
}

export async function* each<T>(values: Iterable<T>): AsyncGenerator<T> {
  yield* values;
}
