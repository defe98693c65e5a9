import { open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { SavedAt } from '@webfarer/protocol';
import { lastingBytes } from '../../bytes/growing-bytes.ts';
import { makeFolder, moveFile, syncFolder } from '@webfarer/protocol/node';
import { namer, type Namer } from '../names/file-name.ts';
import type { Names } from '../names/name-registry.ts';
import { openNames } from '../names/open-names.ts';
import { pageBody } from '../page-body.ts';
import type { Capture, Saver } from '../saver.ts';
import { storageError } from '../../disk/storage-error.ts';

export interface FilesSaverOptions {
  /** The crawl folder; the files go to `files/` in it. */
  folder: string;
  /** Template: `{host}/{path}`. */
  name: string;
  /** Which of several processes this is, counted from 1. */
  process?: number;
}

export interface PlainFilesOptions {
  /** What the saver is called; the folder of its files in the crawl folder as well. */
  kind: string;
  folder: string;
  nameOf: Namer;
  /** What is written for a capture; nothing where it has no file. */
  contentOf(capture: Capture): Buffer | undefined | Promise<Buffer | undefined>;
  /** Which of several processes this is, counted from 1. */
  process?: number;
}

/** Kept in memory between two syncs at most, one capture more or less. */
const maxPendingBytes = 16 * 1024 * 1024;
const writers = 8;
/** Folders known to exist, so that they are not asked for again with each file. */
const maxKnownFolders = 10_000;

/** Bodies as plain files, decoded, each under a name made of its URL. A file appears whole or not at all. */
export function filesSaver(options: FilesSaverOptions): Saver {
  const { name, ...rest } = options;
  return plainFiles({ ...rest, kind: 'files', nameOf: namer(name), contentOf: pageBody });
}

/** One file for each capture, whatever is in it. */
export function plainFiles(options: PlainFilesOptions): Saver {
  return new FilesSaver(options);
}

class FilesSaver implements Saver {
  readonly name: string;
  readonly #root: string;
  readonly #nameOf: Namer;
  readonly #contentOf: PlainFilesOptions['contentOf'];
  readonly #process: number | undefined;
  /** What begins the names of this process's unfinished files. */
  readonly #mark: string;
  #names: Names | undefined;
  #pending = new Map<string, Buffer>();
  #pendingBytes = 0;
  #dirtyFolders = new Set<string>();
  #knownFolders = new Set<string>();
  #running: Promise<void> = Promise.resolve();
  #files = 0;
  #bytes = 0;
  #temporary = 0;

  constructor(options: PlainFilesOptions) {
    this.name = options.kind;
    this.#root = join(options.folder, options.kind);
    this.#nameOf = options.nameOf;
    this.#contentOf = options.contentOf;
    this.#process = options.process;
    this.#mark = options.process === undefined ? '' : `p${options.process}-`;
  }

  async start(): Promise<void> {
    if (this.#names) return;
    try {
      await makeFolder(join(this.#root, '.partial'));
      for (const name of await readdir(join(this.#root, '.partial'))) {
        if (name.startsWith(this.#mark)) await rm(join(this.#root, '.partial', name), { recursive: true });
      }
      this.#names = await openNames(join(this.#root, '.names'), this.#process);
    } catch (error) {
      throw storageError(error, `cannot open ${this.#root}`);
    }
  }

  async save(capture: Capture): Promise<SavedAt | undefined> {
    const body = await this.#contentOf(capture);
    if (!body || !this.#names) return undefined;
    if (this.#pendingBytes >= maxPendingBytes) await this.sync();
    const name = this.#names.claim(this.#nameOf(capture), capture.entry.url);
    this.#pendingBytes += body.length - (this.#pending.get(name)?.length ?? 0);
    this.#pending.set(name, lastingBytes(body));
    return { saver: this.name, file: `${this.name}/${name}`, length: body.length };
  }

  sync(): Promise<void> {
    const mine = this.#running
      .catch(() => {})
      .then(() => this.#flush())
      .catch((error: unknown) => {
        throw storageError(error, `cannot write to ${this.#root}`);
      });
    this.#running = mine.catch(() => {});
    return mine;
  }

  async stop(): Promise<void> {
    try {
      await this.sync();
    } finally {
      await this.#names?.close();
      this.#names = undefined;
    }
  }

  written(): { files: number; bytes: number } {
    return { files: this.#files + this.#pending.size, bytes: this.#bytes + this.#pendingBytes };
  }

  /** What fails stays pending, so the next sync tries it again. */
  async #flush(): Promise<void> {
    if (!this.#names || (this.#pending.size === 0 && this.#dirtyFolders.size === 0)) return;
    await this.#names.sync();
    const queue = [...this.#pending];
    const results = await Promise.allSettled(
      Array.from({ length: Math.min(writers, queue.length) }, async () => {
        for (let job = queue.pop(); job; job = queue.pop()) await this.#writeOne(job[0], job[1]);
      }),
    );
    for (const result of results) if (result.status === 'rejected') throw result.reason;
    for (const folder of this.#dirtyFolders) {
      await syncFolder(folder);
      this.#dirtyFolders.delete(folder);
    }
  }

  async #writeOne(name: string, body: Buffer): Promise<void> {
    const path = join(this.#root, name);
    const folder = dirname(path);
    if (!this.#knownFolders.has(folder)) {
      await makeFolder(folder);
      if (this.#knownFolders.size >= maxKnownFolders) this.#knownFolders.clear();
      this.#knownFolders.add(folder);
    }
    const partial = join(this.#root, '.partial', `${this.#mark}${this.#temporary++}`);
    try {
      const handle = await open(partial, 'wx');
      try {
        await handle.writeFile(body);
        await handle.datasync();
      } finally {
        await handle.close();
      }
      await moveFile(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    this.#dirtyFolders.add(folder);
    this.#files += 1;
    this.#bytes += body.length;
    if (this.#pending.get(name) !== body) return;
    this.#pending.delete(name);
    this.#pendingBytes -= body.length;
  }
}
