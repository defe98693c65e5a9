import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { renameDurably } from '@webfarer/protocol/node';

export interface Digest {
  bytes: number;
  sha256: string;
}

/** One JSON value a line, under a temporary name until complete. */
export interface LineFile {
  /** Undefined: there was room for it in memory; otherwise it is to be awaited. */
  add(value: unknown): Promise<void> | undefined;
  /** Gives the file its name. */
  finish(): Promise<Digest>;
  /** After `finish`, or instead of it. */
  close(): Promise<void>;
}

const chunkLength = 65_536;

export async function openLines(file: string): Promise<LineFile> {
  const fresh = `${file}.new`;
  const handle = await open(fresh, 'w');
  const hash = createHash('sha256');
  let chunk = '';
  let bytes = 0;
  async function flush(): Promise<void> {
    const data = Buffer.from(chunk);
    chunk = '';
    hash.update(data);
    bytes += data.length;
    await handle.writeFile(data);
  }
  return {
    add(value) {
      chunk += `${JSON.stringify(value)}\n`;
      return chunk.length > chunkLength ? flush() : undefined;
    },
    async finish() {
      await flush();
      await renameDurably(fresh, file);
      return { bytes, sha256: hash.digest('hex') };
    },
    close: () => handle.close(),
  };
}

/** Hands the values on as they are written. */
export async function* written<T>(values: AsyncIterable<T>, lines: LineFile): AsyncGenerator<T> {
  for await (const value of values) {
    const isFull = lines.add(value);
    if (isFull) await isFull;
    yield value;
  }
}
