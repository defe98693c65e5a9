import { rm } from 'node:fs/promises';
import { type Clock, isStorageTrouble } from '@webfarer/protocol';
import { openBytes } from '../../archive/bytes/byte-source.ts';
import { chunkKey } from '../../archive/objects/layout.ts';
import { storedFile } from '../../archive/objects/stored-files.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import type { FileUploads, LocalFile } from '../file-uploads.ts';
import { finishFile } from './finish-file.ts';
import { readWhole } from './upload-object.ts';

export interface ObjectUploadsOptions {
  store: ObjectStore;
  clock: Clock;
  /** A folder of this machine for temporary files. */
  scratch: string;
  /** From one chunk to the next at least, unless there is much to send: each costs a request. */
  gatherMs?: number;
}

const usualGatherMs = 1_000;
/** Sent without waiting for more. Small chunks that come to as much are merged. */
const chunkBytes = 8 * 1024 * 1024;
const retryMs = 2_000;
/** How often a complete file is tried after the crawl was asked to stop. */
const lastTries = 3;

interface Sent {
  /** Bytes that the store has of it. */
  bytes: number;
  /** Where the small chunks begin that are not merged yet, and their keys. */
  smallFrom: number;
  small: string[];
}

/**
 * Files of segments as objects. While a file grows, its new bytes go up as chunks: whoever waits for them shares the next
 * one. When it is complete it becomes one object, beside the crawl, and leaves this disk.
 */
export function objectUploads(options: ObjectUploadsOptions): FileUploads {
  const { store, clock, gatherMs = usualGatherMs } = options;
  const sent = new Map<string, Sent>();
  /** How far each file has grown, by those who wait for it. */
  const grown = new Map<string, number>();
  let turn: Promise<unknown> = Promise.resolve();
  let finishing: Promise<void> = Promise.resolve();
  let sentAtMs = Number.NEGATIVE_INFINITY;
  const hurry = new AbortController();

  const sentOf = (name: string): Sent => {
    const known = sent.get(name) ?? { bytes: 0, smallFrom: 0, small: [] };
    sent.set(name, known);
    return known;
  };

  async function gather({ name }: LocalFile, from: number): Promise<void> {
    const leftMs = sentAtMs + gatherMs - clock.now();
    if (leftMs <= 0 || (grown.get(name) ?? 0) - from >= chunkBytes) return;
    await clock.sleep(Math.ceil(leftMs), hurry.signal).catch(() => undefined);
  }

  async function send(file: LocalFile): Promise<void> {
    const has = sentOf(file.name);
    if (has.bytes >= file.bytes) return;
    await gather(file, has.bytes);
    sentAtMs = clock.now();
    const source = await openBytes(file.path);
    try {
      const end = grown.get(file.name) ?? file.bytes;
      while (has.bytes < end) {
        const to = Math.min(has.bytes + chunkBytes, end);
        const key = chunkKey(file.name, has.bytes, to);
        await store.put(key, await readWhole(source, has.bytes, to - has.bytes));
        has.bytes = to;
        has.small.push(key);
        if (to - has.smallFrom >= chunkBytes)
          await merge(file.name, has, (from) => readWhole(source, from, to - from));
      }
    } finally {
      await source.close();
    }
  }

  /** One chunk in place of many small ones, which it covers. Only saves requests: when it fails, they stay. */
  async function merge(name: string, has: Sent, read: (from: number) => Promise<Buffer>): Promise<void> {
    const { small, smallFrom } = has;
    [has.small, has.smallFrom] = [[], has.bytes];
    if (small.length < 2) return;
    try {
      await store.put(chunkKey(name, smallFrom, has.bytes), await read(smallFrom));
      for (const key of small) await store.remove(key);
    } catch (error) {
      if (!isStorageTrouble(error)) throw error;
    }
  }

  /** Until it is done. After `hurry` it gives up some time: the chunks have everything, and upkeep joins them. */
  async function finish(file: LocalFile): Promise<void> {
    for (let late = 0; late < lastTries; late += hurry.signal.aborted ? 1 : 0) {
      try {
        const { name, path } = file;
        await finishFile({
          store,
          name,
          object: name,
          open: () => openBytes(path),
          scratch: options.scratch,
          unfinished: false,
        });
        return await rm(path, { force: true });
      } catch (error) {
        if (!isStorageTrouble(error)) throw error;
        // Whoever stops waits for a store that is being restarted, not for one that is gone.
        const wake = hurry.signal.aborted ? undefined : hurry.signal;
        await clock.sleep(retryMs, wake).catch(() => undefined);
      }
    }
  }

  return {
    async resume({ name }) {
      const found = await storedFile(store, name);
      const bytes = found?.bytes ?? 0;
      sent.set(name, { bytes, smallFrom: bytes, small: [] });
      return { bytes, isErased: (found?.erasures ?? 0) > 0 };
    },
    async extend(file) {
      grown.set(file.name, Math.max(file.bytes, grown.get(file.name) ?? 0));
      const mine = turn.then(() => send(file));
      turn = mine.catch(() => undefined);
      await mine;
    },
    complete(file) {
      finishing = finishing.then(() => finish(file));
      // Whoever stops is told.
      finishing.catch(() => undefined);
    },
    async settle() {
      hurry.abort(new Error('stopping'));
      await finishing;
    },
    close: () => store.close(),
  };
}
