import type { Balance, Clock, CrawlSnapshot } from '@webfarer/protocol';

export interface TimeLeftOptions {
  clock: Clock;
  /** `limits.pages`: then the crawl ends there at the latest. */
  pageLimit: () => number | undefined;
}

/** How long a crawl will still take, from how fast it settles URLs and how fast it finds new ones. */
export interface TimeLeft {
  /** Empty while nobody can tell. */
  estimate(balance: Balance, perSecond: number): Pick<CrawlSnapshot, 'leftMs' | 'leftAtMost'>;
}

/** What was found in less time than this says little about what is still to be found. */
const LEAST_MS = 8_000;
const WINDOW_MS = 30_000;
const LOOK_MS = 500;
/** A crawl that finds new URLs nearly as fast as it settles them may never end. */
const MOST_FOUND = 0.8;

export function createTimeLeft({ clock, pageLimit }: TimeLeftOptions): TimeLeft {
  let seen: { atMs: number; known: number }[] = [];

  /** New URLs a second lately; undefined while it is too early to say. */
  function foundPerSecond(known: number): number | undefined {
    const now = clock.now();
    const last = seen.at(-1);
    if (!last || now - last.atMs >= LOOK_MS)
      seen = [...seen.filter(({ atMs }) => now - atMs < WINDOW_MS), { atMs: now, known }];
    const [first] = seen;
    if (!first || now - first.atMs < LEAST_MS) return undefined;
    return ((known - first.known) * 1_000) / (now - first.atMs);
  }

  return {
    estimate(balance, perSecond) {
      const found = foundPerSecond(balance.known);
      const open = balance.queued + balance.leased;
      if (open === 0 || perSecond <= 0) return {};
      const limit = pageLimit();
      const toLimit = limit === undefined ? Infinity : Math.max(0, limit - balance.done) / perSecond;
      const isKnown = found !== undefined && found < perSecond * MOST_FOUND;
      const toEnd = isKnown ? open / (perSecond - found) : Infinity;
      // What is queued already reaches the limit, or new URLs keep coming: then the limit is the end.
      const reachesLimit = open >= toLimit * perSecond || (found !== undefined && !isKnown);
      if (reachesLimit && toLimit < toEnd) {
        const isCertain = open >= toLimit * perSecond;
        return { leftMs: toLimit * 1_000, ...(isCertain ? {} : { leftAtMost: true }) };
      }
      return toEnd === Infinity ? {} : { leftMs: toEnd * 1_000 };
    },
  };
}
