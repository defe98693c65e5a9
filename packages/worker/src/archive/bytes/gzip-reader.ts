import { constants, crc32, createInflateRaw, type InflateRaw, inflateRawSync } from 'node:zlib';
import type { ByteWindow } from './byte-window.ts';
import { WarcProblem } from './warc-problem.ts';

/** Members up to this size are inflated in one piece. */
const wholeBytes = 4 * 1024 * 1024;
const maxPlainBytes = 64 * 1024 * 1024;
/** A header with a longer name or comment than this is not one. */
const maxHeaderBytes = 128 * 1024;

/**
 * The plain content of the gzip member at the window's position, in pieces. Checks structure, CRC and
 * size; when it ends, the window stands at the first byte behind the member.
 */
export async function* inflateMember(window: ByteWindow): AsyncGenerator<Buffer> {
  const start = window.position;
  window.skip(headerLength(await window.see(maxHeaderBytes), start));
  const whole = await inflateWhole(window, start);
  if (whole) {
    window.skip(whole.consumed);
    await checkTrailer(window, start, { crc: crc32(whole.plain), bytes: whole.plain.length });
    yield whole.plain;
    return;
  }
  const sum = { crc: 0, bytes: 0 };
  for await (const chunk of inflatePieces(window, start)) {
    sum.crc = crc32(chunk, sum.crc);
    sum.bytes += chunk.length;
    yield chunk;
  }
  await checkTrailer(window, start, sum);
}

/** RFC 1952 section 2.3. */
function headerLength(bytes: Buffer, start: number): number {
  const torn = () => new WarcProblem(start, 'the file ends within a gzip header', true);
  if (bytes.length < 10) throw torn();
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b || bytes[2] !== 8) {
    throw new WarcProblem(start, 'no gzip member begins here');
  }
  const flags = bytes[3] ?? 0;
  if (flags & 0xe0) throw new WarcProblem(start, 'the gzip header has reserved flags');
  let at = 10;
  if (flags & 4) {
    if (bytes.length < at + 2) throw torn();
    at += 2 + bytes.readUInt16LE(at);
  }
  for (const flag of [8, 16]) {
    if (!(flags & flag)) continue;
    const nul = bytes.indexOf(0, at);
    if (nul < 0) throw torn();
    at = nul + 1;
  }
  if (flags & 2) at += 2;
  if (bytes.length < at) throw torn();
  return at;
}

async function inflateWhole(
  window: ByteWindow,
  start: number,
): Promise<{ plain: Buffer; consumed: number } | undefined> {
  for (let min = 64 * 1024; min <= wholeBytes; min *= 4) {
    const seen = await window.see(min);
    try {
      // With `info` the answer says how much was consumed; the types do not know that yet.
      const { buffer, engine } = inflateRawSync(seen, {
        info: true,
        maxOutputLength: maxPlainBytes,
      }) as unknown as { buffer: Buffer; engine: { bytesWritten: number } };
      return { plain: buffer, consumed: engine.bytesWritten };
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ERR_BUFFER_TOO_LARGE') return undefined;
      if (code !== 'Z_BUF_ERROR') throw damaged(start, error);
      if (seen.length < min) throw new WarcProblem(start, 'the file ends within a gzip member', true);
    }
  }
  return undefined;
}

/** For what is too large to hold: the same through a stream, which is fed until it has seen its end. */
async function* inflatePieces(window: ByteWindow, start: number): AsyncGenerator<Buffer> {
  const inflate = createInflateRaw();
  const first = window.position;
  const over = new Promise<void>((resolve) => {
    inflate.once('end', resolve);
    inflate.once('close', resolve);
  });
  const feeding = feed(inflate, window, over).catch((error: unknown) => inflate.destroy(error as Error));
  try {
    for await (const chunk of inflate) yield chunk as Buffer;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'Z_BUF_ERROR') throw damaged(start, error);
    throw new WarcProblem(start, 'the file ends within a gzip member', true);
  } finally {
    inflate.destroy();
    await feeding;
  }
  window.skip(inflate.bytesWritten - (window.position - first));
}

/** The stream takes more than its own bytes: what it did not consume stays in the window. */
async function feed(inflate: InflateRaw, window: ByteWindow, over: Promise<void>): Promise<void> {
  const first = window.position;
  let ended = false;
  void over.then(() => {
    ended = true;
  });
  for (let given = 0; !ended; ) {
    const chunk = (await window.see(given + 1)).subarray(given);
    if (chunk.length === 0) return void inflate.end();
    if (!inflate.write(chunk)) {
      const drained = new Promise<void>((resolve) => inflate.once('drain', resolve));
      await Promise.race([drained, over]);
    }
    const consumed = inflate.bytesWritten - (window.position - first);
    window.skip(consumed);
    given += chunk.length - consumed;
  }
}

async function checkTrailer(
  window: ByteWindow,
  start: number,
  sum: { crc: number; bytes: number },
): Promise<void> {
  const trailer = await window.see(8);
  if (trailer.length < 8) throw new WarcProblem(start, 'the file ends within a gzip trailer', true);
  if (trailer.readUInt32LE(0) !== sum.crc) throw new WarcProblem(start, 'the gzip checksum is wrong');
  if (trailer.readUInt32LE(4) !== sum.bytes % 2 ** 32) throw new WarcProblem(start, 'the gzip size is wrong');
  window.skip(8);
}

function damaged(start: number, error: unknown): WarcProblem {
  return new WarcProblem(start, `the compressed data is damaged (${(error as Error).message})`);
}

/** Where the next gzip member that begins like a WARC record may stand, at or behind the window's position. */
export async function findMember(window: ByteWindow): Promise<number | undefined> {
  for (;;) {
    const seen = await window.see(128 * 1024);
    const at = seen.indexOf(Buffer.from([0x1f, 0x8b, 8]));
    if (at < 0) {
      if (seen.length < 128 * 1024) return undefined;
      window.skip(seen.length - 2);
      continue;
    }
    window.skip(at);
    if (beginsRecord(await window.see(64 * 1024), window.position)) return window.position;
    window.skip(1);
  }
}

function beginsRecord(bytes: Buffer, start: number): boolean {
  try {
    const deflated = bytes.subarray(headerLength(bytes, start), 64 * 1024);
    const plain = inflateRawSync(deflated, {
      finishFlush: constants.Z_SYNC_FLUSH,
      maxOutputLength: maxPlainBytes,
    });
    return plain.toString('latin1', 0, 5) === 'WARC/';
  } catch {
    return false;
  }
}
