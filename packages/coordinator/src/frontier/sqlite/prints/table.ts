/**
 * Fingerprints in memory with the entries they belong to: a hash table with open addressing on typed arrays.
 * A fingerprint comes as two signed 32-bit halves, which V8 keeps without allocating; entry 0 means an
 * empty slot.
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

/** Fingerprints by column, sorted by high half, then low half. */
export interface Prints {
  high: Int32Array;
  low: Int32Array;
  entry: Int32Array;
}

/** Slots of a table that holds little, such as that of an open crawl with some seeds: 24 kB. */
const firstSlots = 2048;

/** Grows with what it holds: twice as many slots keep the chains short. */
export function printTable(): PrintTable {
  let slots = firstSlots;
  let mask = slots - 1;
  let highs = new Int32Array(slots);
  let lows = new Int32Array(slots);
  let entries = new Int32Array(slots);
  let size = 0;

  function put(high: number, low: number, entry: number): void {
    let slot = low & mask;
    while (entries[slot] !== 0) slot = (slot + 1) & mask;
    highs[slot] = high;
    lows[slot] = low;
    entries[slot] = entry;
  }

  function grow(): void {
    const before = { highs, lows, entries };
    slots *= 2;
    mask = slots - 1;
    highs = new Int32Array(slots);
    lows = new Int32Array(slots);
    entries = new Int32Array(slots);
    for (let i = 0; i < before.entries.length; i++) {
      const entry = before.entries[i] as number;
      if (entry !== 0) put(before.highs[i] as number, before.lows[i] as number, entry);
    }
  }

  function sorted(): Prints {
    // High half and slot number share one double: 32 and at most 21 bits. Sorting numbers is native and fast.
    const keys = new Float64Array(size);
    let n = 0;
    for (let slot = 0; slot < slots; slot++) {
      if (entries[slot] !== 0) keys[n++] = (highs[slot] as number) * slotSpan + slot;
    }
    keys.sort();
    const order = new Int32Array(size);
    for (let i = 0; i < size; i++) {
      const key = keys[i] as number;
      order[i] = key - Math.floor(key / slotSpan) * slotSpan;
    }
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
      if (++size * 2 > slots) grow();
      put(high, low, entry);
    },
    sorted,
    clear() {
      entries.fill(0);
      size = 0;
    },
  };
}

const slotSpan = 2 ** 21;

function pick(column: Int32Array, order: Int32Array): Int32Array {
  const picked = new Int32Array(order.length);
  for (let i = 0; i < order.length; i++) picked[i] = column[order[i] as number] as number;
  return picked;
}

/** Equal high halves are rare and came out in the order of their slots: puts them in the order of the low halves. */
function settleTies(order: Int32Array, highs: Int32Array, lows: Int32Array): void {
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
