/** What happened in one stretch of time. */
export interface Moments {
  /** Where it begins, in milliseconds since 1970. */
  atMs: number;
  counts: number[];
}

/**
 * Sums over time, in stretches that all have the same width. It begins fine and becomes coarser by doubling, so
 * that there are never more than `max` stretches in which something happened, however long it takes.
 */
export class Timeline {
  readonly #max: number;
  readonly #kinds: number;
  #slots = new Map<number, number[]>();
  widthMs = 250;

  constructor(kinds: number, max = 360) {
    this.#kinds = kinds;
    this.#max = max;
  }

  add(atMs: number, kind: number, by = 1): void {
    const slot = this.#slot(Math.floor(atMs / this.widthMs));
    slot[kind] = (slot[kind] ?? 0) + by;
    while (this.#slots.size > this.#max) this.#coarsen();
  }

  #slot(at: number): number[] {
    let slot = this.#slots.get(at);
    if (!slot) this.#slots.set(at, (slot = new Array<number>(this.#kinds).fill(0)));
    return slot;
  }

  #coarsen(): void {
    const fine = this.#slots;
    this.#slots = new Map();
    this.widthMs *= 2;
    for (const [at, counts] of fine) {
      const slot = this.#slot(Math.floor(at / 2));
      counts.forEach((n, kind) => (slot[kind] = (slot[kind] ?? 0) + n));
    }
  }

  /** In the order of time; stretches in which nothing happened are left out. */
  moments(): Moments[] {
    return [...this.#slots]
      .sort(([a], [b]) => a - b)
      .map(([at, counts]) => ({ atMs: at * this.widthMs, counts }));
  }
}
