import { appendFileSync, renameSync, statSync } from 'node:fs';
import { join, parse } from 'node:path';

export interface RotatingFileOptions {
  /** A file that would grow beyond this is kept aside, and a new one begun. */
  maxBytes: number;
  /** How many of the earlier ones are kept: `events.1.jsonl` is the latest of them. */
  keep: number;
}

/** Appends lines to a file at once, so that the last one before a crash is in it. */
export function rotatingFile(file: string, { maxBytes, keep }: RotatingFileOptions): (line: string) => void {
  let size = statSync(file, { throwIfNoEntry: false })?.size ?? 0;

  function rotate(): void {
    for (let n = keep - 1; n >= 1; n--)
      if (statSync(olderName(file, n), { throwIfNoEntry: false }))
        renameSync(olderName(file, n), olderName(file, n + 1));
    if (keep > 0) renameSync(file, olderName(file, 1));
    size = 0;
  }

  return (line) => {
    try {
      const bytes = Buffer.byteLength(line);
      if (size > 0 && size + bytes > maxBytes) rotate();
      appendFileSync(file, line, keep === 0 && size === 0 ? { flag: 'w' } : {});
      size += bytes;
    } catch {
      // The crawl reports a full disk itself; a log that cannot be written must not end it.
    }
  };
}

function olderName(file: string, n: number): string {
  const { dir, name, ext } = parse(file);
  return join(dir, `${name}.${n}${ext}`);
}
