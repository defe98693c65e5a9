import { once } from 'node:events';
import { finished } from 'node:stream/promises';
import { fileStream, writePiece } from '@webfarer/protocol/node';

/** JSON lines written one by one, at the pace of the disk. */
export interface LineFile {
  write(value: unknown): Promise<void>;
  close(): Promise<void>;
}

export async function openLines(path: string): Promise<LineFile> {
  const stream = fileStream(path);
  await once(stream, 'open');
  return {
    async write(value) {
      await writePiece(stream, `${JSON.stringify(value)}\n`);
    },
    async close() {
      if (!stream.closed || stream.errored) await finished(stream.end());
    },
  };
}
