import { WebfarerError } from '@webfarer/protocol';
import type { ObjectStore, StoredObject } from '../../objects/object-store.ts';
import type { ByteSource } from '../bytes/byte-source.ts';
import {
  catalogDir,
  type Chunk,
  chunkDir,
  chunkOf,
  erasuresOf,
  fileOf,
  objectDir,
  stemOf,
} from './layout.ts';

/** A file of the archive as the store has it at this moment. */
export interface StoredFile {
  /** `NAME.warc.gz` */
  name: string;
  /** From its first byte without a gap. */
  bytes: number;
  /** What holds them, in order. */
  pieces: Piece[];
  /** The verified object that counts: the longest of those from which most was deleted. Undefined: it has chunks only. */
  object: { name: string; bytes: number } | undefined;
  /** How often hosts were deleted from it. */
  erasures: number;
  /** Other objects of it: whatever they hold, and may hold, is in the one that counts or in chunks. */
  others: string[];
  /** All of its chunks, also those whose bytes are in the object. */
  chunks: Chunk[];
  /** Bytes behind a gap: some chunk before them is missing. */
  behindGap: number;
  /** The newest chunk, by the clock of the store; 0 where there is none. */
  writtenAtMs: number;
}

interface Piece {
  key: string;
  /** Where its bytes stand in the file. */
  start: number;
  end: number;
  /** Where they begin in the object. */
  from: number;
}

/** All files of the archive, or those whose names begin so. In the order of their names. */
export async function storedFiles(store: ObjectStore, prefix = ''): Promise<StoredFile[]> {
  const found = new Map<string, Found>();
  const of = (name: string): Found => {
    const known = found.get(name) ?? { objects: [], chunks: [], writtenAtMs: 0 };
    found.set(name, known);
    return known;
  };
  // Chunks first: those that are removed after they were listed are in an object that is listed later.
  for await (const object of store.list(chunkDir + prefix)) {
    const chunk = chunkOf(object.key);
    if (!chunk) continue;
    const file = of(chunk.name);
    file.chunks.push(chunk);
    file.writtenAtMs = Math.max(file.writtenAtMs, object.modifiedAtMs);
  }
  for (const object of await verifiedObjects(store, prefix))
    of(fileOf(object.key.slice(objectDir.length))).objects.push(object);
  return [...found]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, file]) => assembled(name, file));
}

/** Objects are replaced by others under a reader's hands: the new one is in the catalog before the old one goes. */
const mostListings = 5;

async function verifiedObjects(store: ObjectStore, prefix: string): Promise<StoredObject[]> {
  for (let listings = 1; ; listings++) {
    const verified = new Set<string>();
    for await (const { key } of store.list(catalogDir + prefix))
      verified.add(key.slice(catalogDir.length).replace(/\.json$/, ''));
    const objects: StoredObject[] = [];
    for await (const object of store.list(objectDir + prefix))
      if (verified.has(object.key.slice(objectDir.length))) objects.push(object);
    if (objects.length === verified.size || listings >= mostListings) return objects;
  }
}

/** One file by its name; undefined where the store has nothing of it. */
export async function storedFile(store: ObjectStore, name: string): Promise<StoredFile | undefined> {
  return (await storedFiles(store, stemOf(name))).find((file) => file.name === name);
}

interface Found {
  objects: StoredObject[];
  chunks: Chunk[];
  writtenAtMs: number;
}

function assembled(name: string, { objects, chunks, writtenAtMs }: Found): StoredFile {
  const [longest, ...rest] = objects.toSorted(
    (a, b) => erasuresOf(b.key) - erasuresOf(a.key) || b.bytes - a.bytes || a.key.length - b.key.length,
  );
  const pieces: Piece[] = [];
  if (longest && longest.bytes > 0) pieces.push({ key: longest.key, start: 0, end: longest.bytes, from: 0 });
  let end = longest?.bytes ?? 0;
  for (;;) {
    const next = longestFrom(chunks, end);
    if (!next) break;
    pieces.push({ key: next.key, start: end, end: next.end, from: end - next.start });
    end = next.end;
  }
  const last = chunks.reduce((most, chunk) => Math.max(most, chunk.end), end);
  return {
    name,
    bytes: end,
    pieces,
    object: longest && { name: longest.key.slice(objectDir.length), bytes: longest.bytes },
    erasures: erasuresOf(longest?.key ?? ''),
    others: rest.map(({ key }) => key.slice(objectDir.length)),
    chunks,
    behindGap: last - end,
    writtenAtMs,
  };
}

/** The chunk that has this byte and reaches farthest. Few enough: chunks are merged while a file grows. */
function longestFrom(chunks: readonly Chunk[], at: number): Chunk | undefined {
  let best: Chunk | undefined;
  for (const chunk of chunks)
    if (chunk.start <= at && chunk.end > at && chunk.end > (best?.end ?? 0)) best = chunk;
  return best;
}

const blockBytes = 1024 * 1024;
/** Each time a file was completed under a reader, its chunks are gone and an object has them. */
const mostResolves = 5;

/** For a reader of one capture, which is the same before and after a host was deleted, or is gone. */
export interface OneCapture {
  /** Told where the file is now, when it was found elsewhere. */
  onFound: (file: StoredFile) => void;
}

/**
 * The bytes of a file, wherever they are by the time they are read. Where a host is deleted from it meanwhile, the reader
 * is told: old and new bytes never come from one source.
 */
export function openStoredFile(store: ObjectStore, file: StoredFile, oneCapture?: OneCapture): ByteSource {
  let { pieces } = file;

  async function readPieces(start: number, end: number): Promise<Buffer> {
    const found: Buffer[] = [];
    for (const piece of pieces) {
      const [from, to] = [Math.max(start, piece.start), Math.min(end, piece.end)];
      if (from >= to) continue;
      const at = piece.from - piece.start;
      const bytes = await store.get(piece.key, { start: from + at, end: to + at });
      if (bytes.length !== to - from) throw cutShort(store, piece.key);
      found.push(bytes);
    }
    return found.length === 1 ? (found[0] as Buffer) : Buffer.concat(found);
  }

  return {
    bytes: file.bytes,
    blockBytes,
    async read(start, length) {
      const end = Math.min(start + length, file.bytes);
      for (let tries = 1; ; tries++) {
        try {
          return await readPieces(start, end);
        } catch (error) {
          const isGone = error instanceof WebfarerError && error.code === 'not-found';
          if (!isGone || tries >= mostResolves) throw error;
          const now = await storedFile(store, file.name);
          if (!now || now.bytes < file.bytes) throw error;
          if (now.erasures !== file.erasures && !oneCapture) throw rewritten(store, file.name);
          ({ pieces } = now);
          oneCapture?.onFound(now);
        }
      }
    },
    close: () => Promise.resolve(),
  };
}

function rewritten({ address }: ObjectStore, name: string): WebfarerError {
  return new WebfarerError(
    'conflict',
    `A host was deleted from ${address}/${objectDir}${name} while it was read.`,
    {
      next: 'Run the same command again.',
    },
  );
}

function cutShort({ address }: ObjectStore, key: string): WebfarerError {
  return new WebfarerError('storage', `${address}/${key} is shorter than its name or catalog entry says.`, {
    next: 'Something else than Webfarer changed the object: restore it from a backup or a version.',
  });
}
