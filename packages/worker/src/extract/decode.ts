import { promisify } from 'node:util';
import zlib from 'node:zlib';

export interface DecodeLimits {
  /** Bytes after decoding at which the body is cut. */
  maxBytes: number;
  /** Output beyond this many times the input is cut too, once it is over a mebibyte. */
  maxRatio?: number;
}

/** `truncated`: the body was cut at a limit, or its last part was missing. */
export type Decoded = { ok: true; body: Buffer; truncated: boolean } | { ok: false; detail: string };

const maxLayers = 2;
const freeBytes = 1_048_576;
const defaultRatio = 200;
/** Above this the work goes to zlib's threads; below, the hand-over would cost more than it saves. */
const inlineBytes = 131_072;

type Coding = 'gzip' | 'deflate' | 'deflate-raw' | 'br' | 'zstd';

/** Codings we know of and cannot undo. A word that is none at all (`none`, `utf-8`) is passed over. */
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
  const known = codings.map(codingOf).filter((coding) => coding !== undefined);
  if (known.length > maxLayers) return { ok: false, detail: `${known.length} layers of content encoding` };
  let current: Buffer = body;
  let truncated = false;
  // The last one named was applied last.
  for (const coding of known.toReversed()) {
    if (current.length === 0) break;
    const layer = await undo(current, coding, limits);
    if (!layer.ok) return layer;
    current = layer.body;
    truncated ||= layer.truncated;
  }
  if (current.length > limits.maxBytes)
    return { ok: true, body: current.subarray(0, limits.maxBytes), truncated: true };
  return { ok: true, body: current, truncated };
}

function codingOf(word: string): Coding | undefined {
  if (word === 'gzip' || word === 'x-gzip') return 'gzip';
  return word === 'deflate' || word === 'br' || word === 'zstd' ? word : undefined;
}

async function undo(body: Buffer, named: Coding, limits: DecodeLimits): Promise<Decoded> {
  const coding = named === 'deflate' && !hasZlibHeader(body) ? 'deflate-raw' : named;
  const cap = Math.min(limits.maxBytes, Math.max(freeBytes, body.length * (limits.maxRatio ?? defaultRatio)));
  try {
    const whole = body.length <= inlineBytes ? inline(body, coding, cap) : await threaded(body, coding, cap);
    return { ok: true, body: whole, truncated: false };
  } catch (error) {
    const code = (error as { code?: string }).code;
    // A full run failed: read it in pieces to keep what comes before the limit or the fault.
    const part = await collect(body, coding, cap);
    if (code === 'ERR_BUFFER_TOO_LARGE' || part.length > 0) return { ok: true, body: part, truncated: true };
    return { ok: false, detail: `${named}: ${(error as Error).message}` };
  }
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

function inline(body: Buffer, coding: Coding, cap: number): Buffer {
  return inlineDecoders[coding](body, { maxOutputLength: cap, chunkSize: roomFor(body, coding) });
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

const gunzip = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.gunzip);
const inflate = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.inflate);
const inflateRaw = promisify<zlib.InputType, zlib.ZlibOptions, Buffer>(zlib.inflateRaw);
const brotli = promisify<zlib.InputType, zlib.BrotliOptions, Buffer>(zlib.brotliDecompress);
const zstd = promisify<zlib.InputType, zlib.ZstdOptions, Buffer>(zlib.zstdDecompress);

function threaded(body: Buffer, coding: Coding, maxOutputLength: number): Promise<Buffer> {
  if (coding === 'gzip') return gunzip(body, { maxOutputLength });
  if (coding === 'deflate') return inflate(body, { maxOutputLength });
  if (coding === 'deflate-raw') return inflateRaw(body, { maxOutputLength });
  if (coding === 'br') return brotli(body, { maxOutputLength });
  return zstd(body, { maxOutputLength, params: zstdParams });
}

function streamOf(coding: Coding): zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress | zlib.ZstdDecompress {
  if (coding === 'gzip') return zlib.createGunzip();
  if (coding === 'deflate') return zlib.createInflate();
  if (coding === 'deflate-raw') return zlib.createInflateRaw();
  if (coding === 'br') return zlib.createBrotliDecompress();
  return zlib.createZstdDecompress({ params: zstdParams });
}

/** Whatever can be decoded, up to the cap. */
function collect(body: Buffer, coding: Coding, cap: number): Promise<Buffer> {
  return new Promise((resolve) => {
    const stream = streamOf(coding);
    const chunks: Buffer[] = [];
    let size = 0;
    let ended = false;
    const finish = (): void => {
      if (ended) return;
      ended = true;
      stream.destroy();
      resolve(Buffer.concat(chunks).subarray(0, cap));
    };
    stream.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      size += chunk.length;
      if (size >= cap) finish();
    });
    stream.on('end', finish).on('error', finish).on('close', finish);
    stream.end(body);
  });
}
