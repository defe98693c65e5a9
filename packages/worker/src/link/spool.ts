import { createHash } from 'node:crypto';
import { type FileHandle, open, readdir, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type CrawlId, type SavedAt, WebfarerError } from '@webfarer/protocol';
import { allSaved } from '@webfarer/protocol/crawl';
import { frameBounds, type SentBody, type SentReport } from '@webfarer/protocol/link';
import { moveFile } from '@webfarer/protocol/node';
import { openSuffix } from '../save/segments.ts';
import type { Conversation } from './conversation.ts';

/**
 * Captures that wait on this disk until a coordinator has them, and the report that they belong to. They are durable
 * before the report is made, so they survive whatever it survives.
 */
export interface Spool {
  /** The folder that their places are relative to. */
  readonly folder: string;
  add(at: SavedAt): void;
  /** Before anything is saved: removes what another process left, but for what its outbox names. */
  begin(kept: readonly SentReport[]): Promise<void>;
  /** Resolves when that coordinator has all that these reports name, as far as it was told over this connection. */
  bring(reports: readonly SentReport[], to: Conversation): Promise<void>;
  /** A coordinator has stored these reports, or will never: what they name is no longer needed. */
  settled(reports: readonly SentReport[]): Promise<void>;
  /** The file that a crawl wrote to last is complete: it goes as soon as nobody waits for it. `dir`: the crawl's own. */
  completed(dir: string): Promise<void>;
  /** Once all files are complete: removes those that nobody waits for. */
  close(): Promise<void>;
}

const dirName = 'spool';

interface Waiting extends SavedAt {
  crawl: CrawlId;
  place: string;
}

export function createSpool(folder: string): Spool {
  /** By file, what is in it that is still needed. */
  const needed = new Map<string, Set<string>>();
  /** The one that each crawl writes to now, by its folder. */
  const newest = new Map<string, string>();
  const brought = new WeakMap<Conversation, Set<string>>();

  function add(at: SavedAt): void {
    const places = needed.get(at.file) ?? new Set();
    needed.set(at.file, places.add(placeOf(at)));
    newest.set(dirname(at.file), at.file);
  }

  async function remove(file: string): Promise<void> {
    needed.delete(file);
    for (const name of [file, file + openSuffix]) await rm(join(folder, name), { force: true });
  }

  async function bring(reports: readonly SentReport[], to: Conversation): Promise<void> {
    const there = brought.get(to) ?? new Set();
    brought.set(to, there);
    const lacking = waitingIn(reports).filter(({ place }) => !there.has(place));
    for await (const frame of framesOf(folder, lacking)) {
      await to.call({ type: 'bodies', ...frame });
      for (const { place, at, length, bytes } of frame.bodies) if (at + length === bytes) there.add(place);
    }
  }

  return {
    folder,
    add,
    bring,
    async begin(kept) {
      for (const at of waitingIn(kept)) add(at);
      newest.clear();
      const names = await readdir(join(folder, dirName), { recursive: true }).catch(() => []);
      for (const name of names) {
        const file = `${dirName}/${name.split('\\').join('/')}`;
        if (!file.endsWith('.warc.gz') && !file.endsWith(openSuffix)) continue;
        const whole = file.endsWith(openSuffix) ? file.slice(0, -openSuffix.length) : file;
        if (!needed.has(whole)) await rm(join(folder, file), { force: true });
        // Nothing more is written to it: it is removed as soon as what is in it has been sent.
        else if (file !== whole) await moveFile(join(folder, file), join(folder, whole));
      }
    },
    async settled(reports) {
      for (const { file, place } of waitingIn(reports)) {
        const places = needed.get(file);
        places?.delete(place);
        if (places?.size === 0 && newest.get(dirname(file)) !== file) await remove(file);
      }
    },
    async completed(dir) {
      const file = newest.get(dir);
      newest.delete(dir);
      if (file !== undefined && needed.get(file)?.size === 0) await remove(file);
    },
    async close() {
      for (const [file, places] of needed) if (places.size === 0) await remove(file);
      if (needed.size === 0) await rm(join(folder, dirName), { recursive: true, force: true });
    },
  };
}

function placeOf({ file, offset }: SavedAt): string {
  return `${file}@${offset}`;
}

/** The captures that reports name and that are still to be sent. */
function waitingIn(reports: readonly SentReport[]): Waiting[] {
  const waiting: Waiting[] = [];
  for (const { crawl, settled } of reports)
    for (const one of settled) {
      if (one.kind !== 'outcome') continue;
      for (const at of allSaved(one.record))
        if (at.spooled !== undefined) waiting.push({ ...at, crawl, place: placeOf(at) });
    }
  return waiting;
}

interface BodiesFrame {
  bodies: SentBody[];
  data: string;
}

/** As many as fit a frame; one that is larger than a frame in pieces, one after the other. */
async function* framesOf(folder: string, waiting: readonly Waiting[]): AsyncGenerator<BodiesFrame> {
  let bodies: SentBody[] = [];
  let pieces: Buffer[] = [];
  let room: number = frameBounds.bodyBytes;
  const flush = (): BodiesFrame => {
    const frame = { bodies, data: Buffer.concat(pieces).toString('base64') };
    [bodies, pieces, room] = [[], [], frameBounds.bodyBytes];
    return frame;
  };
  for (const { crawl, place, file, offset = 0, spooled: bytes = 0 } of waiting) {
    const capture = await openCapture(folder, { file, offset, bytes });
    try {
      if (bytes > room && bodies.length > 0) yield flush();
      for (let at = 0; at < bytes; ) {
        const piece = await capture.read(at, Math.min(room, bytes - at));
        bodies.push({ crawl, place, bytes, digest: capture.digest, at, length: piece.length });
        pieces.push(piece);
        at += piece.length;
        room -= piece.length;
        if (room === 0 || bodies.length === frameBounds.bodies) yield flush();
      }
    } finally {
      await capture.close();
    }
  }
  if (bodies.length > 0) yield flush();
}

interface OpenCapture {
  digest: string;
  read(at: number, length: number): Promise<Buffer>;
  close(): Promise<void>;
}

async function openCapture(
  folder: string,
  { file, offset, bytes }: { file: string; offset: number; bytes: number },
): Promise<OpenCapture> {
  const handle = await openFile(join(folder, file));
  const read = async (at: number, length: number) => {
    const piece = Buffer.alloc(length);
    const { bytesRead } = await handle.read(piece, 0, length, offset + at);
    if (bytesRead < length) throw missing(file, 'it is shorter than it was');
    return piece;
  };
  try {
    const hash = createHash('sha256');
    for (let at = 0; at < bytes; at += frameBounds.bodyBytes)
      hash.update(await read(at, Math.min(frameBounds.bodyBytes, bytes - at)));
    return { digest: hash.digest('hex'), read, close: () => handle.close() };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** A file that is not complete yet has another name, and may get its own between two looks. */
async function openFile(path: string): Promise<FileHandle> {
  for (const name of [path, path + openSuffix, path]) {
    const handle = await open(name, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw missing(path, error.message);
    });
    if (handle) return handle;
  }
  throw missing(path, 'it is not there');
}

/** Somebody has removed it: the report cannot be kept, and its URLs are fetched again. */
function missing(file: string, why: string): WebfarerError {
  return new WebfarerError(
    'not-found',
    `a capture that waits to be sent cannot be read from ${file}: ${why}`,
    {
      next: 'Restart the worker, and do not change its folder while it runs. The page is fetched again.',
    },
  );
}
