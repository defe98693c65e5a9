import { type Clock, type DatedClock, type WebfarerEvent, WebfarerError } from '@webfarer/protocol';
import { createEventBus, type EventBus } from './event-bus.ts';

/** Errors that nobody expected, in work that concerns no single crawl. What failed is tried again; no crawl ends of it. */
export interface Faults {
  /** Publishes `failed`, once an hour for each message. */
  report(error: unknown): void;
}

const AGAIN_MS = 3_600_000;
const MOST_KEPT = 200;

export function createFaults(clock: Pick<Clock, 'now'>, publish: (event: WebfarerEvent) => void): Faults {
  const said = new Map<string, number>();
  let isPublishing = false;
  return {
    report(error) {
      const { code = 'internal' as const } = error instanceof WebfarerError ? error : {};
      const message = `${error instanceof Error ? error.message : String(error)}${placeOf(error)}`;
      // A listener to this very event may be what fails.
      if (isPublishing || clock.now() - (said.get(message) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return;
      said.delete(message);
      said.set(message, clock.now());
      for (const old of [...said.keys()].slice(0, -MOST_KEPT)) said.delete(old);
      isPublishing = true;
      try {
        publish({ type: 'failed', code, message });
      } finally {
        isPublishing = false;
      }
    },
  };
}

/** Where a coordinator publishes what happens, and its faults; those of listeners too. */
export function eventsAndFaults(clock: DatedClock): { events: EventBus; faulty: Faults['report'] } {
  const events: EventBus = createEventBus({ clock, failed: (error) => faults.report(error) });
  const faults = createFaults(clock, (event) => void events.publish(event));
  return { events, faulty: faults.report };
}

/** Where a defect was found, for those who fix it. */
function placeOf(error: unknown): string {
  if (!(error instanceof Error) || error instanceof WebfarerError) return '';
  const [, place] = /\n\s+at (.+)/.exec(error.stack ?? '') ?? [];
  return place === undefined ? '' : ` (at ${place})`;
}
