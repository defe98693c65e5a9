/** The only source of time. Real code gets `systemClock`, tests their own. */
export interface Clock {
  /**
   * Milliseconds since 1970 that never run backwards within a process and never jump: for waits, deadlines and pauses between
   * requests. Behind the wall clock after the machine was suspended.
   */
  now(): number;
  /** Resolves after `ms`, or rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** A clock for whoever writes dates, or lets something expire on one. */
export interface DatedClock extends Clock {
  /**
   * Milliseconds since 1970 as the machine says now, for what other processes and people read. It jumps where the wall clock
   * is set or the machine was suspended, so nothing waits by it.
   */
  wall(): number;
}

/** Wall time taken once, then carried by the monotonic clock: a step of the wall clock cannot shorten a gap. */
export function systemClock(): DatedClock {
  const base = Date.now() - performance.now();
  return {
    now: () => base + performance.now(),
    wall: () => Date.now(),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        const onAbort = () => {
          clearTimeout(timer);
          reject(signal?.reason as Error);
        };
        const timer = setTimeout(() => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        }, ms);
        signal?.addEventListener('abort', onAbort, { once: true });
      }),
  };
}
