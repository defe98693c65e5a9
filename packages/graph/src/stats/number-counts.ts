/**
 * How often each of many numbers came up, in the order in which they first did. A Map takes several times the memory
 * and time for numbers beyond 31 bits, which it keeps as objects.
 */
export class NumberCounts {
  #keys = new Float64Array(64);
  #counts = new Uint32Array(64);
  /** Open addressing: where a key stands, plus one. */
  #slots = new Int32Array(128);
  size = 0;

  /** Answers how often the number has come up now. */
  add(key: number): number {
    const slot = this.#find(key);
    const at = this.#slots[slot] as number;
    if (at > 0) return (this.#counts[at - 1] = (this.#counts[at - 1] as number) + 1);
    if (this.size === this.#keys.length) {
      this.#grow();
      return this.#append(this.#find(key), key);
    }
    return this.#append(slot, key);
  }

  get(key: number): number {
    const at = this.#slots[this.#find(key)] as number;
    return at > 0 ? (this.#counts[at - 1] as number) : 0;
  }

  #append(slot: number, key: number): number {
    this.#keys[this.size] = key;
    this.#counts[this.size] = 1;
    this.#slots[slot] = ++this.size;
    return 1;
  }

  /** The slot of a key, or the empty one where it belongs. */
  #find(key: number): number {
    const slots = this.#slots;
    const mask = slots.length - 1;
    // Both halves of the key, spread over all bits.
    let hash = Math.imul((key >>> 0) ^ Math.imul((key / 0x1_0000_0000) >>> 0, 0x85ebca6b), 0x9e3779b1);
    hash ^= hash >>> 15;
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const at = slots[slot] as number;
      if (at === 0 || this.#keys[at - 1] === key) return slot;
    }
  }

  #grow(): void {
    const [keys, counts] = [this.#keys, this.#counts];
    this.#keys = new Float64Array(keys.length * 2);
    this.#keys.set(keys);
    this.#counts = new Uint32Array(keys.length * 2);
    this.#counts.set(counts);
    this.#slots = new Int32Array(keys.length * 4);
    for (let i = 0; i < this.size; i++) this.#slots[this.#find(keys[i] as number)] = i + 1;
  }

  /** Forgets everything, and gives back what only many numbers need. */
  clear(): void {
    this.size = 0;
    if (this.#slots.length <= 4_096) return void this.#slots.fill(0);
    this.#keys = new Float64Array(64);
    this.#counts = new Uint32Array(64);
    this.#slots = new Int32Array(128);
  }

  /** Forgets all numbers from here on. */
  keepBelow(bound: number): void {
    const [keys, counts, size] = [this.#keys, this.#counts, this.size];
    this.#slots.fill(0);
    this.size = 0;
    for (let i = 0; i < size; i++) {
      const key = keys[i] as number;
      if (key >= bound) continue;
      const count = counts[i] as number;
      this.#append(this.#find(key), key);
      this.#counts[this.size - 1] = count;
    }
  }

  *entries(): IterableIterator<[number, number]> {
    for (let i = 0; i < this.size; i++) yield [this.#keys[i] as number, this.#counts[i] as number];
  }
}
