import type { Clock } from '@webfarer/protocol';
import type { Frontier } from '../frontier/frontier.ts';

const IDLE_MS = 250;

export interface Sweeper {
  start(): void;
  stop(): Promise<void>;
}

/**
 * Expires leases and settles dead hosts and spent budgets, a bounded step at a time. Steps follow each
 * other at once while there is more to do, else four times a second.
 */
export function createSweeper(frontier: Frontier, clock: Clock, afterStep: () => Promise<void>): Sweeper {
  let stopping: AbortController | undefined;
  let running: Promise<void> = Promise.resolve();

  async function sweep(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let more = false;
      try {
        ({ more } = await frontier.sweep());
        await afterStep();
      } catch {
        // A full disk or a busy store: nothing was changed, the next step tries again.
      }
      await clock.sleep(more ? 0 : IDLE_MS, signal).catch(() => undefined);
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
