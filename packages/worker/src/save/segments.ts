import { readdir, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatedClock } from '@webfarer/protocol';
import { AppendFile, type OpenHandle, openHandle } from './append-file.ts';
import type { FileUploads, LocalFile } from './file-uploads.ts';
import { makeFolder, moveFile, syncFolder } from '@webfarer/protocol/node';
import { safeLabel } from './safe-label.ts';
import { storageError } from '../disk/storage-error.ts';

/** While a file is being written its name ends so; it loses the ending when it is complete and durable. */
export const openSuffix = '.open';
/** Kept in memory between two syncs at most, one capture more or less. */
const maxPendingBytes = 4 * 1024 * 1024;

export interface SegmentsOptions {
  /** The crawl folder; names handed out are relative to it. */
  folder: string;
  /** Folder of the files inside the crawl folder. */
  dir: string;
  /** Start of every file's name. */
  name: string;
  /** Files that begin with another name are somebody else's at this moment: neither mended nor counted. */
  ownOnly?: boolean;
  /** `.warc.gz`, `.tar`, ... */
  ext: string;
  rotateBytes: number;
  clock: DatedClock;
  /** What stands at the head of each file. */
  head?: (fileName: string) => Buffer[];
  /** What ends a complete file. */
  tail?: Buffer[];
  /** Where the last whole record of a file ends, after a crash. */
  wholeEnd: (path: string) => Promise<number>;
  openHandle?: OpenHandle;
  /** Takes the files elsewhere: then what is synced is durable there too. */
  uploads?: FileUploads;
  /** Tests make it small. */
  maxTornBytes?: number;
}

/**
 * A crash tears what was written since the last sync and no more. Should far more seem torn, something
 * else damaged the file: then nothing is cut off, because committed captures may stand behind the damage.
 */
const maxTornBytes = 256 * 1024 * 1024;

interface Current {
  file: AppendFile;
  /** Its final name. */
  name: string;
  /** How far finishing it has come, so that a failed step can be tried again. */
  stage: 'open' | 'ended' | 'renamed';
}

/** A row of append-only files: one is open, full ones are renamed, a torn one is mended on start. */
export class Segments {
  readonly #options: SegmentsOptions;
  readonly #dir: string;
  readonly #open: OpenHandle;
  #current: Current | undefined;
  /** Opening, rotating and appending take turns; syncing runs beside them. */
  #turn: Promise<unknown> = Promise.resolve();
  #serial = 0;
  #files = 0;
  #closedBytes = 0;

  constructor(options: SegmentsOptions) {
    this.#options = options;
    this.#dir = join(options.folder, options.dir);
    this.#open = options.openHandle ?? openHandle;
  }

