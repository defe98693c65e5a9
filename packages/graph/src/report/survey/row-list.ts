/** The first rows of many: the rest are only counted. */
export class FirstRows<T> {
  readonly rows: T[] = [];
  readonly #max: number;
  total = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(row: T): void {
    this.total += 1;
    if (this.rows.length < this.#max) this.rows.push(row);
  }
}

/** The rows with the highest weights of many, in a heap whose root is the lightest kept. */
export class TopRows<T> {
  readonly #heap: { weight: number; row: T }[] = [];
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  add(weight: number, row: T): void {
    const heap = this.#heap;
    if (heap.length < this.#max) {
      heap.push({ weight, row });
      this.#up(heap.length - 1);
    } else if (heap[0] && weight > heap[0].weight) {
      heap[0] = { weight, row };
      this.#down();
    }
  }

  /** Heaviest first. */
  sorted(): T[] {
    return [...this.#heap].sort((a, b) => b.weight - a.weight).map((held) => held.row);
  }

  #weight(at: number): number {
    return this.#heap[at]?.weight ?? Number.POSITIVE_INFINITY;
  }

  #swap(a: number, b: number): void {
    const [x, y] = [this.#heap[a], this.#heap[b]];
    if (x && y) [this.#heap[a], this.#heap[b]] = [y, x];
  }

  #up(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (this.#weight(parent) <= this.#weight(at)) return;
      this.#swap(at, parent);
      at = parent;
    }
  }

  #down(): void {
    for (let at = 0; ; ) {
      const left = 2 * at + 1;
      const least = this.#weight(left + 1) < this.#weight(left) ? left + 1 : left;
      if (this.#weight(least) >= this.#weight(at)) return;
      this.#swap(at, least);
      at = least;
    }
  }
}

/** Counts by key, for a bounded number of keys; what comes later is counted together. */
export class Tally {
  readonly #counts = new Map<string, number>();
  readonly #max: number;
  others = 0;

  constructor(max: number) {
    this.#max = max;
  }

  add(key: string, by = 1): void {
    const held = this.#counts.get(key);
    if (held !== undefined) this.#counts.set(key, held + by);
    else if (this.#counts.size < this.#max) this.#counts.set(key, by);
    else this.others += by;
  }

  get total(): number {
    let sum = this.others;
    for (const value of this.#counts.values()) sum += value;
    return sum;
  }

  /** Most frequent first. */
  sorted(): [string, number][] {
    return [...this.#counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  }
}
