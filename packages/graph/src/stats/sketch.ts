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

const [startA, startB] = [0x9e3779b9 | 0, 0x7f4a7c15];

/** 53 bits that are spread evenly: two 32-bit hashes side by side, each mixed at the end. */
export function hashOf(text: string): number {
  let [a, b] = [startA, startB];
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    a = Math.imul(a ^ code, 0x85ebca6b);
    b = Math.imul(b ^ code, 0xc2b2ae35);
    a ^= b >>> 15;
    b ^= a >>> 13;
  }
  return mixed(a, b);
}

/**
 * `hashOf` for texts of which each begins as the one before: it keeps where the hash stood behind every code and begins
 * where the texts differ.
 */
export class PrefixHash {
  #a = new Int32Array(256);
  #b = new Int32Array(256);
  #known = 0;

  /** What was kept is of no use for the next text. */
  reset(): void {
    this.#known = 0;
  }

  /** The first `shared` codes are those of the text before. */
  of(codes: Uint16Array, length: number, shared: number): number {
    if (this.#a.length < codes.length) this.#grow(codes.length);
    const [as, bs] = [this.#a, this.#b];
    const from = Math.min(shared, this.#known);
    let a = from === 0 ? startA : (as[from - 1] as number);
    let b = from === 0 ? startB : (bs[from - 1] as number);
    for (let i = from; i < length; i++) {
      const code = codes[i] as number;
      a = Math.imul(a ^ code, 0x85ebca6b);
      b = Math.imul(b ^ code, 0xc2b2ae35);
      a ^= b >>> 15;
      b ^= a >>> 13;
      as[i] = a;
      bs[i] = b;
    }
    this.#known = length;
    return mixed(a, b);
  }

  /** The hash of the first codes of the text that was hashed last. */
  start(length: number): number {
    return mixed(this.#a[length - 1] as number, this.#b[length - 1] as number);
  }

  #grow(size: number): void {
    const [a, b] = [this.#a, this.#b];
    this.#a = new Int32Array(size);
    this.#b = new Int32Array(size);
    this.#a.set(a);
    this.#b.set(b);
  }
}

function mixed(first: number, second: number): number {
  const a = mix(first ^ (second >>> 7));
  const b = mix(second ^ a);
  return (a >>> 11) * 0x1_0000_0000 + (b >>> 0);
}

function mix(value: number): number {
  let h = Math.imul(value ^ (value >>> 16), 0x21f0aaad);
  h = Math.imul(h ^ (h >>> 15), 0x735a2d97);
  return h ^ (h >>> 15);
}
