import { createReadStream, existsSync } from 'node:fs';
import { appendFile, readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { type PageRecord, WebfarerError } from '@webfarer/protocol';
import { allSaved } from '@webfarer/protocol/crawl';
import { cdxjLines } from '../archive/index/cdxj.ts';
import { writeSortedLines } from '../archive/index/sorted-lines.ts';

/**
 * The index of what one worker has captured of a crawl. Records are with the coordinator, so the lines are noted here
 * before a record is reported, and taken back when it did not count; a worker that dies in between leaves a line of a
 * capture that is there, never a capture without its line.
 */
export interface CaptureIndex {
  note(records: readonly PageRecord[]): Promise<void>;
  takeBack(records: readonly PageRecord[]): Promise<void>;
  /** `archive/index.cdxj` of all that was noted so far, also by earlier processes. */
  write(): Promise<void>;
}

const noted = /^([+-])(\S+ \d{14} \{.*\})$/;

export function createCaptureIndex(folder: string): CaptureIndex {
  const archive = join(folder, 'archive');
  const notes = join(archive, 'index.notes');
  let writing: Promise<unknown> = Promise.resolve();

  /** One at a time. A line that a crash or a full disk has torn ends where the next ones begin. */
  async function append(sign: '+' | '-', records: readonly PageRecord[]): Promise<void> {
    const lines = records.filter(isHere).flatMap((record) => cdxjLines(record));
    if (lines.length === 0) return;
    const text = `\n${lines.map((line) => `${sign}${line}\n`).join('')}`;
    const done = writing.then(() => appendFile(notes, text));
    writing = done.catch(() => undefined);
    await done.catch((error: unknown) => {
      throw new WebfarerError('storage', `cannot write ${notes}: ${(error as Error).message}`, {
        next: 'Free some disk space.',
        cause: error,
      });
    });
  }

  async function* lines(sign: string): AsyncGenerator<string> {
    const input = createReadStream(notes, 'latin1');
    for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
      const [, which, text] = noted.exec(line) ?? [];
      if (which === sign && text !== undefined) yield text;
    }
  }

  async function* counted(): AsyncGenerator<string> {
    const back = new Set<string>();
    for await (const line of lines('-')) back.add(line);
    for await (const line of lines('+')) if (!back.has(line)) yield line;
  }

  return {
    note: (records) => append('+', records),
    takeBack: (records) => append('-', records),
    async write() {
      await writing;
      if (existsSync(notes)) await writeSortedLines(counted(), join(archive, 'index.cdxj'));
    },
  };
}

/**
 * Writes the indexes that an earlier process of this worker did not get to. Nobody else would: a crawl that ended
 * meanwhile is not opened again.
 */
export async function writeLateIndexes(workerFolder: string): Promise<void> {
  for (const name of await readdir(workerFolder)) {
    const folder = join(workerFolder, name);
    const notedMs = await modifiedMs(join(folder, 'archive', 'index.notes'));
    const writtenMs = await modifiedMs(join(folder, 'archive', 'index.cdxj'));
    if (notedMs !== undefined && (writtenMs ?? 0) <= notedMs) await createCaptureIndex(folder).write();
  }
}

async function modifiedMs(file: string): Promise<number | undefined> {
  return await stat(file).then(
    ({ mtimeMs }) => mtimeMs,
    () => undefined,
  );
}

/** Captures that only wait to be sent are indexed where they go to, those in object storage with their files. */
function isHere(record: PageRecord): boolean {
  return allSaved(record).some(
    ({ saver, spooled, shared }) => saver === 'warc' && spooled === undefined && !shared,
  );
}
