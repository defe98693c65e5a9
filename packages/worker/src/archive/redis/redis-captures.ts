import { createHash } from 'node:crypto';
import { WebfarerError } from '@webfarer/protocol';
import type { FileCheck, StoredCapture } from '../archive.ts';
import { keyPattern } from './capture-key.ts';
import type { CaptureStore } from './capture-store.ts';

/** What the redis saver has kept of a crawl. */
export interface RedisCaptures {
  /** By the key that a record names as its file. Throws WebfarerError `not-found` when it is gone or has expired. */
  body(key: string): Promise<Buffer>;
  captures(): AsyncIterable<StoredCapture>;
  /** Reads every body and recomputes its digest. */
  validate(): Promise<Pick<FileCheck, 'ok' | 'records' | 'digests'> & { problems: string[] }>;
}

export interface RedisCapturesOptions {
  store: CaptureStore;
  /** The crawl's name. */
  crawl: string;
  /** As the job has it. */
  template: string;
}

/** Of a page without its body. */
const headFields = ['url', 'status', 'mime', 'date', 'bytes', 'omitted'] as const;

export function redisCaptures({ store, crawl, template }: RedisCapturesOptions): RedisCaptures {
  const fields = async (key: string, names: readonly string[]): Promise<(string | undefined)[]> => {
    const [reply] = await store.run([{ key, args: ['HMGET', key, ...names] }]);
    return Array.isArray(reply) ? reply.map((each) => (typeof each === 'string' ? each : undefined)) : [];
  };

  /** SCAN may find a key twice. */
  async function* keys(): AsyncGenerator<string> {
    const seen = new Set<string>();
    for await (const some of store.keys(keyPattern(template, crawl))) {
      for (const key of some) {
        if (seen.has(key)) continue;
        seen.add(key);
        yield key;
      }
    }
  }

  return {
    async body(key) {
      const [body, omitted] = await fields(key, ['body', 'omitted']);
      if (body !== undefined && omitted === '') return Buffer.from(body, 'latin1');
      throw new WebfarerError('not-found', `Redis has no body under ${key}`, {
        next: 'It has expired, was evicted or deleted, or was larger than maxBody.',
      });
    },
    async *captures() {
      for await (const key of keys()) {
        const [url, status, mime, date, bytes, omitted] = await fields(key, headFields);
        if (url === undefined) continue;
        yield {
          file: key,
          url,
          status: Number(status),
          ...(mime ? { mime } : {}),
          ...(date ? { date } : {}),
          ...(omitted === '' ? { length: Number(bytes) } : {}),
        };
      }
    },
    async validate() {
      const check = { ok: true, records: 0, digests: 0, problems: [] as string[] };
      for await (const key of keys()) {
        const [body, sha256, omitted] = await fields(key, ['body', 'sha256', 'omitted']);
        if (body === undefined) continue;
        check.records += 1;
        if (omitted !== '') continue;
        if (sha256Of(Buffer.from(body, 'latin1')) === sha256) check.digests += 1;
        else check.problems.push(`${key}: the body is not the one that was saved`);
      }
      check.ok = check.problems.length === 0;
      return check;
    },
  };
}

export function sha256Of(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex');
}
