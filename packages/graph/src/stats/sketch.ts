/**
 * The smallest hashes of all values seen. While there are no more than `size` values it is the set itself and
 * every figure is exact; beyond that it is a fair sample, and figures have the error that `sketchError` states.
 */
export class Sketch {
  readonly #size: number;
  #hashes = new Set<number>();
  /** Hashes from here on are left out. */
  #bound = range;

  constructor(size = 65_536) {
    this.#size = size;
  }

  add(value: string): void {
    const hash = hashOf(value);
    if (hash >= this.#bound) return;
    this.#hashes.add(hash);
    if (this.#hashes.size >= 2 * this.#size) this.#cut();
  }

  get exact(): boolean {
    return this.#bound === range;
  }

  /** How many different values there were. */
  get distinct(): number {
    return this.exact ? this.#hashes.size : Math.round((this.#hashes.size * range) / this.#bound);
  }

  #cut(): void {
    const kept = Float64Array.from(this.#hashes).sort();
    this.#bound = kept[this.#size] as number;
    this.#hashes = new Set(kept.subarray(0, this.#size));
  }

  /** How many values were in both, and in at least one of the two. */
  static overlap(a: Sketch, b: Sketch): { both: number; either: number; exact: boolean } {
    const bound = Math.min(a.#bound, b.#bound);
    const inA = a.#below(bound);
    const inB = b.#below(bound);
    let both = 0;
    for (const hash of inA) if (inB.has(hash)) both += 1;
    const scale = range / bound;
    const either = inA.size + inB.size - both;
    return { both: Math.round(both * scale), either: Math.round(either * scale), exact: bound === range };
  }

  #below(bound: number): ReadonlySet<number> {
    return bound === this.#bound ? this.#hashes : new Set([...this.#hashes].filter((hash) => hash < bound));
  }
}

/** One standard deviation of an estimate, as a share of it, for the default size. */
export const sketchError = 1 / Math.sqrt(65_536);

const range = 2 ** 53;

/** 53 bits that are spread evenly: two 32-bit hashes side by side, each mixed at the end. */
export function hashOf(text: string): number {
  let a = 0x9e3779b9;
  let b = 0x7f4a7c15;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x85ebca6b);
    b = Math.imul(b ^ code, 0xc2b2ae35);
    a ^= b >>> 15;
    b ^= a >>> 13;
  }
  a = mix(a ^ (b >>> 7));
  b = mix(b ^ a);
  return (a >>> 11) * 0x1_0000_0000 + (b >>> 0);
}

function mix(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return h ^ (h >>> 15);
}
