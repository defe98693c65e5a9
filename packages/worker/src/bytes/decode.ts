import zlib from 'node:zlib';
import { createGrowingBytes, type GrowingBytes, lastingBytes } from './growing-bytes.ts';
import { type ReusableCoder, reusableCoder } from './reusable-coder.ts';

export interface DecodeLimits {
  /** Bytes after decoding at which the body is cut. */
  maxBytes: number;
  /** A word that is no coding makes the body unreadable; else it is passed over, because servers write `none` or `utf-8`. */
  isStrict?: boolean;
}

/** Why the end is missing: cut at a limit, or it never came. */
type Truncated = 'length' | 'disconnect';

export type Decoded =
  | {
      ok: true;
      body: Buffer;
      truncated?: Truncated;
      /** There where the body is large: it is no longer needed, and empty from now on. */
      free?: () => void;
    }
  | { ok: false; detail: string };

const maxLayers = 2;
const freeBytes = 1_048_576;
/** Above this, or where much comes out, zlib's threads do it; below, the hand-over would cost more than it saves. */
const inlineBytes = 131_072;

type Coding = 'gzip' | 'deflate' | 'deflate-raw' | 'br' | 'zstd';

/** Codings we know of and cannot undo. */
const foreignCodings = new Set(['compress', 'x-compress', 'exi', 'pack200-gzip', 'aes128gcm', 'dcb', 'dcz']);

/** Undoes the content encodings of a body. Bounded in time and memory whatever the input; never throws. */
export async function decodeBody(
  body: Buffer,
  contentEncoding: string | undefined,
  limits: DecodeLimits,
): Promise<Decoded> {
  const codings = (contentEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '' && word !== 'identity');
  const foreign = codings.find((word) => foreignCodings.has(word));
  if (foreign !== undefined) return { ok: false, detail: `content encoding ${foreign}` };
  const strange = limits.isStrict ? codings.find((word) => codingOf(word) === undefined) : undefined;
  if (strange !== undefined) return { ok: false, detail: `content encoding ${strange.slice(0, 40)}` };
  const known = codings.map(codingOf).filter((coding) => coding !== undefined);
  if (known.length > maxLayers) return { ok: false, detail: `${known.length} layers of content encoding` };
  let current: Buffer = body;
  let truncated: Truncated | undefined;
  let free: (() => void) | undefined;
  // The last one named was applied last.
  for (const coding of known.toReversed()) {
    if (current.length === 0) break;
    const layer = await undo(current, coding, limits);
    free?.();
    if (!layer.ok) return layer;
    ({ body: current, free } = layer);
    truncated ??= layer.truncated;
  }
  if (current.length > limits.maxBytes)
    return { ok: true, body: current.subarray(0, limits.maxBytes), truncated: 'length' };
  return { ok: true, body: current, ...(truncated && { truncated }), ...(free && { free }) };
}

function codingOf(word: string): Coding | undefined {
  if (word === 'gzip' || word === 'x-gzip') return 'gzip';
  return word === 'deflate' || word === 'br' || word === 'zstd' ? word : undefined;
}

async function undo(body: Buffer, named: Coding, limits: DecodeLimits): Promise<Decoded> {
  const coding = named === 'deflate' && !hasZlibHeader(body) ? 'deflate-raw' : named;
  const cap = limits.maxBytes;
  if (body.length <= inlineBytes) {
    try {
      return { ok: true, body: inline(body, coding, Math.min(cap, freeBytes)) };
    } catch {
      // Too long, or faulty: read in pieces, to keep what comes before the limit or the fault.
    }
  }
  const { bytes, whole, error } = await collect(body, coding, cap);
  if (error && bytes.length === 0) return { ok: false, detail: `${named}: ${error.message}` };
  const truncated = whole ? error && 'disconnect' : 'length';
  return { ok: true, body: bytes.take(), ...(truncated && { truncated }), free: () => bytes.free() };
}

