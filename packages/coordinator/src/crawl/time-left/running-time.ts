import type { Clock } from '@webfarer/protocol';
import type { RanTime } from '../../frontier/frontier.ts';

/** How long a crawl has run. Pauses do not count: by a person, for room on a disk, the network, a store or a quota. */
export interface RunningTime {
  elapsedMs(): number;
  /** Whether it runs from now on. */
  set(isRunning: boolean): void;
  /** Adds what this process saw to what the store knows of all coordinators, and takes over what others saw. */
  keep(inStore: (ran: RanTime) => Promise<number>): Promise<void>;
}

export function createRunningTime(clock: Clock, beforeMs: number): RunningTime {
  let endedMs = beforeMs;
  let startedAtMs: number | undefined = clock.now();
  /** What `elapsedMs` was when it was last kept. */
  let keptMs = beforeMs;

  const elapsedMs = () => endedMs + (startedAtMs === undefined ? 0 : clock.now() - startedAtMs);

  return {
    elapsedMs,
    set(isRunning) {
      endedMs = elapsedMs();
      startedAtMs = isRunning ? clock.now() : undefined;
    },
    async keep(inStore) {
      const own = elapsedMs();
      const all = await inStore({ sinceMs: Math.round(own - keptMs), atLeastMs: Math.round(own) });
      const byOthers = Math.max(0, all - own);
      endedMs += byOthers;
      keptMs = own + byOthers;
    },
  };
}
