import { OutOfBits } from '../../bzip2/bits.ts';
import { bunzip2, Bzip2Damage } from '../../bzip2/decode.ts';
import type { ByteWindow } from './byte-window.ts';
import { WarcProblem } from './warc-problem.ts';
import { type ReadAt, readingFile } from './whole-end.ts';

/** How a stream of ours begins: blocks of 100 KB, then the mark of the first block. */
const streamHead = Buffer.from('BZh1\x31\x41\x59\x26\x53\x59', 'latin1');
/** More than is written between two syncs. Unpacking is slow, so only this much is checked. */
const suspectBytes = 6 * 1024 * 1024;
const stepBytes = 1024 * 1024;
const firstBytes = 64 * 1024;

/**
 * Where the last whole bzip2 stream of a file of ours ends. Streams do not say how long they are, so those at the end are
 * unpacked one after the other, from the last one that begins where a crash can have torn nothing.
 */
export async function wholeBzip2End(path: string): Promise<number> {
  return readingFile(path, (read, size) => {
    let end = lastHeadBefore(read, Math.max(0, size - suspectBytes));
    for (;;) {
      const length = streamLength(read, end, size);
      if (length === undefined) return end;
      end += length;
    }
  });
}

/** The last place up to `until` at which a stream begins; 0 when there is none. */
function lastHeadBefore(read: ReadAt, until: number): number {
  for (let from = until; from > 0; ) {
    const to = from;
    from = Math.max(0, from - stepBytes);
    // A head may lie across the border of two steps.
    const found = read(from, to - from + streamHead.length - 1).lastIndexOf(streamHead);
    if (found >= 0) return from + found;
  }
  return 0;
}

function streamLength(read: ReadAt, at: number, size: number): number | undefined {
  for (let length = firstBytes; ; length *= 4) {
    try {
      return bunzip2(read(at, Math.min(length, size - at))).consumed;
    } catch (error) {
      if (!(error instanceof OutOfBits) && !(error instanceof Bzip2Damage)) throw error;
      if (error instanceof Bzip2Damage || at + length >= size) return undefined;
    }
  }
}

/** The content of the stream at the window's position, its checksums verified. */
export async function unpackBzip2(window: ByteWindow): Promise<Buffer> {
  const start = window.position;
  for (let min = firstBytes; ; min *= 4) {
    const seen = await window.see(min);
    try {
      const { plain, consumed } = bunzip2(seen);
      window.skip(consumed);
      return plain;
    } catch (error) {
      if (error instanceof Bzip2Damage) throw new WarcProblem(start, error.message);
      if (!(error instanceof OutOfBits)) throw error;
      if (seen.length < min) throw new WarcProblem(start, 'the file ends within a bzip2 stream', true);
    }
  }
}
