import { open as openFile } from 'node:fs/promises';
import { lastingBytes } from '../bytes/growing-bytes.ts';
import { storageError } from '../disk/storage-error.ts';

/** What an append file needs of a file; tests put a disk that fails in its place. */
export interface AppendHandle {
  write(bytes: Buffer, from: number, length: number, position: number): Promise<{ bytesWritten: number }>;
  datasync(): Promise<void>;
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
}
export type OpenHandle = (path: string, flags: 'wx' | 'r+') => Promise<AppendHandle>;

export const openHandle: OpenHandle = (path, flags) => openFile(path, flags);

/**
 * A file that only grows, in whole chunks. `append` hands out the offset at once and keeps the chunk in
 * memory; `sync` writes everything kept in one piece and makes it durable. When writing or syncing fails,
 * the file goes back to its durable length and the chunks stay in memory, so a later `sync` writes the
 * same bytes to the same offsets: nothing is torn, nothing acknowledged was only in a failed cache.
 */
export class AppendFile {
  readonly path: string;
  readonly #handle: AppendHandle;
  #durable: number;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #running: Promise<void> | undefined;
  #next: Promise<void> | undefined;
  #closed = false;

  constructor(path: string, handle: AppendHandle, length: number) {
    this.path = path;
    this.#handle = handle;
    this.#durable = length;
  }

  /** Length with everything appended, durable or not. */
  get length(): number {
    return this.#durable + this.#pendingBytes;
  }

  /** Length of what is on disk for good. */
  get durableBytes(): number {
    return this.#durable;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** The offset at which the parts will stand. */
  append(parts: Buffer[]): number {
    const offset = this.length;
    for (const part of parts) {
      this.#pending.push(lastingBytes(part));
      this.#pendingBytes += part.length;
    }
    return offset;
  }

  /** Everything appended before the call is durable when it resolves. Calls share one write. */
  sync(): Promise<void> {
    if (!this.#running) {
      this.#running = this.#write().finally(() => {
        this.#running = undefined;
      });
      return this.#running;
    }
    // The write under way may have started before the caller's chunk was appended: one more is needed.
    this.#next ??= this.#running
      .catch(() => {})
      .then(() => {
        this.#next = undefined;
        return this.sync();
      });
    return this.#next;
  }

  async #write(): Promise<void> {
    if (this.#pending.length === 0 || this.#closed) return;
    const count = this.#pending.length;
    const bytes = Buffer.concat(this.#pending);
    try {
      await writeWhole(this.#handle, bytes, this.#durable);
      await this.#handle.datasync();
    } catch (error) {
      await this.#handle.truncate(this.#durable).catch(() => {});
      throw storageError(error, `cannot write ${this.path}`);
    }
    this.#pending.splice(0, count);
    this.#pendingBytes -= bytes.length;
    this.#durable += bytes.length;
  }

  /** Closes without writing what is pending: `sync` first. */
  async close(): Promise<void> {
    if (this.#closed) return;
    await this.#running?.catch(() => {});
    this.#closed = true;
    await this.#handle.close();
  }
}

async function writeWhole(handle: AppendHandle, bytes: Buffer, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    if (bytesWritten === 0) throw Object.assign(new Error('nothing was written'), { code: 'EIO' });
    done += bytesWritten;
  }
}
