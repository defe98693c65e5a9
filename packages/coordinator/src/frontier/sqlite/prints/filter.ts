/**
 * A Bloom filter in blocks of eight words: one fingerprint sets one bit in each word of one block, so a
 * question touches one cache line. "No" is certain; "yes" is wrong about once in 700 at 16 bits each.
 */
export interface PrintFilter {
  readonly words: Int32Array;
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
  return filterOn(new Int32Array(blocks * wordsPerBlock));
}

export function filterOn(words: Int32Array): PrintFilter {
  const blocks = words.length / wordsPerBlock;
  const [s0, s1, s2, s3, s4, s5, s6, s7] = salts;
  /** The low half picks the block: it is uniform, so it is simply scaled. */
  const scale = blocks / 2 ** 32;
  return {
    words,
    add(high, low) {
      const at = Math.floor((low >>> 0) * scale) * wordsPerBlock;
      for (let i = 0; i < wordsPerBlock; i++) {
        const bit = 1 << (Math.imul(high, salts[i] as number) >>> 27);
        words[at + i] = (words[at + i] as number) | bit;
      }
    },
    mayHave(high, low) {
      const at = Math.floor((low >>> 0) * scale) * wordsPerBlock;
      // Written out: this is asked for every link and every run, and mostly ends in the first two lines.
      if (((words[at] as number) & (1 << (Math.imul(high, s0) >>> 27))) === 0) return false;
      if (((words[at + 1] as number) & (1 << (Math.imul(high, s1) >>> 27))) === 0) return false;
      if (((words[at + 2] as number) & (1 << (Math.imul(high, s2) >>> 27))) === 0) return false;
      if (((words[at + 3] as number) & (1 << (Math.imul(high, s3) >>> 27))) === 0) return false;
      if (((words[at + 4] as number) & (1 << (Math.imul(high, s4) >>> 27))) === 0) return false;
      if (((words[at + 5] as number) & (1 << (Math.imul(high, s5) >>> 27))) === 0) return false;
      if (((words[at + 6] as number) & (1 << (Math.imul(high, s6) >>> 27))) === 0) return false;
      return ((words[at + 7] as number) & (1 << (Math.imul(high, s7) >>> 27))) !== 0;
    },
  };
}
