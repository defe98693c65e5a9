import { createWriteStream } from 'node:fs';
import { once } from 'node:events';
import { finished } from 'node:stream/promises';

/** JSON lines written one by one, at the pace of the disk. */
export interface LineFile {
  write(value: unknown): Promise<void>;
  close(): Promise<void>;
}

export async function openLines(path: string): Promise<LineFile> {
  const stream = createWriteStream(path);
  await once(stream, 'open');
  return {
    async write(value) {
      if (!stream.write(`${JSON.stringify(value)}\n`)) await once(stream, 'drain');
    },
    async close() {
      if (!stream.closed) await finished(stream.end());
    },
  };
}
