/**
 * A place that keeps whole objects under keys: a bucket of S3, or a folder. Objects are replaced as a whole, never
 * appended to. What a call has written is durable when it resolves. Calls may be repeated: one that failed may have
 * taken effect, and doing the same again does no harm.
 *
 * Every call throws WebfarerError `storage` where the place cannot be used at this moment, and `not-found` where there is
 * no such object or upload.
 */
export interface ObjectStore {
  /** Where it is, for people: `s3://bucket/prefix`. */
  readonly address: string;
  /** Writes an object, or replaces it. The store refuses bytes that were damaged on their way. */
  put(key: string, bytes: Buffer): Promise<void>;
  /** Bytes from `start` to `end`, fewer where the object ends before that. */
  get(key: string, range: ByteRange): Promise<Buffer>;
  /** Undefined: there is no such object. */
  head(key: string): Promise<StoredObject | undefined>;
  /** Objects whose keys begin so, in the order of their keys. */
  list(prefix: string): AsyncIterable<StoredObject>;
  /** Does nothing where there is no such object. */
  remove(key: string): Promise<void>;
  /** Begins an object that is written in parts. It is not there before the upload is completed. */
  beginUpload(key: string): Promise<Upload>;
  /** Parts count from 1. All but the last have at least `minPartBytes`. Answers what completing it needs. */
  putPart(upload: Upload, part: { number: number; bytes: Buffer }): Promise<UploadedPart>;
  completeUpload(upload: Upload, parts: readonly UploadedPart[]): Promise<void>;
  /** Frees what was uploaded. Does nothing where there is no such upload. */
  abortUpload(upload: Upload): Promise<void>;
  /** Uploads that were begun and neither completed nor aborted, to keys that begin so. */
  uploads(prefix: string): AsyncIterable<Upload & { begunAtMs: number }>;
  close(): void;
}

/** From the first byte to the one before `end`. */
export interface ByteRange {
  start: number;
  end: number;
}

export interface StoredObject {
  key: string;
  bytes: number;
  /** By the clock of the store. */
  modifiedAtMs: number;
}

export interface Upload {
  key: string;
  id: string;
}

export interface UploadedPart {
  number: number;
  /** What the store calls it. */
  tag: string;
}

/** The smallest part that S3 takes, but for the last. */
export const minPartBytes = 5 * 1024 * 1024;
