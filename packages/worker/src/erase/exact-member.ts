import { constants, crc32, deflateRawSync } from 'node:zlib';
import { memberHeader, memberHeaderBytes, memberTrailerBytes } from '../archive/bytes/member-header.ts';

/** Bytes, or so many zeros, which a sparse file need not store. */
export type Piece = Buffer | { zeros: number };

/** The plain content of a gzip member: a head, zeros, and an end. */
export interface ExactContent {
  /** With a salt that changes how well it can be compressed. */
  head: (zeros: number, salt: string) => Buffer;
  end: Buffer;
  /** The number of zeros is a multiple of it. */
  unit: number;
}

const blockBytes = 0xffff;
const blockHead = 5;
/** What fits is found within the first few. */
const tries = 400;

const emptyBlock = Buffer.from([0, 0, 0, 0xff, 0xff]);

/**
 * A gzip member of exactly this length, so that what stands behind it in the file keeps its place. Zeros take up most of
 * the room and blocks without content the last of it. Undefined where the content needs more room than there is.
 */
export function exactMember({ head, end, unit }: ExactContent, length: number): Piece[] | undefined {
  let zeros = Math.max(0, floorTo(length - 1_024, unit));
  for (let n = 0; n < tries; n++) {
    const plain = head(zeros, saltOf(n));
    const packed = deflateRawSync(plain, { level: 9, finishFlush: constants.Z_SYNC_FLUSH });
    const fixed = memberHeaderBytes + packed.length + blockHead + end.length + memberTrailerBytes;
    const left = length - fixed - storedBytes(zeros);
    if (left >= 0 && left % blockHead === 0)
      return framed({ length, packed, plain, zeros, empty: left / blockHead, end });
    if (left < 0 && zeros === 0 && n > 20) return undefined;
    zeros = Math.max(0, floorTo(zeros + left, unit));
  }
  return undefined;
}

/** Of no pattern, so that each makes the packed head longer by another number of bytes. */
function saltOf(n: number): string {
  const letters = 'qzjxkvbwy';
  return Array.from({ length: n % 17 }, (_, i) => letters[(n * 7 + i * i * 5 + i) % letters.length]).join('');
}

const floorTo = (value: number, unit: number): number => Math.floor(value / unit) * unit;

function storedBytes(zeros: number): number {
  return zeros + blockHead * Math.ceil(zeros / blockBytes);
}

interface Framed {
  length: number;
  packed: Buffer;
  plain: Buffer;
  zeros: number;
  empty: number;
  end: Buffer;
}

function framed({ length, packed, plain, zeros, empty, end }: Framed): Piece[] {
  const pieces: Piece[] = [memberHeader(length), packed];
  for (let left = zeros; left > 0; left -= blockBytes) {
    const bytes = Math.min(left, blockBytes);
    pieces.push(storedHead(bytes, false), { zeros: bytes });
  }
  pieces.push(Buffer.concat(Array.from({ length: empty }, () => emptyBlock)));
  pieces.push(storedHead(end.length, true), end);
  const trailer = Buffer.allocUnsafe(memberTrailerBytes);
  trailer.writeUInt32LE(crc32(end, crcOfZeros(zeros, crc32(plain))), 0);
  trailer.writeUInt32LE((plain.length + zeros + end.length) >>> 0, 4);
  pieces.push(trailer);
  return pieces;
}

/** RFC 1951 section 3.2.4. */
function storedHead(bytes: number, isLast: boolean): Buffer {
  const head = Buffer.allocUnsafe(blockHead);
  head[0] = isLast ? 1 : 0;
  head.writeUInt16LE(bytes, 1);
  head.writeUInt16LE(~bytes & 0xffff, 3);
  return head;
}

function crcOfZeros(count: number, before: number): number {
  const some = Buffer.alloc(Math.min(count, 1_048_576));
  let crc = before;
  for (let left = count; left > 0; left -= some.length) crc = crc32(some.subarray(0, left), crc);
  return crc;
}
