/**
 * Whose turn it is among crawls that share workers: the crawl that was granted the fewest leases comes first. A crawl that
 * had no work for a while, or is new, does not make up for that time: it begins where the others are.
 */
export interface FairTurns<Key> {
  /** The same keys, those that deserve the next lease most first. */
  order<T extends { key: Key }>(all: readonly T[]): T[];
  /** It was granted so many leases. */
  granted(key: Key, leases: number): void;
  drop(key: Key): void;
}

export function createFairTurns<Key>(): FairTurns<Key> {
  /** Leases granted so far, or what stands for them where a crawl came later. */
  const served = new Map<Key, number>();
  /** Where the crawl stood that was last granted something: nobody begins behind it. */
  let floor = 0;
  /** Among equals, each begins once. */
  let turn = 0;

  const standing = (key: Key) => Math.max(served.get(key) ?? 0, floor);

  return {
    order(all) {
      if (all.length < 2) return [...all];
      const first = turn++ % all.length;
      const rotated = [...all.slice(first), ...all.slice(0, first)];
      return rotated.sort((a, b) => standing(a.key) - standing(b.key));
    },
    granted(key, leases) {
      const before = standing(key);
      served.set(key, before + leases);
      floor = Math.max(floor, before);
    },
    drop: (key) => void served.delete(key),
  };
}
