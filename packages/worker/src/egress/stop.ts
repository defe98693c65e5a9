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
  let listener: ((reason: unknown) => void) | undefined;
  let stopped = false;
  let why: unknown;
  return {
    get reason() {
      return why;
    },
    get stopped() {
      return stopped;
    },
    stop(reason) {
      if (stopped) return;
      stopped = true;
      why = reason;
      listener?.(reason);
    },
    onStop(end) {
      listener = end;
      if (stopped) end(why);
    },
    clear() {
      listener = undefined;
    },
  };
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
