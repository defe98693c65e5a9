/**
 * Local times of one time zone. A local time is a number too: the milliseconds since 1970 of a clock on the wall there,
 * read as if they were UTC.
 */
export interface Zone {
  /** What the clock on the wall shows. */
  localAt(instantMs: number): number;
  /** Local time minus UTC. */
  offsetAt(instantMs: number): number;
  /**
   * When the clock on the wall shows this local time: once, twice where clocks are set back, never where they are set
   * forward.
   */
  instantsOf(localMs: number): number[];
  /** The first of them; where there is none, the first moment after the gap. */
  firstOf(localMs: number): number;
}

/** Offsets are between -12 and +14 hours, and no zone changes its offset twice within this time. */
const AROUND_MS = 26 * 3_600_000;

export function createZone(timeZone: string): Zone {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    calendar: 'gregory',
    numberingSystem: 'latn',
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });

  function localAt(instantMs: number): number {
    const found: Record<string, number> = {};
    for (const { type, value } of format.formatToParts(instantMs)) found[type] = Number(value);
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = found;
    const wholeSecondsMs = Date.UTC(year, month - 1, day, hour, minute, second);
    return wholeSecondsMs + (((instantMs % 1_000) + 1_000) % 1_000);
  }

  const offsetAt = (instantMs: number) => localAt(instantMs) - instantMs;

  function offsetsAround(localMs: number): [before: number, after: number] {
    return [offsetAt(localMs - AROUND_MS), offsetAt(localMs + AROUND_MS)];
  }

  function instantsOf(localMs: number): number[] {
    const candidates = new Set(offsetsAround(localMs).map((offset) => localMs - offset));
    return [...candidates].filter((ms) => localAt(ms) === localMs).toSorted((a, b) => a - b);
  }

  /** When clocks were set forward over this local time. */
  function endOfGap(localMs: number): number {
    const [before, after] = offsetsAround(localMs);
    let low = localMs - Math.max(before, after);
    let high = localMs - Math.min(before, after);
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (offsetAt(middle) === before) low = middle;
      else high = middle;
    }
    return high;
  }

  return {
    localAt,
    offsetAt,
    instantsOf,
    firstOf: (localMs) => instantsOf(localMs)[0] ?? endOfGap(localMs),
  };
}