/** RFC 9110 means zlib by `deflate`; some servers send the bare stream. */
function hasZlibHeader(body: Buffer): boolean {
  return body.length > 1 && ((body[0] as number) & 0x0f) === 8 && body.readUInt16BE(0) % 31 === 0;
}

// RFC 9659: a zstd window on the web is at most 8 MB.
const zstdParams = { [zlib.constants.ZSTD_d_windowLogMax]: 23 };

interface InlineLimits {
  maxOutputLength: number;
  chunkSize: number;
}

const inlineDecoders: Record<Coding, (body: Buffer, limits: InlineLimits) => Buffer> = {
  gzip: (body, limits) => zlib.gunzipSync(body, limits),
  deflate: (body, limits) => zlib.inflateSync(body, limits),
  'deflate-raw': (body, limits) => zlib.inflateRawSync(body, limits),
  br: (body, limits) => zlib.brotliDecompressSync(body, limits),
  zstd: (body, limits) => zlib.zstdDecompressSync(body, { ...limits, params: zstdParams }),
};

const reused: Partial<Record<Coding, ReusableCoder>> = {
  gzip: reusableCoder(() => zlib.createGunzip()),
  deflate: reusableCoder(() => zlib.createInflate()),
  'deflate-raw': reusableCoder(() => zlib.createInflateRaw()),
};

function inline(body: Buffer, coding: Coding, cap: number): Buffer {
  const room = roomFor(body, coding);
  const decoder = reused[coding];
  if (decoder) {
    const output = Buffer.allocUnsafe(room);
    const length = decoder.code(body, output);
    if (length !== undefined && length <= cap) return output.subarray(0, length);
  }
  return inlineDecoders[coding](body, { maxOutputLength: cap, chunkSize: room });
}

const leastRoom = 4_096;
const mostRoom = 262_144;

/** Room for all of a body at once, where that can be told: then nothing is put together from pieces. */
function roomFor(body: Buffer, coding: Coding): number {
  // The last four bytes of gzip say how long the text is. They may lie; it is only room.
  const told = coding === 'gzip' && body.length > 4 ? body.readUInt32LE(body.length - 4) : body.length * 8;
  // One byte more than needed tells the decoder that it came to the end.
  return Math.min(mostRoom, Math.max(leastRoom, told + 1));
}

const pieceBytes = 65_536;
const streamOptions = { chunkSize: pieceBytes };

function streamOf(coding: Coding): zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress | zlib.ZstdDecompress {
  if (coding === 'gzip') return zlib.createGunzip(streamOptions);
  if (coding === 'deflate') return zlib.createInflate(streamOptions);
  if (coding === 'deflate-raw') return zlib.createInflateRaw(streamOptions);
  if (coding === 'br') return zlib.createBrotliDecompress(streamOptions);
  return zlib.createZstdDecompress({ ...streamOptions, params: zstdParams });
}

interface Collected {
  bytes: GrowingBytes;
  /** False when there was more than the cap. */
  whole: boolean;
  error: Error | undefined;
}

/**
 * Whatever can be decoded, up to the cap, on zlib's threads. They are given copies of a large body, piece by piece: its
 * memory may be given back while they still work on a piece that is no longer of interest.
 */
function collect(body: Buffer, coding: Coding, cap: number): Promise<Collected> {
  return new Promise((resolve) => {
    const stream = streamOf(coding);
    const bytes = createGrowingBytes(cap);
    let whole = true;
    let at = 0;
    const finish = (error?: Error): void => {
      stream.destroy();
      resolve({ bytes, whole, error });
    };
    const feed = (): void => {
      if (stream.destroyed) return;
      const piece = lastingBytes(body.subarray(at, at + pieceBytes));
      at += pieceBytes;
      if (at < body.length) stream.write(piece, feed);
      else stream.end(piece);
    };
    stream.on('data', (chunk: Buffer) => {
      if (!whole) return;
      whole = bytes.add(chunk);
      if (!whole) finish();
    });
    stream
      .on('end', () => finish())
      .on('error', finish)
      .on('close', () => finish());
    feed();
  });
}
