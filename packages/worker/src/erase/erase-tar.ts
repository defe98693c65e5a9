import { createHash } from 'node:crypto';
import { skippedFrameHead } from '../archive/bytes/zstd-frame.ts';
import { tarBlock, tarChecksum } from '../archive/tar/tar-header.ts';
import { readTar } from '../archive/tar/tar-reader.ts';
import { bzip2Sync } from '../bzip2/encode.ts';
import type { Erased, EraseOptions } from './erase-warc.ts';
import { exactMember, type Piece } from './exact-member.ts';
import { type Replacement, rewriteFile } from './rewrite-file.ts';

/** Readers hold a filler in memory, so none is larger than this. */
const mostBytes = 4 * 1024 * 1024;
const end = Buffer.from('\n');

/** Takes the bodies of a host out of a tar archive of ours; all other entries keep their bytes and their places. */
export async function eraseTar(path: string, { match, dryRun = false }: EraseOptions): Promise<Erased> {
  const filler = fillers.find(([ext]) => path.endsWith(ext))?.[1] ?? plainFiller;
  const replacements: Replacement[] = [];
  let bytes = 0;
  for await (const { url, offset, length } of readTar({ name: path, path })) {
    if (!match.url(url)) continue;
    const place = { from: offset, to: offset + length };
    replacements.push({ ...place, pieces: filler(length) });
    bytes += length;
  }
  if (replacements.length > 0 && !dryRun) await rewriteFile(path, replacements);
  return { captures: replacements.length, bytes };
}

/** What takes up the room of an entry, by how the archive is compressed. */
const fillers: [string, (length: number) => Piece[]][] = [
  ['.gz', gzipFiller],
  ['.bz2', bzip2Filler],
  ['.zst', zstdFiller],
];

/** A frame that readers pass over. */
function zstdFiller(length: number): Piece[] {
  const head = skippedFrameHead(length);
  return [head, { zeros: length - head.length }];
}

/** The stream of nothing. */
const emptyStream = bzip2Sync(Buffer.alloc(0));
/** Sizes of a stream that leaves room for a whole number of empty ones are found within the first few. */
const tries = 400;

/**
 * A bzip2 stream with a filler in it and empty streams behind it: a stream has no length of choice, but a row of them
 * unpacks to what is in all of them.
 */
function bzip2Filler(length: number): Piece[] {
  for (let n = 0; n < tries; n++) {
    const salt =
      n === 0
        ? ''
        : createHash('sha256')
            .update(String(n))
            .digest('hex')
            .slice(0, 1 + (n % 40));
    const stream = bzip2Sync(Buffer.concat([fillerHead(0, salt), end]));
    const left = length - stream.length;
    if (left >= 0 && left % emptyStream.length === 0)
      return [stream, Buffer.concat(Array.from({ length: left / emptyStream.length }, () => emptyStream))];
  }
  throw new Error(`${length} bytes are too few for an entry`);
}

/** A gzip member of this length with a filler in it. */
function gzipFiller(length: number): Piece[] {
  const made = exactMember({ head: fillerHead, end, unit: tarBlock }, length);
  if (!made) throw new Error(`${length} bytes are too few for an entry`);
  return made;
}

function plainFiller(length: number): Piece[] {
  const pieces: Piece[] = [];
  for (let left = length; left > 0; ) {
    const bytes = left >= mostBytes + 2 * tarBlock ? mostBytes : left;
    const zeros = bytes - 2 * tarBlock;
    pieces.push(fillerHead(zeros, ''), { zeros }, end);
    left -= bytes;
  }
  return pieces;
}

/**
 * A pax header for all that follows, of one comment that is as long as needed: what every reader of tar archives passes
 * over. Without the zeros and the line feed that end it.
 */
function fillerHead(zeros: number, salt: string): Buffer {
  const size = tarBlock + zeros;
  const content = Buffer.alloc(tarBlock - end.length);
  content.write(`${size} comment=erased ${salt}`, 'latin1');
  const header = Buffer.alloc(tarBlock);
  header.write('erased', 0, 100, 'latin1');
  header.write('0000644\0', 100, 'latin1');
  header.write('0000000\0', 108, 'latin1');
  header.write('0000000\0', 116, 'latin1');
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124, 'latin1');
  header.write('00000000000\0', 136, 'latin1');
  header.write('        ', 148, 'latin1');
  header.write('g', 156, 'latin1');
  header.write('ustar\0' + '00', 257, 'latin1');
  header.write(`${tarChecksum(header).toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return Buffer.concat([header, content]);
}
