import { NumberCounts } from '../../stats/number-counts.ts';
import { hashOf } from '../../stats/sketch.ts';

/**
 * How many pages link to each URL. While there is room for all of them it is exact; then only URLs whose hash is
 * below a bound are counted, which is a fair sample with exact counts.
 */
export class InDegrees {
  readonly #max: number;
  readonly #counts = new NumberCounts();
  #bound = 2 ** 53;

  constructor(max = 500_000) {
    this.#max = max;
  }

  /** The hash of a URL that a page links to. */
  add(hash: number): void {
    if (hash >= this.#bound) return;
    this.#counts.add(hash);
    if (this.#counts.size <= this.#max) return;
    this.#bound /= 2;
    this.#counts.keepBelow(this.#bound);
  }

  /** Undefined when the sample does not tell. */
  of(url: string): number | undefined {
    const hash = hashOf(url);
    return hash < this.#bound ? this.#counts.get(hash) : undefined;
  }

  /** One URL in so many is counted. */
  get oneIn(): number {
    return 2 ** 53 / this.#bound;
  }

  /** How many URLs have each number of links, fewest links first. */
  distribution(): [number, number][] {
    const sums = new Map<number, number>();
    for (const [, degree] of this.#counts.entries()) sums.set(degree, (sums.get(degree) ?? 0) + 1);
    return [...sums].sort(([a], [b]) => a - b);
  }
}
