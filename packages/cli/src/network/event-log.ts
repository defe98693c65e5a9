import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@webfarer/protocol';
import { jsonLine } from '../view/json-view.ts';
import { eventCatalogue, type EventFields, type EventName } from './event-catalogue.ts';

export interface EventLog {
  log<Name extends EventName>(event: Name, fields: EventFields<Name>): void;
}

const fileName = 'events.jsonl';
const olderName = 'events.1.jsonl';
const MAX_BYTES = 16 * 1_048_576;

/**
 * `events.jsonl` of a data folder, with the one before it beside: never more than twice the size. Events are rare, so
 * each is written at once, and the last one before a crash is there too.
 */
export function openEventLog(folder: string, clock: Clock, maxBytes = MAX_BYTES): EventLog {
  const file = join(folder, fileName);
  let size = sizeOf(file);
  return {
    log(event, fields) {
      const { level } = eventCatalogue[event];
      const at = new Date(clock.now()).toISOString();
      const line = jsonLine({ at, event, level, ...fields });
      try {
        if (size > 0 && size + line.length > maxBytes) {
          renameSync(file, join(folder, olderName));
          size = 0;
        }
        appendFileSync(file, line);
        size += Buffer.byteLength(line);
      } catch {
        // A full disk shows itself elsewhere; a log must not end what it tells of.
      }
    },
  };
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
