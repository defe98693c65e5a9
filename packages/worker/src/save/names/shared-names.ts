import { readSync, writeSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { storageError } from '../../disk/storage-error.ts';
import { choose, lineOf, type Names, readLog } from './name-registry.ts';

const CHUNK_BYTES = 65_536;

/**
 * The register of names for one of several processes that save into the same folder. They share nothing but its log: a
 * claim is appended, which the system does for each process in turn, and then read back with all that others appended
 * before it. Whoever stands first in the log has the name.
 */
export class SharedNames implements Names {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #owners = new Map<number, number>();
  /** How far the log was read, and the beginning of a line that is not whole yet. */
  #at = 0;
  #rest = '';

  constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
  }

  /** Nothing is cut off here: others may be writing. */
  static async open(path: string): Promise<SharedNames> {
    const names = new SharedNames(path, await open(path, 'a+'));
    names.#catchUp();
    return names;
  }

  claim(wanted: string, url: string): string {
    for (;;) {
      const { name, taken } = choose(this.#owners, wanted, url);
      if (taken.length === 0) return name;
      this.#append(taken.map(([key, owner]) => lineOf(key, owner)).join(''));
      this.#catchUp();
    }
  }

  async sync(): Promise<void> {
    await this.#file.datasync();
  }

  async close(): Promise<void> {
    await this.sync();
    await this.#file.close();
  }

  /** In one piece: what another process writes stands before or behind it. */
  #append(lines: string): void {
    try {
      const written = writeSync(this.#file.fd, lines, null, 'latin1');
      if (written < lines.length) throw Object.assign(new Error('the disk is full'), { code: 'ENOSPC' });
    } catch (error) {
      throw storageError(error, `cannot write ${this.#path}`);
    }
  }

  #catchUp(): void {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    for (;;) {
      const length = readSync(this.#file.fd, chunk, 0, CHUNK_BYTES, this.#at);
      if (length === 0) return;
      this.#at += length;
      const text = this.#rest + chunk.toString('latin1', 0, length);
      this.#rest = text.slice(readLog(text, this.#owners));
    }
  }
}
