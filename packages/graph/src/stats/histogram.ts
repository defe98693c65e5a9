/** Counts of values in buckets that grow by a factor: any quantile within half of it, in fixed memory. */
export class Histogram {
  readonly #counts: Uint32Array;
  readonly #logGrowth: number;
  total = 0;

  constructor(growth: number, max: number) {
    this.#logGrowth = Math.log(growth);
    this.#counts = new Uint32Array(Math.ceil(Math.log(max) / this.#logGrowth) + 2);
  }

  add(value: number): void {
    const bucket = value <= 1 ? 0 : Math.ceil(Math.log(value) / this.#logGrowth);
    const at = Math.min(bucket, this.#counts.length - 1);
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.total += 1;
  }

  /** The middle of the bucket in which the share `q` of all values is reached. */
  quantile(q: number): number {
    let left = Math.max(1, Math.ceil(q * this.total));
    for (const [bucket, held] of this.#counts.entries()) {
      left -= held;
      if (left <= 0) return Math.exp(Math.max(0, bucket - 0.5) * this.#logGrowth);
    }
    return 0;
  }

  /** How many values lie at or below each edge but above the one before; one more for the rest. */
  between(edges: number[]): number[] {
    const sums = new Array<number>(edges.length + 1).fill(0);
    for (const [bucket, held] of this.#counts.entries()) {
      const middle = Math.exp((bucket - 0.5) * this.#logGrowth);
      const at = edges.findIndex((edge) => middle <= edge);
      const slot = at < 0 ? edges.length : at;
      sums[slot] = (sums[slot] ?? 0) + held;
    }
    return sums;
  }
}
