import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { writeDurably } from '@webfarer/protocol/node';

/** Numbers with a few words about them, as one file: whole or not there at all, and known to be whole. */
export interface ArrayFile {
  about: unknown;
  arrays: NumberArray[];
}
export type NumberArray = Float64Array | Uint32Array;

const magic = Buffer.from('WFARRAY1');
const digestBytes = 32;

/** Replaces the file in one step, after all of it has reached the disk. */
export async function writeArrays(file: string, content: ArrayFile): Promise<void> {
  await writeDurably(file, partsOf(content));
}

/** Undefined where there is no such file, or one that is torn, damaged or of another kind. */
export async function readArrays(file: string): Promise<ArrayFile | undefined> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
  if (bytes === undefined || bytes.length < magic.length + 4 + digestBytes) return undefined;
  const body = bytes.subarray(0, -digestBytes);
  const isWhole =
    magic.equals(bytes.subarray(0, magic.length)) && digestOf([body]).equals(bytes.subarray(-digestBytes));
  return isWhole ? parse(body) : undefined;
}

/** A name for this content that no other content has. */
export function nameOfContent(content: ArrayFile): string {
  return digestOf(partsOf(content).slice(0, -1)).toString('hex');
}

interface Head {
  about: unknown;
  arrays: { kind: 'f64' | 'u32'; length: number }[];
}

function partsOf({ about, arrays }: ArrayFile): Buffer[] {
  const head: Head = {
    about,
    arrays: arrays.map((array) => ({
      kind: array instanceof Float64Array ? 'f64' : 'u32',
      length: array.length,
    })),
  };
  const text = Buffer.from(JSON.stringify(head));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(text.length);
  const numbers = arrays.map((array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength));
  const body = [magic, length, text, ...numbers];
  return [...body, digestOf(body)];
}

function parse(body: Buffer): ArrayFile {
  const start = magic.length + 4;
  let at = start + body.readUInt32LE(magic.length);
  const { about, arrays } = JSON.parse(body.toString('utf8', start, at)) as Head;
  return {
    about,
    arrays: arrays.map(({ kind, length }) => {
      const size = length * (kind === 'f64' ? 8 : 4);
      // A copy, because numbers must begin at a multiple of their size.
      const own = new Uint8Array(body.subarray(at, at + size)).buffer;
      at += size;
      return kind === 'f64' ? new Float64Array(own) : new Uint32Array(own);
    }),
  };
}

function digestOf(parts: readonly Buffer[]): Buffer {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest();
}
