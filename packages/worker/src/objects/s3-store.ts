import { createHash } from 'node:crypto';
import type { S3Client } from '@aws-sdk/client-s3';
import { WebfarerError } from '@webfarer/protocol';
import type { ObjectStore, StoredObject } from './object-store.ts';
import { publicAgents } from '../egress/public-agents.ts';
import { isMissing, wordsFor } from './s3-words.ts';
import { type Doing, noSuchObject, storeTrouble } from './store-trouble.ts';

export interface S3Settings {
  bucket: string;
  /** In front of every key, with a slash at its end; empty: none. */
  prefix: string;
  /** URL of a server that is not that of AWS. */
  endpoint: string | undefined;
  region: string | undefined;
  /** The bucket in the path of a URL rather than in the name of its host; undefined: where there is an endpoint. */
  pathStyle: boolean | undefined;
  /** Whether its server may have a private address. */
  allowPrivate: boolean;
  /** For one request. */
  timeoutMs: number;
}

const connectMs = 5_000;
/** Of each request, by the client itself; a crawl pauses and tries again after that. */
const attempts = 3;
/** Requests at the same time, with room for those that read. */
const maxSockets = 16;

type Sdk = typeof import('@aws-sdk/client-s3');

/**
 * A bucket of S3 or of a server that speaks it. Credentials are those of this machine, found as the AWS tools find them:
 * environment, profile, role. The client is an optional package, loaded here only.
 */
export async function s3Store(settings: S3Settings): Promise<ObjectStore> {
  const sdk = await loadSdk();
  const { bucket, prefix } = settings;
  const client = clientOf(sdk, settings);
  const root = `s3://${bucket}/${prefix}`;
  const place = (key: string) => ({ Bucket: bucket, Key: prefix + key });

  /** `otherwise`: what a missing object or upload answers. */
  async function ask<T>(
    verb: Doing['verb'],
    key: string,
    work: () => Promise<T>,
    otherwise: () => T = () => {
      throw noSuchObject(root + key);
    },
  ): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof WebfarerError) throw error;
      if (isMissing(error)) return otherwise();
      throw storeTrouble({ verb, at: root + key }, wordsFor(error), error);
    }
  }

  async function* list(start: string): AsyncGenerator<StoredObject> {
    const pages = sdk.paginateListObjectsV2({ client }, { Bucket: bucket, Prefix: prefix + start });
    const iterator = pages[Symbol.asyncIterator]();
    for (;;) {
      const { done, value } = await ask('list', start, () => iterator.next());
      if (done) return;
      for (const { Key = '', Size = 0, LastModified } of value.Contents ?? [])
        yield { key: Key.slice(prefix.length), bytes: Size, modifiedAtMs: LastModified?.getTime() ?? 0 };
    }
  }

  return {
    address: root.replace(/\/$/, ''),
    async put(key, bytes) {
      const input = { ...place(key), Body: bytes, ContentMD5: md5(bytes) };
      await ask('write', key, () => client.send(new sdk.PutObjectCommand(input)));
    },
    async get(key, { start, end }) {
      if (end <= start) return Buffer.alloc(0);
      return await ask('read', key, async () => {
        const answer = await client
          .send(new sdk.GetObjectCommand({ ...place(key), Range: `bytes=${start}-${end - 1}` }))
          .catch((error: unknown) => {
            if (statusOf(error) === 416) return undefined;
            throw error;
          });
        const bytes = Buffer.from((await answer?.Body?.transformToByteArray()) ?? []);
        // A body that ends early is no error to every client.
        if (answer && bytes.length !== (answer.ContentLength ?? bytes.length))
          throw storeTrouble({ verb: 'read', at: root + key }, 'the response ended early');
        return bytes;
      });
    },
    head: (key) =>
      ask<StoredObject | undefined>(
        'read',
        key,
        async () => {
          const found = await client.send(new sdk.HeadObjectCommand(place(key)));
          return { key, bytes: found.ContentLength ?? 0, modifiedAtMs: found.LastModified?.getTime() ?? 0 };
        },
        () => undefined,
      ),
    list,
    async remove(key) {
      await ask('remove', key, () => client.send(new sdk.DeleteObjectCommand(place(key))), ignore);
    },
    async beginUpload(key) {
      const { UploadId } = await ask('write', key, () =>
        client.send(new sdk.CreateMultipartUploadCommand(place(key))),
      );
      if (UploadId === undefined)
        throw storeTrouble({ verb: 'write', at: root + key }, 'no upload was begun');
      return { key, id: UploadId };
    },
    async putPart({ key, id }, { number, bytes }) {
      const input = { ...place(key), UploadId: id, PartNumber: number, Body: bytes, ContentMD5: md5(bytes) };
      const { ETag } = await ask('write', key, () => client.send(new sdk.UploadPartCommand(input)));
      return { number, tag: ETag ?? '' };
    },
    async completeUpload({ key, id }, parts) {
      const Parts = parts.map(({ number, tag }) => ({ PartNumber: number, ETag: tag }));
      const input = { ...place(key), UploadId: id, MultipartUpload: { Parts } };
      await ask('write', key, () => client.send(new sdk.CompleteMultipartUploadCommand(input)));
    },
    async abortUpload({ key, id }) {
      const input = { ...place(key), UploadId: id };
      await ask('remove', key, () => client.send(new sdk.AbortMultipartUploadCommand(input)), ignore);
    },
    async *uploads(start) {
      const more: { KeyMarker?: string; UploadIdMarker?: string } = {};
      for (let isMore = true; isMore; ) {
        const input = { Bucket: bucket, Prefix: prefix + start, ...more };
        const page = await ask('list', start, () => client.send(new sdk.ListMultipartUploadsCommand(input)));
        for (const { Key = '', UploadId = '', Initiated } of page.Uploads ?? [])
          yield { key: Key.slice(prefix.length), id: UploadId, begunAtMs: Initiated?.getTime() ?? 0 };
        isMore = page.IsTruncated === true && page.NextKeyMarker !== undefined;
        if (page.NextKeyMarker !== undefined) more.KeyMarker = page.NextKeyMarker;
        if (page.NextUploadIdMarker !== undefined) more.UploadIdMarker = page.NextUploadIdMarker;
      }
    },
    close: () => client.destroy(),
  };
}

function clientOf(sdk: Sdk, { endpoint, region, pathStyle, allowPrivate, timeoutMs }: S3Settings): S3Client {
  return new sdk.S3Client({
    // A server that is not AWS's seldom cares; AWS finds it in the environment or the profile.
    ...(region !== undefined ? { region } : endpoint !== undefined ? { region: 'us-east-1' } : {}),
    ...(endpoint === undefined ? {} : { endpoint }),
    forcePathStyle: pathStyle ?? endpoint !== undefined,
    maxAttempts: attempts,
    // Other servers do not know the newer checksums. Ours is Content-MD5, which all of them verify.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: connectMs,
      requestTimeout: timeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: timeoutMs,
      ...(allowPrivate
        ? { httpAgent: { maxSockets }, httpsAgent: { maxSockets } }
        : publicAgents(maxSockets)),
    },
  });
}

async function loadSdk(): Promise<Sdk> {
  try {
    return await import('@aws-sdk/client-s3');
  } catch (error) {
    throw new WebfarerError('usage', 'Object storage (s3://) needs the package @aws-sdk/client-s3.', {
      next: 'Install it beside webfarer:  npm install @aws-sdk/client-s3',
      cause: error,
    });
  }
}

function md5(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('base64');
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}

function ignore(): undefined {
  return undefined;
}
