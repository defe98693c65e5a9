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
  /** How long to wait after trouble with the store. */
  afterTroubleMs: number;
  /** A fault of ours: going on would only hide it. */
  failed: (error: unknown) => void;
}

export function createDuty({ clock, step, afterTroubleMs, failed }: DutyOptions): Duty {
  let stopping: AbortController | undefined;
  let running: Promise<void> = Promise.resolve();

  async function run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let waitMs = afterTroubleMs;
      try {
        waitMs = await step();
      } catch (error) {
        // A full disk or a busy store: nothing was changed, the next step tries again.
        if (!isStorageTrouble(error)) failed(error);
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
