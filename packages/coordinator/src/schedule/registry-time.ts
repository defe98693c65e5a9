import type { DatedClock } from '@webfarer/protocol';
import type { EventBus } from '../events/event-bus.ts';
import { createClockComparison, createClockWatch } from './clock-watch.ts';

/** The time that schedules go by. */
export interface RegistryTime {
  /** Milliseconds since 1970 as the registry said last, carried on by the monotonic clock. */
  nowMs(): number;
  /** Asks it, and reports where the clock of this process was set or differs. True: time went back. */
  ask(): Promise<boolean>;
}

export interface RegistryTimeOptions {
  clock: DatedClock;
  events: Pick<EventBus, 'publish'>;
  /** Answers the time at the registry. */
  read: () => Promise<number>;
}

/** Adjusting a clock is not setting it back. */
const BACK_MS = 1_000;

export function createRegistryTime({ clock, events, read }: RegistryTimeOptions): RegistryTime {
  const watch = createClockWatch(clock);
  const comparison = createClockComparison();
  let told = { registryMs: 0, atMs: 0 };
  const nowMs = () => Math.round(told.registryMs + (clock.now() - told.atMs));

  return {
    nowMs,
    async ask() {
      const jumpMs = watch.look();
      if (jumpMs !== 0) events.publish({ type: 'clock-jumped', byMs: jumpMs });
      const expectedMs = nowMs();
      const registryMs = await read();
      const isBack = registryMs < expectedMs - BACK_MS;
      told = { registryMs, atMs: clock.now() };
      const byMs = comparison.news(clock.wall(), registryMs);
      if (byMs !== undefined) events.publish({ type: 'clock-differs', byMs });
      return isBack;
    },
  };
}
