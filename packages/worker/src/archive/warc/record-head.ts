import { WarcProblem } from '../bytes/warc-problem.ts';

/** The named fields at the head of a record, as written. */
export interface WarcHead {
  version: string;
  fields: [string, string][];
  contentLength: number;
}

export const maxHeadBytes = 1024 * 1024;

/** Fields of which a record has at most one; only WARC-Concurrent-To and WARC-Protocol may be repeated. */
const repeatable = new Set(['warc-concurrent-to', 'warc-protocol', 'warc-cipher-suite']);
const required = ['warc-record-id', 'content-length', 'warc-date', 'warc-type'];

/** Reads `WARC/1.1 CRLF (name: value CRLF)* CRLF`, and nothing that is only nearly that. */
export function parseHead(bytes: Buffer, offset: number): WarcHead {
  const lines = bytes.toString('utf8').slice(0, -4).split('\r\n');
  const [version = '', ...rest] = lines;
  if (!/^WARC\/1\.[01]$/.test(version)) {
    throw new WarcProblem(
      offset,
      `a record begins with ${JSON.stringify(version.slice(0, 40))}, not WARC/1.1`,
    );
  }
  const fields: [string, string][] = [];
  for (const line of rest) {
    const [, name, value] =
      /^([!#-'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\u0000-\u0008\u000a-\u001f\u007f]*)$/.exec(line) ?? [];
    if (name === undefined || value === undefined) {
      throw new WarcProblem(offset, `not a named field: ${JSON.stringify(line.slice(0, 80))}`);
    }
    fields.push([name, value.trimEnd()]);
  }
  checkFields(fields, offset);
  const length = fieldOf(fields, 'content-length') ?? '';
  if (!/^\d{1,15}$/.test(length))
    throw new WarcProblem(offset, `Content-Length is ${JSON.stringify(length)}`);
  return { version, fields, contentLength: Number(length) };
}

function checkFields(fields: [string, string][], offset: number): void {
  const seen = new Set<string>();
  for (const [name] of fields) {
    const key = name.toLowerCase();
    if (seen.has(key) && !repeatable.has(key))
      throw new WarcProblem(offset, `the field ${name} appears twice`);
    seen.add(key);
  }
  const missing = required.find((name) => !seen.has(name));
  if (missing) throw new WarcProblem(offset, `the field ${missing} is missing`);
}

export function fieldOf(fields: [string, string][], name: string): string | undefined {
  const wanted = name.toLowerCase();
  return fields.find(([found]) => found.toLowerCase() === wanted)?.[1];
}
