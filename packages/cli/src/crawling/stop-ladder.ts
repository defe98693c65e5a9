import type { CliContext } from '../context/context.ts';

/**
 * How a process that was asked to stop comes to its end, whatever it waits for: docs/signals.md. A store or a disk
 * that does not answer must not keep it, and leaving is always safe: what was acknowledged is on disk.
 */
export const stopTimes = {
  /** From the first request: what is in flight is dropped. */
  dropMs: 5_000,
  /** From the first request: the process leaves. Supervisors commonly kill after 30 s. */
  leaveMs: 15_000,
} as const;

export interface StopSteps {
  /** Finishes what is in flight, then stops. */
  stop(): void;
  /** Drops what is in flight. */
  drop(): void;
}

export interface StopLadder {
  /** How often it was asked for, by a person or by a signal. */
  readonly asked: number;
  /** As a signal would. */
  ask(): void;
  /** The process is about to end by itself: nothing is left to enforce. */
  end(): void;
}

type Needs = Pick<CliContext, 'clock' | 'onInterrupt' | 'exitNow' | 'terminal'>;

/** The first request stops, the second drops what is in flight, the third leaves; time takes the same steps. */
export function climbStopLadder(
  { clock, onInterrupt, exitNow, terminal }: Needs,
  steps: StopSteps,
): StopLadder {
  const over = new AbortController();
  let asked = 0;

  async function enforce(): Promise<void> {
    await clock.sleep(stopTimes.dropMs, over.signal);
    if (asked === 1) ask();
    await clock.sleep(stopTimes.leaveMs - stopTimes.dropMs, over.signal);
    terminal.err(
      `  ! Not everything could be closed within ${stopTimes.leaveMs / 1_000} s; exiting anyway. Nothing is lost: run the same command to resume.\n`,
    );
    exitNow(130);
  }

  function ask(): void {
    asked++;
    if (asked === 1) {
      enforce().catch(() => undefined);
      steps.stop();
    } else if (asked === 2) steps.drop();
    else exitNow(130);
  }

  const unlisten = onInterrupt(ask);
  return {
    get asked() {
      return asked;
    },
    ask,
    end() {
      unlisten();
      over.abort(new Error('ended'));
    },
  };
}
