import { type Clock, isStorageTrouble } from '@webfarer/protocol';
import type { Frontier } from '../frontier/frontier.ts';

export interface Sweeper {
  start(): void;
  stop(): Promise<void>;
}

export interface SweeperOptions {
  frontier: Frontier;
  clock: Clock;
  /** Pause between two steps while there is little to do. */
  idleMs: number;
  /** Runs after each step. */
  afterStep: () => Promise<void>;
  /** A fault of ours: going on would only hide it. */
  failed: (error: unknown) => void;
}

/**
 * Expires leases and settles dead hosts and spent budgets, a bounded step at a time. Steps follow each
 * other at once while there is more to do.
 */
export function createSweeper({ frontier, clock, idleMs, afterStep, failed }: SweeperOptions): Sweeper {
  let stopping: AbortController | undefined;
  let running: Promise<void> = Promise.resolve();

  async function sweep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let more = false;
      try {
        ({ more } = await frontier.sweep());
        await afterStep();
      } catch (error) {
        // A full disk or a busy store: nothing was changed, the next step tries again.
        if (!isStorageTrouble(error)) failed(error);
      }
      await clock.sleep(more ? 0 : idleMs, signal).catch(() => undefined);
    }
  }

  return {
    start() {
      if (stopping) return;
      stopping = new AbortController();
      running = sweep(stopping.signal);
    },
    async stop() {
      stopping?.abort();
      await running;
      stopping = undefined;
    },
  };
}
