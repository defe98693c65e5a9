import { sizeTable } from './ball-size.ts';
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

/** What a round reads and writes. */
interface Turn {
  before: Int32Array;
  after: Int32Array;
  was: Uint8Array;
  is: Uint8Array;
  offsets: Uint32Array;
  sources: Uint32Array;
  words: number;
  /** The counter that takes others in. */
  own: Int32Array;
  /** Links up to here have their counters near. */
  fetched: number;
}

/** From even to odd, or back. */
function turnOf({ into, bits, ...numbers }: BallNumbers, round: number): Turn {
  const words = 2 ** (bits - 2);
  const isOdd = round % 2 === 1;
  return {
    before: isOdd ? numbers.even : numbers.odd,
    after: isOdd ? numbers.odd : numbers.even,
    was: isOdd ? numbers.evenChanged : numbers.oddChanged,
    is: isOdd ? numbers.oddChanged : numbers.evenChanged,
    offsets: into.offsets,
    sources: into.targets,
    words,
    own: new Int32Array(words),
    fetched: 0,
  };
}

/** One round. Its parts are functions of their own because each is then compiled as a whole, and stays so. */
export function ballRound(numbers: BallNumbers, block: number, [round = 1]: number[]): void {
  const { size, harmonic, changed, bits } = numbers;
  const turn = turnOf(numbers, round);
  const sizes = sizeTable(bits);
  const [first, end] = eachNode(size.length, block);
  let count = 0;
  for (let node = first; node < end; node++) {
    const hasGrown = takeInRow(turn, node) && write(turn, node);
    turn.is[node] = hasGrown ? 1 : 0;
    if (hasGrown) {
      count++;
      const now = sizes.of(turn.after, node * turn.words);
      harmonic[node]! += (now - (size[node] as number)) / round;
      size[node] = now;
    } else if (turn.was[node] === 1) keep(turn, node);
  }
  changed[block] = count;
}

/** False where no counter of the row has changed. */
function takeInRow(turn: Turn, node: number): boolean {
  const { before, was, sources, own, words } = turn;
  const last = turn.offsets[node + 1] as number;
  let isLoaded = false;
  for (let e = turn.offsets[node] as number; e < last; e++) {
    if (e >= turn.fetched) fetchAhead(turn, e);
    const source = sources[e] as number;
    if (was[source] === 0) continue;
    if (!isLoaded) load(own, before, node * words);
    isLoaded = true;
    takeIn(own, before, source * words);
  }
  return isLoaded;
}

function load(own: Int32Array, before: Int32Array, start: number): void {
  for (let w = 0; w < own.length; w++) own[w] = before[start + w] as number;
}

/** False where it is what it was; then nothing is written. */
function write({ own, before, after, words }: Turn, node: number): boolean {
  const start = node * words;
  let grew = 0;
  for (let w = 0; w < words; w++) grew |= (own[w] as number) ^ (before[start + w] as number);
  if (grew === 0) return false;
  for (let w = 0; w < words; w++) after[start + w] = own[w] as number;
  return true;
}

/** What did not change in two rounds stands in both places already; what changed in the one before does not. */
function keep({ before, after, words }: Turn, node: number): void {
  for (let w = node * words; w < (node + 1) * words; w++) after[w] = before[w] as number;
}

/** Links whose counters are fetched at once: what a processor's nearest cache holds easily. */
const atOnce = 32;
/** Takes what was read ahead: what nobody keeps, the compiler leaves out. */
const kept = new Int32Array(1);

/**
 * Reads from the counters that are taken in next. They lie anywhere, so each would be waited for; these reads do not wait
 * for one another.
 */
function fetchAhead(turn: Turn, first: number): void {
  const { before, was, sources, words } = turn;
  const end = Math.min(sources.length, first + atOnce);
  let all = 0;
  for (let e = first; e < end; e++) {
    const source = sources[e] as number;
    if (was[source] === 0) continue;
    for (let w = 0; w < words; w += 16) all |= before[source * words + w] as number;
  }
  kept[0] = all;
  turn.fetched = end;
}

/** A number of 32 bits that looks like chance (the end of MurmurHash3). */
function mix(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
