/** When a crawl whose pages block the event loop is to be paused, and for how long. */
export interface BlockRule {
  /** Undefined: not now. */
  add(crawl: string, ms: number, nowMs: number): Blocking | undefined;
}

/** What a crawl has done to all others. */
export interface Blocking {
  /** How often. */
  count: number;
  /** All of them together. */
  sumMs: number;
  pauseMs: number;
}

/** One page may be slow for once, and a second one like it: with the third it is the crawl. */
const most = 3;
/** Within so many milliseconds. A crawl that blocks for a second less often takes less than 1 % of the time from others. */
const windowMs = 300_000;
/** The pause is so many times as long as the blocks were: others lose no more than a twentieth of their time to them. */
const pauseTimes = 20;

export function createBlockRule(): BlockRule {
  const blocks = new Map<string, { ms: number; atMs: number }[]>();
  return {
    add(crawl, ms, nowMs) {
      for (const [name, list] of blocks) {
        const left = list.filter(({ atMs }) => nowMs - atMs < windowMs);
        if (left.length > 0) blocks.set(name, left);
        else blocks.delete(name);
      }
      const recent = [...(blocks.get(crawl) ?? []), { ms, atMs: nowMs }];
      blocks.set(crawl, recent);
      if (recent.length < most) return undefined;
      blocks.delete(crawl);
      const sumMs = recent.reduce((sum, block) => sum + block.ms, 0);
      return { count: recent.length, sumMs, pauseMs: Math.max(windowMs, sumMs * pauseTimes) };
    },
  };
}
