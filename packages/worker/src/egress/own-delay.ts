import type { Clock } from '@webfarer/protocol';

/** How long this process has been too busy to look at its sockets. What comes meanwhile is not late, it is seen late. */
export interface OwnDelay {
  /** All of it so far. */
  totalMs(): number;
}

export interface OwnDelayWatch {
  /** May be called again. */
  start(): OwnDelay;
  stop(): void;
}

/** Of a process that is not watched. */
export const noDelay: OwnDelay = { totalMs: () => 0 };

/** Shorter delays are the usual work between two looks. */
const lookMs = 100;

/** A timer that comes late tells for how long nothing else could be looked at either. */
export function watchOwnDelay(clock: Clock): OwnDelayWatch {
  let watching: AbortController | undefined;
  let totalMs = 0;
  let dueMs = Number.POSITIVE_INFINITY;
  const lateMs = () => {
    const ms = clock.now() - dueMs;
    return ms > lookMs ? ms : 0;
  };
  // With what the timer has not told yet: other timers, and sockets, may be looked at before it.
  const delay: OwnDelay = { totalMs: () => totalMs + lateMs() };

  async function watch(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      dueMs = clock.now() + lookMs;
      await clock.sleep(lookMs, signal).catch(() => undefined);
      totalMs += lateMs();
    }
  }

  return {
    start() {
      if (!watching) {
        watching = new AbortController();
        void watch(watching.signal);
      }
      return delay;
    },
    stop() {
      totalMs += lateMs();
      dueMs = Number.POSITIVE_INFINITY;
      watching?.abort();
      watching = undefined;
    },
  };
}
