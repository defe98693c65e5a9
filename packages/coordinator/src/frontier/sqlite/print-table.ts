/**
 * Fingerprints in memory with the entries they belong to: a hash table with open addressing on typed arrays.
 * A fingerprint comes as two 32-bit halves; entry 0 means an empty slot.
 */
export interface PrintTable {
  readonly size: number;
  /** The entry, or 0. */
  find(high: number, low: number): number;
  /** The fingerprint must be new. */
  add(high: number, low: number, entry: number): void;
  /** Everything in it, in the order of the fingerprints. */
  sorted(): Prints;
  clear(): void;
}

/** Fingerprints by column, sorted as unsigned numbers. */
export interface Prints {
  high: Uint32Array;
  low: Uint32Array;
  entry: Uint32Array;
}

/** `capacity` is what it may hold at most; twice as many slots keep the chains short. */
export function printTable(capacity: number): PrintTable {
  const slots = 2 ** Math.ceil(Math.log2(capacity * 2));
  const mask = slots - 1;
  const highs = new Uint32Array(slots);
  const lows = new Uint32Array(slots);
  const entries = new Uint32Array(slots);
  let size = 0;

  function sorted(): Prints {
    // High half and slot number share one double: 32 and at most 21 bits. Sorting numbers is native and fast.
    const keys = new Float64Array(size);
    let n = 0;
    for (let slot = 0; slot < slots; slot++) {
      if (entries[slot] !== 0) keys[n++] = (highs[slot] as number) * slotSpan + slot;
    }
    keys.sort();
    const order = new Uint32Array(size);
    for (let i = 0; i < size; i++) order[i] = (keys[i] as number) % slotSpan;
    settleTies(order, highs, lows);
    return { high: pick(highs, order), low: pick(lows, order), entry: pick(entries, order) };
  }

  return {
    get size() {
      return size;
    },
    find(high, low) {
      for (let slot = low & mask; ; slot = (slot + 1) & mask) {
        const entry = entries[slot] as number;
        if (entry === 0) return 0;
        if (lows[slot] === low && highs[slot] === high) return entry;
      }
    },
    add(high, low, entry) {
      let slot = low & mask;
      while (entries[slot] !== 0) slot = (slot + 1) & mask;
      highs[slot] = high;
      lows[slot] = low;
      entries[slot] = entry;
      size++;
    },
    sorted,
    clear() {
      entries.fill(0);
      size = 0;
    },
  };
}

const slotSpan = 2 ** 21;

function pick(column: Uint32Array, order: Uint32Array): Uint32Array {
  const picked = new Uint32Array(order.length);
  for (let i = 0; i < order.length; i++) picked[i] = column[order[i] as number] as number;
  return picked;
}

/** Equal high halves are rare and came out in the order of their slots: puts them in the order of the low halves. */
function settleTies(order: Uint32Array, highs: Uint32Array, lows: Uint32Array): void {
  for (let i = 1; i < order.length; i++) {
    const slot = order[i] as number;
    let j = i;
    while (j > 0) {
      const before = order[j - 1] as number;
      if (highs[before] !== highs[slot] || (lows[before] as number) < (lows[slot] as number)) break;
      order[j--] = before;
    }
    order[j] = slot;
  }
}
