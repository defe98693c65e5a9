/** Numbers that look random and are the same for the same seed, everywhere. */
export interface Random {
  /** From 0 to below the limit. */
  below(limit: number): number;
  chance(probability: number): boolean;
  pick<T>(values: readonly T[]): T;
  /** Like `below`, but small numbers are as likely as large ones. */
  size(limit: number): number;
}

/** One seed out of several words, by FNV-1a. */
export function seedOf(...words: (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const char of words.join(' ')) hash = Math.imul(hash ^ (char.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
}

/** Mulberry32. */
export function randomFrom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  return {
    below,
    chance: (probability) => next() < probability,
    pick: (values) => values[below(values.length)] as (typeof values)[number],
    size: (limit) => Math.floor((limit + 1) ** next()) - 1,
  };
}
