/**
 * A Bloom filter in blocks of eight words: one fingerprint sets one bit in each word of one block, so a
 * question touches one cache line. "No" is certain; "yes" is wrong about once in 700 at 16 bits each.
 */
export interface PrintFilter {
  readonly words: Uint32Array;
  add(high: number, low: number): void;
  mayHave(high: number, low: number): boolean;
}

const bitsPerPrint = 16;
const wordsPerBlock = 8;
/** Odd multipliers that spread the high half over 32 bits differently for each word of a block. */
const salts = [
  0x47b6137b, 0x44974d91, 0x8824ad5b, 0xa2b7289d, 0x705495c7, 0x2df1424b, 0x9efc4947, 0x5c6bfb31,
] as const;

export function emptyFilter(count: number): PrintFilter {
  const blocks = Math.max(1, Math.ceil((count * bitsPerPrint) / (wordsPerBlock * 32)));
  return filterOn(new Uint32Array(blocks * wordsPerBlock));
}

export function filterOn(words: Uint32Array): PrintFilter {
  const blocks = words.length / wordsPerBlock;
  const [s0, s1, s2, s3, s4, s5, s6, s7] = salts;
  /** The low half picks the block: it is uniform, so it is simply scaled. */
  const scale = blocks / 2 ** 32;
  return {
    words,
    add(high, low) {
      const at = Math.floor(low * scale) * wordsPerBlock;
      for (let i = 0; i < wordsPerBlock; i++) {
        const bit = 1 << (Math.imul(high, salts[i] as number) >>> 27);
        words[at + i] = (words[at + i] as number) | bit;
      }
    },
    mayHave(high, low) {
      const at = Math.floor(low * scale) * wordsPerBlock;
      const has = (i: number, salt: number) =>
        ((words[at + i] as number) & (1 << (Math.imul(high, salt) >>> 27))) !== 0;
      return (
        has(0, s0) &&
        has(1, s1) &&
        has(2, s2) &&
        has(3, s3) &&
        has(4, s4) &&
        has(5, s5) &&
        has(6, s6) &&
        has(7, s7)
      );
    },
  };
}
