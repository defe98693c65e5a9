import type { TarCompression } from '@webfarer/protocol/job';
import { unpackBzip2, wholeBzip2End } from '../bytes/bzip2-stream.ts';
import type { ByteWindow } from '../bytes/byte-window.ts';
import { inflateMember } from '../bytes/gzip-reader.ts';
import { wholeMembersEnd } from '../bytes/gzip-tail.ts';
import { unpackZstd, wholeZstdEnd } from '../bytes/zstd-frame.ts';
import { plainEntry } from './plain-entry.ts';
import { wholeEntriesEnd } from './tar-tail.ts';

/**
 * A compressed tar archive of ours is a row of gzip members, bzip2 streams or Zstandard frames, one for each entry. Every
 * tool reads the row as one archive, a capture is read by its place, and a torn tail is cut off without harm to the rest.
 */
interface Packing {
  ext: string;
  /** Where the last whole entry of a file ends. */
  wholeEnd(path: string): Promise<number>;
  /** The next entry without its compression; undefined or zeros at the end of the archive. */
  nextEntry(window: ByteWindow): Promise<Buffer | undefined>;
}

export const packings: Record<TarCompression, Packing> = {
  none: { ext: '.tar', wholeEnd: wholeEntriesEnd, nextEntry: plainEntry },
  gz: { ext: '.tar.gz', wholeEnd: wholeMembersEnd, nextEntry: inflated },
  bz2: { ext: '.tar.bz2', wholeEnd: wholeBzip2End, nextEntry: unpackBzip2 },
  zst: { ext: '.tar.zst', wholeEnd: wholeZstdEnd, nextEntry: unpackZstd },
};

/** How the end of an archive's name says that it is compressed. */
export function packingOf(name: string): Packing {
  return Object.values(packings).find(({ ext }) => name.endsWith(ext)) ?? packings.none;
}

async function inflated(window: ByteWindow): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of inflateMember(window)) pieces.push(piece);
  return Buffer.concat(pieces);
}