  /** Mends what a crash left, and goes on with the newest unfinished file if it has room. */
  start(): Promise<void> {
    return this.#takeTurn(async () => {
      if (this.#current) return;
      await makeFolder(this.#dir);
      const { name: own, ownOnly } = this.#options;
      const names = (await readdir(this.#dir))
        .filter((name) => !ownOnly || name.startsWith(`${own}-`))
        .sort();
      this.#files = 0;
      this.#closedBytes = 0;
      for (const name of names) {
        // The register of names ends like an archive, but begins with a dot.
        if (!name.endsWith(this.#options.ext) || name.startsWith('.')) continue;
        this.#files += 1;
        this.#closedBytes += (await stat(join(this.#dir, name))).size;
      }
      this.#serial = names.length;
      await this.#resumeUploads(names);
      const torn = names.filter((name) => name.endsWith(this.#options.ext + openSuffix));
      for (const name of torn) await this.#mend(name, name === torn.at(-1));
    }, 'cannot open the archive');
  }

  /** Appends one record. When it throws nothing was appended, and the same call may be made again. */
  append(parts: Buffer[]): Promise<{ file: string; offset: number }> {
    return this.#takeTurn(async () => {
      if (this.#isFull()) await this.#finish();
      this.#current ??= await this.#openNext();
      const { file, name } = this.#current;
      if (file.pendingBytes >= maxPendingBytes) await file.sync();
      return { file: `${this.#options.dir}/${name}`, offset: file.append(parts) };
    }, 'cannot write the archive');
  }

  async sync(): Promise<void> {
    // A rotation under way syncs the old file itself; after it, the current one holds the rest.
    const current = await this.#takeTurn(async () => this.#current, 'cannot write the archive');
    await current?.file.sync();
    if (current) await this.#options.uploads?.extend(localFile(current));
  }

  stop(): Promise<void> {
    return this.#takeTurn(async () => {
      const current = this.#current;
      try {
        if (current) await this.#finish();
        await this.#options.uploads?.settle();
      } finally {
        this.#current = undefined;
        await current?.file.close();
        this.#options.uploads?.close();
      }
    }, 'cannot complete the archive');
  }

  written(): { files: number; bytes: number } {
    const open = this.#current?.file.length ?? 0;
    return { files: this.#files + (this.#current ? 1 : 0), bytes: this.#closedBytes + open };
  }

  #isFull(): boolean {
    const current = this.#current;
    return !!current && (current.stage !== 'open' || current.file.length >= this.#options.rotateBytes);
  }

  /** Complete files are still here because an earlier process did not get to take them elsewhere. */
  async #resumeUploads(names: readonly string[]): Promise<void> {
    const { uploads, ext } = this.#options;
    if (!uploads) return;
    for (const name of names) {
      if (!name.endsWith(ext) || name.startsWith('.')) continue;
      const path = join(this.#dir, name);
      const file = { name, path, bytes: (await stat(path)).size };
      // Everything that was reported is there.
      if ((await uploads.resume(file)).isErased) {
        await rm(path);
        continue;
      }
      await uploads.extend(file);
      uploads.complete(file);
    }
  }

  async #mend(openName: string, newest: boolean): Promise<void> {
    const path = join(this.#dir, openName);
    const name = openName.slice(0, -openSuffix.length);
    const end = await this.#options.wholeEnd(path);
    const { size } = await stat(path);
    if (size - end > (this.#options.maxTornBytes ?? maxTornBytes)) return this.#setAside(path, name, size);
    const there = await this.#options.uploads?.resume({ name, path, bytes: end });
    // Hosts were deleted from it, or this disk lost what was durable on it: nothing may be appended to it here any more.
    if (end === 0 || there?.isErased || (there?.bytes ?? 0) > end) return rm(path);
    if (size > end) await truncate(path, end);
    this.#current = { file: new AppendFile(path, await this.#open(path, 'r+'), end), name, stage: 'open' };
    if (!newest || end >= this.#options.rotateBytes) await this.#finish();
  }

  /** A damaged file keeps all its bytes under its final name, where validate and repair can look at it. */
  async #setAside(path: string, name: string, size: number): Promise<void> {
    await moveFile(path, join(this.#dir, name));
    await syncFolder(this.#dir);
    this.#files += 1;
    this.#closedBytes += size;
  }

  async #openNext(): Promise<Current> {
    const { name: prefix, ext, clock, head } = this.#options;
    const stamp = new Date(clock.wall()).toISOString().replace(/\D/g, '').slice(0, 14);
    for (;;) {
      this.#serial += 1;
      const name = `${prefix}-${stamp}-${String(this.#serial).padStart(5, '0')}${ext}`;
      if (await exists(join(this.#dir, name))) continue;
      const path = join(this.#dir, name + openSuffix);
      const handle = await this.#open(path, 'wx').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'EEXIST') return undefined;
        throw error;
      });
      if (!handle) continue;
      await syncFolder(this.#dir);
      const file = new AppendFile(path, handle, 0);
      if (head) file.append(head(name));
      return { file, name, stage: 'open' };
    }
  }

  /** Makes the current file complete: everything durable, its tail written, then its final name. */
  async #finish(): Promise<void> {
    if (!this.#current) return;
    const current = this.#current;
    const { file, name } = current;
    if (current.stage === 'open' && this.#options.tail) file.append(this.#options.tail);
    if (current.stage === 'open') current.stage = 'ended';
    await file.sync();
    if (current.stage === 'ended') await this.#options.uploads?.extend(localFile(current));
    if (current.stage === 'ended') await moveFile(file.path, join(this.#dir, name));
    current.stage = 'renamed';
    await syncFolder(this.#dir);
    await file.close();
    this.#current = undefined;
    this.#files += 1;
    this.#closedBytes += file.length;
    this.#options.uploads?.complete({ name, path: join(this.#dir, name), bytes: file.length });
  }

  #takeTurn<T>(work: () => Promise<T>, doing: string): Promise<T> {
    const mine = this.#turn.then(work).catch((error: unknown) => {
      throw storageError(error, doing);
    });
    this.#turn = mine.catch(() => {});
    return mine;
  }
}

function localFile({ file, name }: Current): LocalFile {
  return { name, path: file.path, bytes: file.durableBytes };
}

/** How the files of a crawl are called, and those of one of its processes. */
export function segmentNames(
  crawl: string,
  process: number | undefined,
): Pick<SegmentsOptions, 'name' | 'ownOnly'> {
  const name = safeLabel(crawl);
  return process === undefined ? { name } : { name: `${name}-p${process}`, ownOnly: true };
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}
