/**
 * Ends one fetch early, by its deadline or by its caller. A fetch does one thing at a time, so one listener
 * is enough, and this costs less per request than an AbortController.
 */
export interface Stop {
  readonly reason: unknown;
  readonly stopped: boolean;
  stop(reason: unknown): void;
  /** Names what to end; replaces the one before. Called at once when already stopped. */
  onStop(end: (reason: unknown) => void): void;
  clear(): void;
}

export function createStop(): Stop {
  return new OneStop();
}

class OneStop implements Stop {
  #listener: ((reason: unknown) => void) | undefined;
  stopped = false;
  reason: unknown;

  stop(reason: unknown): void {
    if (this.stopped) return;
    this.stopped = true;
    this.reason = reason;
    this.#listener?.(reason);
  }

  onStop(end: (reason: unknown) => void): void {
    this.#listener = end;
    if (this.stopped) end(this.reason);
  }

  clear(): void {
    this.#listener = undefined;
  }
}

/** The promise's result, or a rejection with the reason of the stop, whichever is first. */
export function unlessStopped<T>(stop: Stop, work: Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    stop.onStop((reason) => reject(reason as Error));
    work.then(resolve, reject);
  });
}

/** Why a timer that is no longer needed is called off; without a reason, abort() would make one with a stack. */
export const over = 'over';
