import type { DatedClock } from '@webfarer/protocol';

/**
 * Hours pass in seconds: what waits for minutes or a day is over soon. `sinceMs`: when it began to run faster, for processes
 * that share its time.
 */
export function fastClock(times: number, sinceMs = Date.now()): DatedClock {
  const realMs = () => performance.timeOrigin + performance.now();
  const now = () => sinceMs + (realMs() - sinceMs) * times;
  return {
    now,
    wall: now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        const stop = () => {
          clearTimeout(timer);
          reject(signal?.reason as Error);
        };
        const timer = setTimeout(() => {
          signal?.removeEventListener('abort', stop);
          resolve();
        }, ms / times);
        signal?.addEventListener('abort', stop, { once: true });
      }),
  };
}
