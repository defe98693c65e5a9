import type { CrawlStatus } from './crawl-status.ts';

/** How a crawl stood at a moment, as this browser saw it. */
export interface Sample {
  atMs: number;
  pagesPerSecond: number;
  done: number;
  failed: number;
  refused: number;
  queued: number;
  known: number;
  /** Whether it ran: over a pause no line is drawn. */
  isRunning: boolean;
}

/** What was seen of each crawl since the console was opened: finer than what coordinators record. */
export interface RateBook {
  note(crawl: string, status: CrawlStatus, atMs: number): void;
  samplesOf(crawl: string): readonly Sample[];
}

const mostSamples = 1_800;
const mostCrawls = 300;
/** Closer together they would tell nothing more. */
const leastApartMs = 700;
const none: readonly Sample[] = [];

/** Undefined: its counts are not known yet. */
export function sampleOf(
  { balance, pagesPerSecond = 0, state, pause }: CrawlStatus,
  atMs: number,
): Sample | undefined {
  if (balance === undefined) return undefined;
  const { done, failed, refused, queued, known } = balance;
  const isRunning = (state === undefined || state === 'running') && pause === undefined;
  return { atMs, pagesPerSecond, done, failed, refused, queued, known, isRunning };
}

export function createRateBook(): RateBook {
  const book = new Map<string, Sample[]>();
  return {
    note(crawl, status, atMs) {
      const next = sampleOf(status, atMs);
      if (next === undefined) return;
      const samples = book.get(crawl) ?? [];
      const last = samples.at(-1);
      const isNear = last && last.isRunning === next.isRunning && atMs - last.atMs < leastApartMs;
      if (isNear) return;
      book.delete(crawl);
      book.set(crawl, [...samples.slice(-mostSamples + 1), next]);
      const [oldest] = book.keys();
      if (book.size > mostCrawls && oldest !== undefined) book.delete(oldest);
    },
    samplesOf: (crawl) => book.get(crawl) ?? none,
  };
}
