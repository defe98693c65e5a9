import { promisify } from 'node:util';
import { constants, crc32, createDeflateRaw, deflateRaw, deflateRawSync } from 'node:zlib';
import { reusableCoder } from '../bytes/reusable-coder.ts';
import { memberHeader, memberHeaderBytes, memberTrailerBytes } from '../archive/bytes/member-header.ts';

/** Level 6 is twice as slow as 2 on 64 KB of HTML and saves 9 %: an archive is written at crawling speed. */
const level = 2;
/** Below this the work is hardly longer than handing it to another thread. */
const asyncFromBytes = 8 * 1024;
/** A window of 8 KB is all a small record can use; the default one costs more to set up than to fill, and so does its output. */
const small = { level, windowBits: 13, memLevel: 6, chunkSize: 4 * 1024 };
const storedBlockBytes = 0xffff;

const deflateAsync = promisify(deflateRaw);

export interface MemberContent {
  head: Buffer;
  body: Buffer;
  end: Buffer;
  /** The body is compressed already: it is stored between head and end as it is. */
  packed: boolean;
}

/** A whole gzip member. Large bodies are compressed off the main thread. */
export async function gzipMember({ head, body, end, packed }: MemberContent): Promise<Buffer[]> {
  if (packed && body.length > 0) {
    return frame([deflateOpen(head), ...storedBlocks(body), ...storedBlocks(end, true)], [head, body, end]);
  }
  const whole = Buffer.concat([head, body, end]);
  const deflated = whole.length < asyncFromBytes ? deflateSmall(whole) : await deflateAsync(whole, { level });
  return frame([deflated], [whole]);
}

/** The same for small content, at once. */
export function gzipMemberSync(head: Buffer): Buffer[] {
  return frame([deflateSmall(head)], [head]);
}

function frame(deflated: Buffer[], plain: Buffer[]): Buffer[] {
  const compressed = deflated.reduce((sum, part) => sum + part.length, 0);
  const length = memberHeaderBytes + compressed + memberTrailerBytes;
  const trailer = Buffer.allocUnsafe(memberTrailerBytes);
  trailer.writeUInt32LE(
    plain.reduce((crc, part) => crc32(part, crc), 0),
    0,
  );
  trailer.writeUInt32LE(plain.reduce((sum, part) => sum + part.length, 0) >>> 0, 4);
  return [memberHeader(length), ...deflated, trailer];
}

/** Deflated and flushed to a byte border, but not ended: stored blocks may follow. */
function deflateOpen(head: Buffer): Buffer {
  return deflateSmall(head, constants.Z_SYNC_FLUSH);
}

const coder = reusableCoder(() => createDeflateRaw(small));
const room = Buffer.allocUnsafeSlow(2 * asyncFromBytes);

function deflateSmall(plain: Buffer, finishFlush: number = constants.Z_FINISH): Buffer {
  const length = plain.length > asyncFromBytes ? undefined : coder.code(plain, room, finishFlush);
  return length === undefined
    ? deflateRawSync(plain, { ...small, finishFlush })
    : Buffer.from(room.subarray(0, length));
}

/** RFC 1951 section 3.2.4: five bytes of header before each block, the last one marked final. */
function storedBlocks(body: Buffer, final = false): Buffer[] {
  const parts: Buffer[] = [];
  for (let at = 0; at < body.length; at += storedBlockBytes) {
    const block = body.subarray(at, at + storedBlockBytes);
    const head = Buffer.allocUnsafe(5);
    head[0] = final && at + block.length === body.length ? 1 : 0;
    head.writeUInt16LE(block.length, 1);
    head.writeUInt16LE(~block.length & 0xffff, 3);
    parts.push(head, block);
  }
  return parts;
}
