import { promisify } from 'node:util';
import { inflateRaw } from 'node:zlib';

/** The files of a zip archive in memory. Each is unpacked when it is asked for. */
export interface Zip {
  has(name: string): boolean;
  /** Undefined where there is no such file. Throws where it is damaged, encrypted or larger than allowed. */
  read(name: string): Promise<Buffer | undefined>;
}

interface Entry {
  method: number;
  encrypted: boolean;
  packedBytes: number;
  at: number;
}

const endSignature = 0x06054b50;
const entrySignature = 0x02014b50;
const fileSignature = 0x04034b50;
const endBytes = 22;
const entryBytes = 46;
const fileBytes = 30;
const maxComment = 65_535;
const stored = 0;
const deflated = 8;

const inflate = promisify(inflateRaw);

/** `maxFileBytes`: of each file, unpacked. A file that claims less than it holds is cut off all the same. */
export function openZip(bytes: Buffer, { maxFileBytes }: { maxFileBytes: number }): Zip {
  const entries = directoryOf(bytes);
  return {
    has: (name) => entries.has(name),
    async read(name) {
      const entry = entries.get(name);
      if (!entry) return undefined;
      if (entry.encrypted) throw new Error(`${name} is encrypted`);
      const packed = packedBytes(bytes, entry);
      if (entry.method === stored && packed.length <= maxFileBytes) return packed;
      if (entry.method !== stored && entry.method !== deflated)
        throw new Error(`${name} is packed in a way that is not supported (${entry.method})`);
      try {
        if (entry.method === deflated) return await inflate(packed, { maxOutputLength: maxFileBytes });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ERR_BUFFER_TOO_LARGE')
          throw new Error(`${name} is damaged: ${(error as Error).message}`);
      }
      throw new Error(`${name} is larger than ${maxFileBytes} bytes`);
    },
  };
}

/** The list at the end of the archive. Its length bounds the work, whatever number of files it claims. */
function directoryOf(bytes: Buffer): Map<string, Entry> {
  const end = endOf(bytes);
  const entries = new Map<string, Entry>();
  const count = bytes.readUInt16LE(end + 10);
  let at = bytes.readUInt32LE(end + 16);
  for (let index = 0; index < count; index++) {
    if (at + entryBytes > end || bytes.readUInt32LE(at) !== entrySignature)
      throw new Error('the list of files in the archive is damaged');
    const nameLength = bytes.readUInt16LE(at + 28);
    const next = at + entryBytes + nameLength + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
    const name = bytes.toString('utf8', at + entryBytes, at + entryBytes + nameLength);
    if (!entries.has(name))
      entries.set(name, {
        method: bytes.readUInt16LE(at + 10),
        encrypted: (bytes.readUInt16LE(at + 8) & 1) === 1,
        packedBytes: bytes.readUInt32LE(at + 20),
        at: bytes.readUInt32LE(at + 42),
      });
    at = next;
  }
  return entries;
}

/** A comment may follow the record that ends an archive. */
function endOf(bytes: Buffer): number {
  const last = bytes.length - endBytes;
  for (let at = last; at >= Math.max(0, last - maxComment); at--)
    if (bytes.readUInt32LE(at) === endSignature) return at;
  throw new Error('this is no zip archive, or its end is missing');
}

function packedBytes(bytes: Buffer, { at, packedBytes: length }: Entry): Buffer {
  if (at + fileBytes > bytes.length || bytes.readUInt32LE(at) !== fileSignature)
    throw new Error('a file in the archive is not where its list says');
  const start = at + fileBytes + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
  return bytes.subarray(start, start + length);
}
