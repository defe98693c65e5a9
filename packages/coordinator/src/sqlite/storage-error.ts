import { basename, dirname } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';

/** Primary result codes of SQLite after which the same call may succeed later: busy, read-only, I/O, full, open. */
const passing = new Set([5, 6, 8, 10, 13, 14]);
/** Its file is not what SQLite wrote: a malformed page, or no database at all. */
const damaged = new Set([11, 26]);

/** What an error of SQLite means to a person. Other errors come back as they are. */
export function asStorageError(error: unknown, path: string): unknown {
  const { errcode, message } = error as { errcode?: unknown; message?: string };
  if (typeof errcode !== 'number') return error;
  const primary = errcode & 0xff;
  if (damaged.has(primary))
    return damagedFolder(dirname(path), `${basename(path)} is damaged (${message})`, error);
  if (!passing.has(primary)) return error;
  return new WebfarerError(
    'storage',
    primary === 13 ? 'the disk is full' : `the store cannot be written: ${message}`,
    { cause: error, next: 'Nothing was changed. Free some space and run the same command again.' },
  );
}

/** A crawl folder whose frontier is lost: nothing is written to it, and its captures stay readable. */
export function damagedFolder(folder: string, what: string, cause?: unknown): WebfarerError {
  return new WebfarerError('folder-damaged', `${folder}: ${what}`, {
    next:
      'Restore the folder from a backup. Or set it aside and run the same command to start over:\n' +
      `  mv ${folder} ${folder}.damaged\n` +
      `What it archived stays readable:  webfarer warc ls ${folder}.damaged`,
    ...(cause === undefined ? {} : { cause }),
  });
}
