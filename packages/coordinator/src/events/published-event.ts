import type { EventCursor, EventsMissed, WebfarerEvent } from '@webfarer/protocol';
import { eventCatalogue, jsonLine } from '@webfarer/protocol/crawl';

/** What a follower reads: an event, or that some can no longer be had. */
export type Followed = WebfarerEvent | EventsMissed;

/** An event with its place and time. All followers are handed the same object, so it is encoded once. */
export class PublishedEvent<Event extends Followed = Followed> {
  readonly event: Event;
  readonly cursor: EventCursor;
  readonly atMs: number;
  #line: string | undefined;

  constructor(event: Event, cursor: EventCursor, atMs: number) {
    this.event = event;
    this.cursor = cursor;
    this.atMs = atMs;
  }

  /** As one line of JSON, for the log, `--json` and streams alike. */
  get line(): string {
    return (this.#line ??= eventLine(this.event, this.atMs));
  }
}

export function eventLine(event: Followed, atMs: number): string {
  const at = new Date(atMs).toISOString();
  return jsonLine({ at, level: eventCatalogue[event.type].level, ...event });
}
