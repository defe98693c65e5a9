import { parentPort, workerData } from 'node:worker_threads';
import { minimise } from './mutate.ts';
import { randomFrom, seedOf } from './random.ts';
import type { Target, TargetOptions } from './target.ts';

/** What one thread does: inputs `from` to below `to` of one target. */
export interface ThreadTask extends TargetOptions {
  target: string;
  seed: number;
  from: number;
  to: number;
  slowMs: number;
  /** Places: see `cells`. Written without asking, so that it can be read when this thread hangs. */
  shared: SharedArrayBuffer;
}

/** Input under way; a count that grows with every try; the longest time in microseconds, and whose it was. */
export const cells = { at: 0, beats: 1, worstUs: 2, worstAt: 3, count: 4 } as const;

export type ThreadNews =
  | { kind: 'crash'; at: number; error: string; input: string; minimal: string }
  | { kind: 'slow'; at: number; ms: number; input: string }
  | { kind: 'done' };

const printable = (input: Buffer): string => input.subarray(0, 4_000).toString('base64');

async function work(task: ThreadTask): Promise<void> {
  const { open } = (await import(`./targets/${task.target}.ts`)) as {
    open(options: ThreadTask): Promise<Target>;
  };
  const target = await open(task);
  const cell = new Int32Array(task.shared);
  const tell = (news: ThreadNews): void => parentPort?.postMessage(news);

  async function failure(input: Buffer): Promise<string | undefined> {
    Atomics.add(cell, cells.beats, 1);
    try {
      await target.run(input);
      return undefined;
    } catch (error) {
      return error instanceof Error ? (error.stack ?? error.message) : String(error);
    }
  }

  const timed = async (input: Buffer): Promise<{ error: string | undefined; ms: number }> => {
    const started = performance.now();
    const error = await failure(input);
    return { error, ms: performance.now() - started };
  };

  for (let at = task.from; at < task.to; at += 1) {
    Atomics.store(cell, cells.at, at);
    const input = target.make(randomFrom(seedOf(task.seed, task.target, at)));
    const { error, ms: first } = await timed(input);
    // A busy machine or a cold start may have been the slow one: what counts must happen twice.
    const worstMs = Atomics.load(cell, cells.worstUs) / 1_000;
    const ms = first > worstMs && error === undefined ? Math.min(first, (await timed(input)).ms) : first;
    if (ms > worstMs) {
      Atomics.store(cell, cells.worstUs, Math.round(ms * 1_000));
      Atomics.store(cell, cells.worstAt, at);
    }
    if (ms > task.slowMs) tell({ kind: 'slow', at, ms: Math.round(ms), input: printable(input) });
    if (error === undefined) continue;
    const same = firstLine(error);
    const minimal = await minimise(input, async (smaller) => {
      const again = await failure(smaller);
      return again !== undefined && firstLine(again) === same;
    });
    tell({ kind: 'crash', at, error, input: printable(input), minimal: printable(minimal) });
  }
  await target.close?.();
  tell({ kind: 'done' });
}

/** Without what differs from input to input. */
const firstLine = (error: string): string => (error.split('\n')[0] ?? '').split(/: /).slice(0, 2).join(': ');

if (parentPort) await work(workerData as ThreadTask);
