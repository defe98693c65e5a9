import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Csr, MakeNumbers } from './csr.ts';

/**
 * Links in any order and as often as they come, made into sorted rows with each link once. What does not fit into the
 * buffer waits in sorted files: memory is the buffer and the result, whatever comes in.
 */
export interface EdgeSorter {
  add(from: number, to: number): void;
  /** Ends it. `weights` says how often each link came. */
  finish(nodes: number, options?: { weights?: boolean; make?: MakeNumbers }): SortedEdges;
  /** Removes the files; must be called whatever happens. */
  close(): Promise<void>;
}

export interface SortedEdges {
  out: Csr;
  weights?: Uint32Array;
}

const usualPairs = 4_000_000;
const firstPairs = 16_384;
/** Links that a sorted file is read by. */
const chunk = 65_536;
const recordBytes = 12;

export async function createEdgeSorter(options: {
  /** Where files may be written. */
  folder: string;
  maxPairs?: number;
  /** Links that were sorted before and are merged in. */
  base?: SortedEdges;
}): Promise<EdgeSorter> {
  const { folder, maxPairs = usualPairs, base } = options;
  const place = await mkdtemp(join(folder, 'edges-'));
  // One number of 64 bits a link: the low half is where it leads, so their order is that of rows.
  let keys = new BigUint64Array(Math.min(maxPairs, firstPairs));
  let halves = new Uint32Array(keys.buffer);
  const files: string[] = [];
  let pairs = 0;
  const take = (): Run => {
    const run = inMemory(keys.subarray(0, pairs).sort());
    pairs = 0;
    return run;
  };
  /** Twice the room, as long as there is more to be had; then a file. */
  const makeRoom = (): void => {
    if (pairs === maxPairs) {
      files.push(writeRun(join(place, `${files.length}`), take()));
      return;
    }
    const larger = new BigUint64Array(Math.min(maxPairs, 2 * pairs));
    larger.set(keys);
    keys = larger;
    halves = new Uint32Array(keys.buffer);
  };
  const add = (from: number, to: number): void => {
    if (pairs === keys.length) makeRoom();
    halves[2 * pairs] = to;
    halves[2 * pairs + 1] = from;
    pairs++;
  };
  return {
    add,
    finish(nodes, { weights = false, make = (length: number) => new Uint32Array(length) } = {}) {
      const opened = files.map(fromFile);
      try {
        const before = base === undefined ? [] : [inRows(base)];
        return gather([...before, ...opened, take()], nodes, { weights, make });
      } finally {
        for (const run of opened) run.close?.();
      }
    },
    close: () => rm(place, { recursive: true, force: true }),
  };
}

/** Links in order, the current one in its fields. */
interface Run {
  from: number;
  to: number;
  times: number;
  /** At most so many links, repeated ones counted as often as they stand there. */
  readonly most: number;
  /** False at the end. */
  next(): boolean;
  close?(): void;
}

/** Of sorted keys; equal ones become one. */
function inMemory(keys: BigUint64Array): Run {
  const halves = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
  let at = 0;
  const run: Run = {
    from: 0,
    to: 0,
    times: 0,
    most: keys.length,
    next() {
      if (at >= halves.length) return false;
      run.to = halves[at] as number;
      run.from = halves[at + 1] as number;
      run.times = 0;
      do {
        at += 2;
        run.times++;
      } while (at < halves.length && halves[at] === run.to && halves[at + 1] === run.from);
      return true;
    },
  };
  return run;
}

/** Of rows; without weights each link came once. */
function inRows({ out: { nodes, offsets, targets }, weights }: SortedEdges): Run {
  let at = -1;
  const run: Run = {
    from: 0,
    to: 0,
    times: 1,
    most: targets.length,
    next() {
      if (++at >= targets.length) return false;
      while (run.from < nodes && at >= (offsets[run.from + 1] as number)) run.from++;
      run.to = targets[at] as number;
      if (weights) run.times = weights[at] as number;
      return true;
    },
  };
  return run;
}

function writeRun(file: string, run: Run): string {
  const numbers = new Uint32Array(3 * chunk);
  const handle = openSync(file, 'w');
  try {
    for (let more = run.next(); more; ) {
      let used = 0;
      for (; more && used < numbers.length; more = run.next()) {
        numbers[used++] = run.from;
        numbers[used++] = run.to;
        numbers[used++] = run.times;
      }
      writeSync(handle, new Uint8Array(numbers.buffer, 0, 4 * used));
    }
  } finally {
    closeSync(handle);
  }
  return file;
}

function fromFile(file: string): Run {
  const handle = openSync(file, 'r');
  const numbers = new Uint32Array(3 * chunk);
  const bytes = new Uint8Array(numbers.buffer);
  let [at, end] = [0, 0];
  const run: Run = {
    from: 0,
    to: 0,
    times: 0,
    most: fstatSync(handle).size / recordBytes,
    next() {
      if (at === end) {
        end = readSync(handle, bytes) / 4;
        at = 0;
        if (end === 0) return false;
      }
      run.from = numbers[at++] as number;
      run.to = numbers[at++] as number;
      run.times = numbers[at++] as number;
      return true;
    },
    close: () => closeSync(handle),
  };
  return run;
}

/** All runs as one, in rows. */
function gather(
  runs: Run[],
  nodes: number,
  { weights: wanted, make }: { weights: boolean; make: MakeNumbers },
): SortedEdges {
  const most = runs.reduce((sum, run) => sum + run.most, 0);
  let targets = make(most);
  let weights = wanted ? make(most) : undefined;
  const offsets = make(nodes + 1);
  const heap = runs.filter((run) => run.next());
  for (let n = heap.length >> 1; n >= 0; n--) sink(heap, n);
  let [count, lastFrom, lastTo] = [0, -1, -1];
  for (let run = heap[0]; run !== undefined; run = heap[0]) {
    if (run.from === lastFrom && run.to === lastTo) {
      if (weights) weights[count - 1]! += run.times;
    } else {
      [lastFrom, lastTo] = [run.from, run.to];
      if (weights) weights[count] = run.times;
      targets[count++] = run.to;
      offsets[run.from + 1]!++;
    }
    if (!run.next()) {
      const last = heap.pop() as Run;
      if (heap.length > 0) heap[0] = last;
    }
    if (heap.length > 1) sink(heap, 0);
  }
  for (let node = 0; node < nodes; node++) offsets[node + 1]! += offsets[node] as number;
  targets = shrunk(targets, count, make);
  weights &&= shrunk(weights, count, make);
  return { out: { nodes, offsets, targets }, ...(weights ? { weights } : {}) };
}

/** The first of them, without holding on to the rest where that is much. */
function shrunk(numbers: Uint32Array, count: number, make: MakeNumbers): Uint32Array {
  if (count > numbers.length * 0.9) return numbers.subarray(0, count);
  const small = make(count);
  small.set(numbers.subarray(0, count));
  return small;
}

function sink(heap: Run[], start: number): void {
  const run = heap[start] as Run | undefined;
  if (run === undefined) return;
  let at = start;
  for (let child = 2 * at + 1; child < heap.length; child = 2 * at + 1) {
    const right = heap[child + 1];
    if (right !== undefined && isBefore(right, heap[child] as Run)) child++;
    const small = heap[child] as Run;
    if (!isBefore(small, run)) break;
    heap[at] = small;
    at = child;
  }
  heap[at] = run;
}

function isBefore(a: Run, b: Run): boolean {
  return a.from < b.from || (a.from === b.from && a.to < b.to);
}
