import { eachNode } from './blocks.ts';
import type { Csr } from './csr.ts';

/**
 * HyperBall (Boldi and Vigna 2013): how many nodes reach each node within 1, 2, 3, … links, all at once, with a
 * HyperLogLog counter of a few bytes a node. In each round a node's counter takes in those of the nodes that link to it.
 */
export interface BallNumbers {
  into: Csr;
  /** Counters at the beginning of the round and at its end, in turn; four registers to a number. */
  even: Int32Array;
  odd: Int32Array;
  /** Whose counter changed in the round before, and in this one; in turn. */
  evenChanged: Uint8Array;
  oddChanged: Uint8Array;
  /** Nodes within so many links, and the sum of 1/distance to all within. */
  size: Float64Array;
  harmonic: Float64Array;
  /** Of each block: how many counters changed. */
  changed: Float64Array;
  /** Size of a counter: 2^bits registers. */
  bits: number;
}

/** Puts each node into its own counter. */
export function ballStart(numbers: BallNumbers, block: number, [seed = 0]: number[]): void {
  const { even, evenChanged, size, bits } = numbers;
  const words = 2 ** (bits - 2);
  const [first, end] = eachNode(size.length, block);
  const sizes = sizeTable(bits);
  for (let node = first; node < end; node++) {
    const place = mix(node ^ seed) & (2 ** bits - 1);
    const register = 1 + Math.clz32(mix(Math.imul(node, 0x9e3779b1) ^ ~seed));
    even[node * words + (place >>> 2)] = register << (8 * (place & 3));
    evenChanged[node] = 1;
    size[node] = sizes.of(even, node * words);
  }
}

const tops = 0x80808080 | 0;

/** The larger of each pair of bytes, four at once: registers never use their top bit. */
function takeIn(own: Int32Array, others: Int32Array, start: number): void {
  for (let w = 0; w < own.length; w++) {
    const a = own[w] as number;
    const b = others[start + w] as number;
    const isLarger = ((a | tops) - b) & tops;
    const mask = (isLarger - (isLarger >>> 7)) | isLarger;
    own[w] = (a & mask) | (b & ~mask);
  }
}

/** One round: from even to odd, or back. */
export function ballRound(numbers: BallNumbers, block: number, [round = 1]: number[]): void {
  const { into, size, harmonic, changed, bits } = numbers;
  const isFirst = round % 2 === 1;
  const [before, after] = isFirst ? [numbers.even, numbers.odd] : [numbers.odd, numbers.even];
  const [was, is] = isFirst
    ? [numbers.evenChanged, numbers.oddChanged]
    : [numbers.oddChanged, numbers.evenChanged];
  const words = 2 ** (bits - 2);
  const sizes = sizeTable(bits);
  const { offsets, targets: sources } = into;
  const own = new Int32Array(words);
  const [first, end] = eachNode(size.length, block);
  let count = 0;
  for (let node = first; node < end; node++) {
    const start = node * words;
    let isLoaded = false;
    const last = offsets[node + 1] as number;
    for (let e = offsets[node] as number; e < last; e++) {
      const source = sources[e] as number;
      if (was[source] === 0) continue;
      if (!isLoaded) {
        isLoaded = true;
        for (let w = 0; w < words; w++) own[w] = before[start + w] as number;
      }
      takeIn(own, before, source * words);
    }
    let grew = 0;
    if (isLoaded) for (let w = 0; w < words; w++) grew |= (own[w] as number) ^ (before[start + w] as number);
    is[node] = grew === 0 ? 0 : 1;
    // What did not change in two rounds stands in both places already.
    if (grew !== 0) {
      count++;
      for (let w = 0; w < words; w++) after[start + w] = own[w] as number;
      const now = sizes.of(after, start);
      harmonic[node]! += (now - (size[node] as number)) / round;
      size[node] = now;
    } else if (was[node] === 1)
      for (let w = 0; w < words; w++) after[start + w] = before[start + w] as number;
  }
  changed[block] = count;
}

/** A number of 32 bits that looks like chance (the end of MurmurHash3). */
function mix(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}

interface SizeTable {
  of(counters: Int32Array, start: number): number;
}
const tables = new Map<number, SizeTable>();

/**
 * How many nodes a counter has seen: Ertl's estimator (2017), which needs no correction for small or middling numbers.
 */
function sizeTable(bits: number): SizeTable {
  const known = tables.get(bits);
  if (known) return known;
  const registers = 2 ** bits;
  const words = registers / 4;
  const powers = Float64Array.from({ length: 64 }, (_, k) => (k === 0 ? 0 : 2 ** -k));
  const empties = Float64Array.from({ length: registers + 1 }, (_, n) => registers * sigma(n / registers));
  const scale = registers ** 2 / (2 * Math.LN2);
  const table: SizeTable = {
    of(counters, start) {
      let sum = 0;
      let empty = 0;
      for (let w = 0; w < words; w++) {
        const four = counters[start + w] as number;
        for (let shift = 0; shift < 32; shift += 8) {
          const register = (four >>> shift) & 0x3f;
          sum += powers[register] as number;
          if (register === 0) empty++;
        }
      }
      return scale / (sum + (empties[empty] as number));
    },
  };
  tables.set(bits, table);
  return table;
}

/** σ(x) = x + Σ x^(2^k)·2^(k−1). */
function sigma(x: number): number {
  if (x === 1) return Number.POSITIVE_INFINITY;
  let [power, factor, sum] = [x, 1, x];
  for (let last = -1; sum !== last; ) {
    last = sum;
    power *= power;
    sum += power * factor;
    factor *= 2;
  }
  return sum;
}
