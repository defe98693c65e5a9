import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/**
 * How far back a crash can have torn a file: what is written between two syncs, and some. Frames before
 * that were durable, so their stated lengths are trusted; frames within it are unpacked and checked.
 */
const suspectBytes = 16 * 1024 * 1024;
const suspectFrames = 64;

/** A compression whose files are rows of frames that are independent of each other and say how long they are. */
export interface FrameFormat {
  /** How long the frame at an offset says it is; undefined when no whole one of ours begins there. */
  lengthAt(read: ReadAt, at: number): number | undefined;
  isWhole(frame: Buffer): boolean;
}

/** Up to `length` bytes at an offset, fewer at the end of the file. */
export type ReadAt = (at: number, length: number) => Buffer;

/**
 * Where the last whole frame of a file of ours ends: everything behind it is a torn tail.
 * Reads without yielding, because it runs once before a crawl goes on and hops over 200,000 frames in a
 * gigabyte: half a second this way, ten times as long with a promise for each.
 */
export function wholeFramesEnd(path: string, format: FrameFormat): number {
  return readingFile(path, (read, size) => {
    const starts = frameStarts(read, size, format);
    const end = starts.pop() ?? 0;
    const first = starts.findIndex((at, i) => at > end - suspectBytes || i >= starts.length - suspectFrames);
    for (let i = Math.max(0, first); i < starts.length; i++) {
      const at = starts[i] ?? 0;
      if (!format.isWhole(read(at, (starts[i + 1] ?? end) - at))) return at;
    }
    return end;
  });
}

/** The offsets of all frames whose stated length fits into the file, and where the last of them ends. */
function frameStarts(read: ReadAt, size: number, format: FrameFormat): number[] {
  const starts: number[] = [];
  for (let at = 0; ; ) {
    starts.push(at);
    const length = format.lengthAt(read, at);
    if (length === undefined || at + length > size) return starts;
    at += length;
  }
}

/** Calls `work` with a file that is read at any offset, and with its size. */
export function readingFile<T>(path: string, work: (read: ReadAt, size: number) => T): T {
  const fd = openSync(path, 'r');
  try {
    const read: ReadAt = (at, length) => {
      const bytes = Buffer.allocUnsafe(length);
      let done = 0;
      for (let got = -1; done < length && got !== 0; done += got) {
        got = readSync(fd, bytes, done, length - done, at + done);
      }
      return bytes.subarray(0, done);
    };
    return work(read, fstatSync(fd).size);
  } finally {
    closeSync(fd);
  }
}
