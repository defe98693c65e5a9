import type { SavedAt } from '@webfarer/protocol';
import { captureKey } from '../../archive/redis/capture-key.ts';
import type { CaptureStore, KeyCommand, OpenCaptureStore } from '../../archive/redis/capture-store.ts';
import { sha256Of } from '../../archive/redis/redis-captures.ts';
import type { Capture, Saver } from '../saver.ts';

export interface RedisSaverOptions {
  open: OpenCaptureStore;
  /** The crawl's name. */
  crawl: string;
  /** Template of keys: `webfarer:{crawl}:page:{hash}`. */
  key: string;
  /** Larger bodies are left out; the rest of the capture is kept. */
  maxBodyBytes: number;
  /** Undefined: for ever. */
  ttlSeconds: number | undefined;
}

/** Kept in memory between two syncs at most, one capture more or less. */
const maxPendingBytes = 4 * 1024 * 1024;

/**
 * A hash for each URL, in a Redis or Valkey server or cluster. Each key stands by itself, so a cluster spreads them over its
 * shards. A later capture of a URL replaces the earlier one, field by field.
 */
export function redisSaver(options: RedisSaverOptions): Saver {
  const { crawl, key: template, maxBodyBytes, ttlSeconds } = options;
  let store: CaptureStore | undefined;
  const pending: { commands: KeyCommand[]; bytes: number }[] = [];
  let writing: Promise<void> = Promise.resolve();
  const written = { files: 0, bytes: 0 };

  /** One write at a time. What could not be written stays, and the next write begins with it. */
  function flush(): Promise<void> {
    const mine = writing.then(async () => {
      const batch = [...pending];
      if (batch.length === 0 || !store) return;
      await store.run(batch.flatMap(({ commands }) => commands));
      pending.splice(0, batch.length);
      written.files += batch.length;
      written.bytes += sumOf(batch);
    });
    writing = mine.catch(() => undefined);
    return mine;
  }

  return {
    name: 'redis',
    async start() {
      store ??= await options.open();
    },
    async save(capture): Promise<SavedAt | undefined> {
      const { entry, page, decoded } = capture;
      if (entry.kind === 'check' || page.unread) return undefined;
      const key = captureKey(template, { crawl, entry });
      const expiry = ttlSeconds === undefined ? ['PERSIST', key] : ['EXPIRE', key, ttlSeconds];
      // It is as it was, and what is there stays as long again: written over it, an answer without a body would delete it.
      if (page.status === 304) {
        pending.push({ commands: [{ key, args: expiry }], bytes: key.length });
        return undefined;
      }
      const isKept = decoded.length <= maxBodyBytes;
      const fields = fieldsOf(capture, isKept);
      const commands = [
        { key, args: ['HSET', key, ...fields] },
        { key, args: expiry },
      ];
      pending.push({ commands, bytes: fields.reduce((sum, text) => sum + text.length, 0) });
      if (sumOf(pending) >= maxPendingBytes) await flush();
      return isKept ? { saver: 'redis', file: key, length: decoded.length } : undefined;
    },
    sync: flush,
    async stop() {
      try {
        await flush();
      } finally {
        await store?.close();
        store = undefined;
      }
    },
    written: () => ({ ...written }),
  };
}

const sumOf = (batch: readonly { bytes: number }[]): number =>
  batch.reduce((sum, { bytes }) => sum + bytes, 0);

/** Always the same ones, so that nothing of an earlier capture is left. */
function fieldsOf({ entry, page, mime, decoded, digest }: Capture, isKept: boolean): string[] {
  const head = {
    url: entry.url,
    status: String(page.status),
    mime,
    date: new Date(page.startedAtMs).toISOString(),
    digest,
    headers: JSON.stringify(page.headers),
    truncated: page.truncated ?? '',
    bytes: String(decoded.length),
    sha256: sha256Of(decoded),
    omitted: isKept ? '' : 'size',
  };
  const text = Object.entries(head).flatMap(([name, value]) => [name, asBytes(value)]);
  return [...text, 'body', isKept ? decoded.toString('latin1') : ''];
}

const asBytes = (text: string): string => Buffer.from(text).toString('latin1');
