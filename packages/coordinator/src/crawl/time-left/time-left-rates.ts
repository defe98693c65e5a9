import type { Balance, Clock } from '@webfarer/protocol';

/** What a crawl did lately. */
export interface FindingRates {
  /** URLs settled in a millisecond. */
  perMs: number;
  /** New URLs for each one settled: at least, and at most, as far as the numbers tell. */
  foundLow: number;
  foundHigh: number;
  /** Since a new URL was found. */
  sinceFoundMs: number;
}

export interface RatesWatch {
  look(balance: Balance): void;
  /** Undefined while it has seen too little. */
  lately(): FindingRates | undefined;
  reset(): void;
}

interface Sample {
  atMs: number;
  known: number;
  settled: number;
}

/** What was seen in less time, or of fewer URLs, says little about what is to come. */
const LEAST_MS = 8_000;
const LEAST_SETTLED = 10;
const WINDOW_MS = 60_000;
const LOOK_MS = 500;
const MOST_SAMPLES = 240;

/** Looks at the sums of a crawl, whoever works on it: the last minute, or longer until it has seen enough URLs. */
export function createFindingRates(clock: Clock): RatesWatch {
  let samples: Sample[] = [];
  let lastFoundMs = clock.now();
  let latest: Sample | undefined;

  /** Drops what is older than the window, as long as the rest tells enough. */
  function trim(now: Sample): void {
    while (samples.length > 2) {
      const second = samples[1] as Sample;
      if (now.atMs - second.atMs < WINDOW_MS || now.settled - second.settled < LEAST_SETTLED) break;
      samples.shift();
    }
    // A slow crawl needs a long window; half as many points tell as much.
    if (samples.length > MOST_SAMPLES) samples = samples.filter((_, n) => n % 2 === 0);
  }

  return {
    look({ known, queued, leased }) {
      const now = { atMs: clock.now(), known, settled: known - queued - leased };
      if (latest && known > latest.known) lastFoundMs = now.atMs;
      const last = samples.at(-1);
      latest = now;
      if (!last || now.atMs - last.atMs >= LOOK_MS) samples.push(now);
      trim(now);
    },
    lately() {
      const [first] = samples;
      if (!first || !latest) return undefined;
      const ms = latest.atMs - first.atMs;
      const settled = latest.settled - first.settled;
      if (ms < LEAST_MS || settled < LEAST_SETTLED) return undefined;
      const found = latest.known - first.known;
      const half =
        samples.findLast(({ settled: then }) => (latest?.settled ?? 0) - then >= settled / 2) ?? first;
      const late = { found: latest.known - half.known, settled: Math.max(1, latest.settled - half.settled) };
      return {
        perMs: settled / ms,
        foundLow: Math.min(0.99, leastShare(found, settled), leastShare(late.found, late.settled)),
        foundHigh: Math.max(mostShare(found, settled), mostShare(late.found, late.settled)),
        sinceFoundMs: latest.atMs - lastFoundMs,
      };
    },
    reset() {
      samples = [];
      latest = undefined;
      lastFoundMs = clock.now();
    },
  };
}

/** Counts scatter by about their square root; none at all leaves no doubt worth a figure. */
const scatter = (count: number) => (count === 0 ? 0 : 2 * Math.sqrt(count));
const leastShare = (found: number, settled: number) => Math.max(0, found - scatter(found)) / settled;
const mostShare = (found: number, settled: number) => (found + scatter(found)) / settled;
