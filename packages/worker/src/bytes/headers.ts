import { isUtf8 } from 'node:buffer';

interface Head {
  headers: readonly (readonly [string, string])[];
}

function linesOf({ headers }: Head, name: string): string[] {
  const values: string[] = [];
  for (const [given, value] of headers)
    if (given.length === name.length && given.toLowerCase() === name) values.push(value);
  return values;
}

/** The content encodings of a body, in the order in which they were applied: they may stand on several lines. */
export function encodingsOf(head: Head): string | undefined {
  const lines = linesOf(head, 'content-encoding');
  return lines.length > 1 ? lines.join(', ') : lines[0];
}

/** Where an answer leads. */
export function locationOf(head: Head): string | undefined {
  const [value] = linesOf(head, 'location');
  return value === undefined ? undefined : addressIn(value);
}

/** Servers write addresses in UTF-8, where the standard wants percent signs; headers are read byte by byte. */
export function addressIn(value: string): string {
  // What a browser answers with is text already.
  if (!/[\x80-\xff]/.test(value) || /[^\x00-\xff]/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
}
