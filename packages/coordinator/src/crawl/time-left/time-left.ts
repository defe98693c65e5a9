import type { Balance, Clock, CrawlSnapshot } from '@webfarer/protocol';
import { createQueueBound, type QueueLook } from './time-left-queues.ts';
import { createFindingRates, type FindingRates } from './time-left-rates.ts';

export interface TimeLeftOptions {
  clock: Clock;
  /** As they are now: the crawl ends there at the latest. */
  limits: () => { pages?: number; durationMs?: number };
  /** Time spent running, over all sessions. */
  elapsedMs: () => number;
  /** Smallest time between two pages of a host. */
  gapMs: () => number;
}

export type TimeLeftRange = Pick<CrawlSnapshot, 'leftMs' | 'leftToMs' | 'leftAtMost'>;

/**
 * How long a crawl will still take. What is queued says little by itself: each page may bring new URLs. So the estimate
 * is a range, from how many URLs were settled and found lately, and there is none while that does not tell.
 */
export interface TimeLeft {
  /** Empty while it cannot tell. */
  estimate(look: QueueLook & { balance: Balance }): TimeLeftRange;
  /** The crawl does not run: what was seen so far says nothing about its speed afterwards. */
  reset(): void;
}

/** URLs found for each one settled, at which a crawl may never end. */
const MOST_FOUND = 0.9;
/**
 * New URLs that were found within this time may lead to more: an end that is nearer is not foreseen. Longer where hosts
 * take longer to bring their next page.
 */
const STILL_FINDING_MS = 15_000;
const TURNS = 3;
/** An end by a limit is told once it is no further away than this many times what the crawl has run. */
const FAR = 10;

export function createTimeLeft({ clock, limits, elapsedMs, gapMs }: TimeLeftOptions): TimeLeft {
  const rates = createFindingRates(clock);
  const queues = createQueueBound({ clock, gapMs });

  /** By the queue alone, as if there were no limit; undefined where it cannot tell. */
  function toEmpty(
    open: number,
    hosts: number,
    seen: FindingRates,
  ): { fromMs: number; toMs: number } | undefined {
    const { perMs, foundLow, foundHigh, sinceFoundMs } = seen;
    if (foundHigh >= MOST_FOUND) return undefined;
    const fromMs = Math.max(open / (perMs * (1 - foundLow)), queues.leastMs());
    const toMs = Math.max(fromMs, open / (perMs * (1 - foundHigh)));
    const turnMs = (Math.max(1, hosts) / perMs) * TURNS;
    const isFinding = sinceFoundMs < Math.max(STILL_FINDING_MS, turnMs);
    return isFinding && toMs < Math.max(STILL_FINDING_MS, turnMs) ? undefined : { fromMs, toMs };
  }

  /** When a limit ends the crawl, if pages keep coming as fast as now. `certain`: what is queued reaches it. */
  function toLimit({ done }: Balance, open: number, perMs: number): { ms: number; certain: boolean } {
    const { pages = Infinity, durationMs = Infinity } = limits();
    const pagesMs = perMs > 0 ? Math.max(0, pages - done) / perMs : Infinity;
    const timeMs = Math.max(0, durationMs - elapsedMs());
    return { ms: Math.min(pagesMs, timeMs), certain: pagesMs <= timeMs && open >= pages - done };
  }

  /** A limit that is far off says nothing: `at most 12 h` of a crawl of ten URLs. */
  const isNear = (ms: number): boolean => ms <= elapsedMs() * FAR;

  return {
    estimate({ balance, hostsQueued, waiting }) {
      const open = balance.queued + balance.leased;
      rates.look(balance);
      queues.look({ hostsQueued, waiting }, open);
      const seen = rates.lately();
      if (open === 0) return {};
      const limit = toLimit(balance, open, seen?.perMs ?? 0);
      const range = seen && toEmpty(open, hostsQueued, seen);
      if (seen && limit.certain && limit.ms <= (range?.fromMs ?? Infinity))
        return { leftMs: Math.round(limit.ms) };
      if (!range) return isNear(limit.ms) ? { leftMs: Math.round(limit.ms), leftAtMost: true } : {};
      const leftMs = Math.round(Math.min(range.fromMs, limit.ms));
      return { leftMs, leftToMs: Math.max(leftMs, Math.round(Math.min(range.toMs, limit.ms))) };
    },
    reset() {
      rates.reset();
      queues.reset();
    },
  };
}
