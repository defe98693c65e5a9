import { hashOf } from '../../stats/sketch.ts';

/**
 * How many pages link to each URL. While there is room for all of them it is exact; then only URLs whose hash is
 * below a bound are counted, which is a fair sample with exact counts.
 */
export class InDegrees {
  readonly #max: number;
  #counts = new Map<number, number>();
  #bound = 2 ** 53;

  constructor(max = 500_000) {
    this.#max = max;
  }

  add(url: string): void {
    const hash = hashOf(url);
    if (hash >= this.#bound) return;
    this.#counts.set(hash, (this.#counts.get(hash) ?? 0) + 1);
    if (this.#counts.size <= this.#max) return;
    this.#bound /= 2;
    for (const key of this.#counts.keys()) if (key >= this.#bound) this.#counts.delete(key);
  }

  /** Undefined when the sample does not tell. */
  of(url: string): number | undefined {
    const hash = hashOf(url);
    return hash < this.#bound ? (this.#counts.get(hash) ?? 0) : undefined;
  }

  /** One URL in so many is counted. */
  get oneIn(): number {
    return 2 ** 53 / this.#bound;
  }

  /** How many URLs have each number of links, fewest links first. */
  distribution(): [number, number][] {
    const sums = new Map<number, number>();
    for (const degree of this.#counts.values()) sums.set(degree, (sums.get(degree) ?? 0) + 1);
    return [...sums].sort(([a], [b]) => a - b);
  }
}
