import { mkdir, open, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { DatedClock, SavedAt } from '@webfarer/protocol';
import { type CaptureClaim, firstMember, readClaim } from './capture-claim.ts';
import { wholeMembersEnd } from '../../archive/bytes/gzip-tail.ts';
import { segmentNames, Segments } from '../segments.ts';
import { storageError } from '../../disk/storage-error.ts';
import { warcHead, type WarcHeadOptions } from './warcinfo.ts';

export interface WarcIntakeOptions extends WarcHeadOptions {
  /** The crawl folder. */
  folder: string;
  clock: DatedClock;
  rotateBytes: number;
  /** Of the block of one record. */
  mostBytes: number;
}

/** A capture that comes in pieces. */
export interface ArrivingCapture {
  add(piece: Buffer): Promise<void>;
  /**
   * All of it is here: it gets its place among the others. Undefined: these are not records of a capture.
   * `strict`: also every record is read and its digests are worked out anew; the answer says what they are of.
   */
  end(options: { strict: boolean }): Promise<{ at: SavedAt; claim?: CaptureClaim } | undefined>;
  drop(): Promise<void>;
}

/** Captures that others have made, finished records as they are, into the archive of this folder. */
export interface WarcIntake {
  arriving(): ArrivingCapture;
  /** What has its place before the call is on disk when it resolves. */
  sync(): Promise<void>;
  stop(): Promise<void>;
  written(): { files: number; bytes: number };
}

/** More than this is put together on disk. */
const mostInMemory = 1_048_576;

export async function openWarcIntake(options: WarcIntakeOptions): Promise<WarcIntake> {
  const { folder, name, clock, rotateBytes } = options;
  const segments = new Segments({
    folder,
    dir: 'archive',
    ...segmentNames(name, undefined),
    ext: '.warc.gz',
    rotateBytes,
    clock,
    head: warcHead(options, clock),
    wholeEnd: wholeMembersEnd,
  });
  const incoming = join(folder, 'incoming');
  // What had not arrived whole when this process's predecessor died is sent again.
  await rm(incoming, { recursive: true, force: true });
  await mkdir(incoming, { recursive: true });
  await segments.start();
  let serial = 0;
  /** Large ones take turns, so that memory holds one of them. */
  let turn: Promise<unknown> = Promise.resolve();

  async function append(bytes: Buffer): Promise<SavedAt | undefined> {
    const length = firstMember(bytes);
    if (length === undefined) return undefined;
    const { file, offset } = await segments.append([bytes]);
    return { saver: 'warc', file, offset, length };
  }

  function arriving(): ArrivingCapture {
    const path = join(incoming, String(serial++));
    let pieces: Buffer[] = [];
    let bytes = 0;
    let onDisk = false;

    async function spill(): Promise<void> {
      try {
        const file = await open(path, 'a');
        await file.appendFile(Buffer.concat(pieces));
        await file.close();
      } catch (error) {
        throw storageError(error, `cannot write ${path}`);
      }
      onDisk = true;
      pieces = [];
      bytes = 0;
    }

    async function place(strict: boolean): ReturnType<ArrivingCapture['end']> {
      if (strict || onDisk) await spill();
      const claim = strict ? await readClaim(path, options.mostBytes) : undefined;
      if (strict && !claim) return undefined;
      const at = await append(onDisk ? await readFile(path) : Buffer.concat(pieces));
      if (at && claim && claim.renditions.length > 0) at.renditions = claim.renditions;
      return at && { at, ...(claim ? { claim } : {}) };
    }

    const drop = async () => {
      pieces = [];
      if (onDisk) await rm(path, { force: true });
    };

    return {
      async add(piece) {
        pieces.push(piece);
        bytes += piece.length;
        if (bytes > mostInMemory) await spill();
      },
      async end({ strict }) {
        try {
          if (!onDisk && !strict) return await place(false);
          const mine = turn.then(() => place(strict));
          turn = mine.catch(() => undefined);
          return await mine;
        } finally {
          await drop();
        }
      },
      drop,
    };
  }

  return {
    arriving,
    sync: () => segments.sync(),
    async stop() {
      await segments.stop();
      await rm(incoming, { recursive: true, force: true });
    },
    written: () => segments.written(),
  };
}
