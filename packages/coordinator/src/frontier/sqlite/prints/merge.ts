import { type PrintRun, type PrintRuns, release, type RunWriter } from './runs.ts';
import type { Prints } from './table.ts';

/** Several runs become one, a few thousand fingerprints at a time, so that no commit waits long for it. */
export interface PrintMerge {
  readonly sources: PrintRun[];
  readonly id: number;
  /** Moves up to `budget` fingerprints; answers how many were left of it, and the new run when it is whole. */
  step(budget: number): { left: number; run?: PrintRun };
}

export function printMerge(runs: PrintRuns, { sources, id, level }: MergeOptions): PrintMerge {
  const count = sources.reduce((sum, run) => sum + run.count, 0);
  const cursors = sources.map((run) => cursor(runs, run));
  let writer: RunWriter | undefined;

  function step(budget: number): { left: number; run?: PrintRun } {
    if (!writer) {
      runs.begin(id);
      writer = runs.writer(id, count);
    }
    let left = budget;
    let open = cursors.filter((one) => one.open());
    while (open.length > 0) {
      if (left <= 0) return { left: 0 };
      left -= drain(open, writer, left);
      open = open.filter((one) => one.open());
    }
    return { left, run: writer.finish(level) };
  }

  return { sources, id, step };
}

export interface MergeOptions {
  sources: PrintRun[];
  id: number;
  level: number;
}

interface Cursor {
  chunk: Prints;
  at: number;
  /** False when its run is used up. */
  open(): boolean;
}

function cursor(runs: PrintRuns, run: PrintRun): Cursor {
  let index = 0;
  const empty = new Int32Array();
  const nothing: Prints = { high: empty, low: empty, entry: empty };
  const self: Cursor = {
    chunk: nothing,
    at: 0,
    open() {
      if (self.at < self.chunk.high.length) return true;
      if (self.at > 0) release(self.chunk.high);
      self.at = 0;
      self.chunk = nothing;
      if (index >= run.chunks) return false;
      self.chunk = runs.readChunk(run, index++);
      return true;
    },
  };
  return self;
}

/** Moves the smallest fingerprint again and again until a chunk is used up or the budget is. */
function drain(cursors: Cursor[], writer: RunWriter, budget: number): number {
  for (let moved = 0; ; ) {
    let best = cursors[0] as Cursor;
    for (let i = 1; i < cursors.length; i++) {
      const other = cursors[i] as Cursor;
      if (isBefore(other, best)) best = other;
    }
    const { chunk, at } = best;
    writer.add(chunk.high[at] as number, chunk.low[at] as number, chunk.entry[at] as number);
    best.at = at + 1;
    if (++moved >= budget || best.at >= chunk.high.length) return moved;
  }
}

function isBefore(a: Cursor, b: Cursor): boolean {
  const high = a.chunk.high[a.at] as number;
  const other = b.chunk.high[b.at] as number;
  return high < other || (high === other && (a.chunk.low[a.at] as number) < (b.chunk.low[b.at] as number));
}
