/** The only source of time. Real code gets `systemClock`, tests their own. */
export interface Clock {
  /** Wall time in milliseconds since 1970 that never runs backwards within a process. */
  now(): number;
  /** Resolves after `ms`, or rejects with the signal's reason when it is aborted first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Wall time taken once, then carried by the monotonic clock: a step of the wall clock cannot shorten a gap. */
export function systemClock(): Clock {
  const base = Date.now() - performance.now();
  return {
    now: () => base + performance.now(),
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
