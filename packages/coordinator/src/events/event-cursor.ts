import { type EventCursor, WebfarerError } from '@webfarer/protocol';

/** Only this file knows what is in a cursor: the boot of a bus, and a position on it. */
export function writeCursor(boot: string, position: number): EventCursor {
  return `${boot}.${position.toString(36)}` as EventCursor;
}

export function readCursor(cursor: string): { boot: string; position: number } {
  const dot = cursor.lastIndexOf('.');
  const position = Number.parseInt(cursor.slice(dot + 1), 36);
  if (dot < 1 || !Number.isSafeInteger(position) || position < 0)
    throw new WebfarerError('usage', `${JSON.stringify(cursor.slice(0, 80))} is not a cursor of events`, {
      next: 'Pass the cursor of an event that was read, or none to begin with the next event.',
    });
  return { boot: cursor.slice(0, dot), position };
}
