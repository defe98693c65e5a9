import { type Clock, isStorageTrouble } from '@webfarer/protocol';

/** Something that is done again and again while a coordinator runs. */
export interface Duty {
  start(): void;
  stop(): Promise<void>;
}

export interface DutyOptions {
  clock: Clock;
  /** One bounded step. Answers how long to wait until the next. */
  step(): Promise<number>;
  /** How long to wait after trouble with the store; after a fault longer each time. */
  afterTroubleMs: number;
  /** A fault of ours, which must be told: the next step tries again. */
  failed: (error: unknown) => void;
}

const MOST_MS = 60_000;

export function createDuty({ clock, step, afterTroubleMs, failed }: DutyOptions): Duty {
  let stopping: AbortController | undefined;
  let running: Promise<void> = Promise.resolve();

  async function run(signal: AbortSignal): Promise<void> {
    let faults = 0;
    while (!signal.aborted) {
      let waitMs = afterTroubleMs;
      try {
        waitMs = await step();
        faults = 0;
      } catch (error) {
        // A full disk or a busy store: nothing was changed, the next step tries again.
        if (!isStorageTrouble(error)) {
          failed(error);
          waitMs = Math.max(waitMs, Math.min(MOST_MS, waitMs * 2 ** faults++));
        }
      }
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }

  return {
    start() {
      if (stopping) return;
      stopping = new AbortController();
      running = run(stopping.signal);
    },
    async stop() {
      stopping?.abort();
      await running;
      stopping = undefined;
    },
  };
}
