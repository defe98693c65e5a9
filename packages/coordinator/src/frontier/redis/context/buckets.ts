/**
 * Into how many buckets each group has split the fingerprints of a crawl, as far as we know: sorting them here
 * spares the engine work that all shards would otherwise do one after the other.
 */
export interface Buckets {
  get(crawl: string, group: number): number;
  learn(crawl: string, group: number, count: number): void;
  forget(crawl: string): void;
}

export function createBuckets(): Buckets {
  const counts = new Map<string, number[]>();
  return {
    get: (crawl, group) => counts.get(crawl)?.[group] ?? 1,
    learn(crawl, group, count) {
      if (count === 0) return;
      let list = counts.get(crawl);
      if (!list) counts.set(crawl, (list = []));
      list[group] = count;
    },
    forget: (crawl) => void counts.delete(crawl),
  };
}

/** The same arithmetic on the same doubles as in seen.lua. */
export function bucketOf(print: string, count: number, level: number): number {
  const place = (Number(print) + 2 ** 63) / 2 ** 64;
  const x = place < 1 ? place : 1 - 2 ** -53;
  const at = Math.floor(x * level);
  return at < count - level ? 2 * level + Math.floor(x * 2 * level) : level + at;
}
