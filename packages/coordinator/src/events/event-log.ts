import { join } from 'node:path';
import type { EventType } from '@webfarer/protocol';
import { eventCatalogue } from '@webfarer/protocol/crawl';
import type { EventBus } from './event-bus.ts';
import { eventLine } from './published-event.ts';
import { rotatingFile } from './rotating-file.ts';

const fileName = 'events.jsonl';
const olderName = 'events.1.jsonl';
/** The files of a log, oldest first. */
export const eventFiles = [olderName, fileName] as const;
const MAX_BYTES = 16 * 1_048_576;
/** Everything but what happens with every page. */
const logged = (Object.keys(eventCatalogue) as (EventType | 'events-missed')[]).filter(
  (type): type is EventType => type !== 'events-missed' && eventCatalogue[type].level !== 'debug',
);

/** Hands every event but those of single pages to `write`, as one line of JSON each. Returns a function that stops it. */
export function writeEvents(bus: Pick<EventBus, 'listen'>, write: (line: string) => void): () => void {
  return bus.listen(logged, (event, atMs) => write(eventLine(event, atMs)));
}

/**
 * Writes `events.jsonl` into `folder`, and keeps the file before it: never more than twice `maxBytes`. Logged events are
 * rare, so each is written at once, and the last one before a crash is in the file. Returns a function that stops it.
 */
export function logEvents(bus: Pick<EventBus, 'listen'>, folder: string, maxBytes = MAX_BYTES): () => void {
  return writeEvents(bus, rotatingFile(join(folder, fileName), { maxBytes, keep: 1 }));
}
