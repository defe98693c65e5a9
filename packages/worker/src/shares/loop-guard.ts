import { readFileSync, rmSync } from 'node:fs';
import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { guardCells, writeText } from './guard-cells.ts';
import type { LoopFollower } from './loop-shares.ts';
import { mainThread } from './main-thread.ts';

/**
 * Ends a process whose event loop will not turn again, so that whatever supervises it starts another. The page that did it is
 * charged with the death of a worker, as one that crashes it, and is given up after `retries.poisonAfter` of them.
 */
export interface LoopGuard {
  stop(): Promise<void>;
}

export interface LoopGuardOptions {
  /** Where it leaves word for the next process. */
  folder: string;
  /** For how long the loop may stand still while the process computes. */
  afterMs?: number;
}

/** Milliseconds. By default a lease that is not renewed for so long is over, and with it what the worker would report. */
const usualMs = 90_000;
/** Milliseconds between two signs of life. */
const beatMs = 1_000;
const entry = join(import.meta.dirname, `guard-thread${extname(import.meta.filename)}`);
const fileName = 'ended.txt';

export function guardLoop({ folder, afterMs = usualMs }: LoopGuardOptions): LoopGuard {
  const cells = guardCells();
  const thread = new Worker(entry, {
    workerData: { cells: cells.shared, file: join(folder, fileName), afterMs },
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 },
  });
  thread.unref();
  const follower: LoopFollower = {
    begins: ({ account, stage, url }) => writeText(cells, `${account.name}\n${stage}\n${url}`),
    ends: () => writeText(cells, ''),
  };
  mainThread.follow(follower);
  const beat = setInterval(() => void Atomics.add(cells.numbers, 0, 1), beatMs).unref(); // allow(time): a sign of life of this process
  return {
    async stop() {
      clearInterval(beat);
      mainThread.follow(undefined);
      await thread.terminate();
    },
  };
}

/** Why the last process with this folder was ended; undefined: it was not. It is told once. */
export function takeLastEnd(folder: string): string | undefined {
  const file = join(folder, fileName);
  try {
    const text = readFileSync(file, 'utf8');
    rmSync(file);
    return text;
  } catch {
    return undefined;
  }
}
