import { createHash, type Hash } from 'node:crypto';
import { WebfarerError } from '@webfarer/protocol';
import type { ByteSource } from '../../archive/bytes/byte-source.ts';
import type { ObjectStore } from '../../objects/object-store.ts';

/** Large enough for 100 GB in the 10,000 parts that S3 allows, small enough to be held in memory. */
const partBytes = 16 * 1024 * 1024;

/** Writes an object from its first to its last byte, and reads it back: what the answer says is there was found there. */
export async function uploadVerified(
  store: ObjectStore,
  key: string,
  source: ByteSource,
): Promise<{ sha256: string }> {
  const sent = createHash('sha256');
  if (source.bytes <= partBytes) {
    const bytes = await readWhole(source, 0, source.bytes);
    sent.update(bytes);
    await store.put(key, bytes);
  } else await uploadParts(store, key, source, sent);
  const sha256 = sent.digest('hex');
  if ((await hashOf(store, key, source.bytes)) === sha256) return { sha256 };
  throw new WebfarerError('object-storage', `${store.address}/${key} is not what was uploaded.`, {
    next: 'It is uploaded again. If this repeats, check the object storage.',
  });
}

async function uploadParts(store: ObjectStore, key: string, source: ByteSource, sent: Hash): Promise<void> {
  const upload = await store.beginUpload(key);
  try {
    const parts = [];
    for (let start = 0; start < source.bytes; start += partBytes) {
      const bytes = await readWhole(source, start, Math.min(partBytes, source.bytes - start));
      sent.update(bytes);
      parts.push(await store.putPart(upload, { number: parts.length + 1, bytes }));
    }
    await store.completeUpload(upload, parts).catch((error: unknown) => {
      // A reply was lost and the client asked again: the upload is over, and reading it back tells the rest.
      if (!(error instanceof WebfarerError && error.code === 'not-found')) throw error;
    });
  } catch (error) {
    // What cannot be aborted now is aborted by upkeep.
    await store.abortUpload(upload).catch(() => undefined);
    throw error;
  }
}

async function hashOf(store: ObjectStore, key: string, bytes: number): Promise<string> {
  const found = createHash('sha256');
  for (let start = 0; start < bytes; start += partBytes)
    found.update(await store.get(key, { start, end: Math.min(start + partBytes, bytes) }));
  const { bytes: there } = (await store.head(key)) ?? { bytes: -1 };
  return there === bytes ? found.digest('hex') : `${there} bytes`;
}

/** Exactly these bytes. */
export async function readWhole(source: ByteSource, start: number, length: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for (let done = 0; done < length; ) {
    const piece = await source.read(start + done, length - done);
    if (piece.length === 0) throw new Error(`the file ends at ${start + done}, before ${start + length}`);
    pieces.push(piece);
    done += piece.length;
  }
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
}
