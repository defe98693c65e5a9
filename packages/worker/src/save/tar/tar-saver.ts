import { join } from 'node:path';
import type { DatedClock, SavedAt } from '@webfarer/protocol';
import type { TarCompression } from '@webfarer/protocol/job';
import { packings } from '../../archive/tar/packings.ts';
import { makeFolder } from '@webfarer/protocol/node';
import { namer } from '../names/file-name.ts';
import type { Names } from '../names/name-registry.ts';
import { openNames } from '../names/open-names.ts';
import { pageBody } from '../page-body.ts';
import type { Capture, Saver } from '../saver.ts';
import { segmentNames, Segments } from '../segments.ts';
import { storageError } from '../../disk/storage-error.ts';
import { packEntry, packedEnd } from './pack-entry.ts';
import { tarEntry } from './tar-entry.ts';

export interface TarSaverOptions {
  folder: string;
  /** The crawl's name: how the archives are called. */
  name: string;
  /** Template for the names inside: `{host}/{path}`. */
  template: string;
  compress: TarCompression;
  clock: DatedClock;
  rotateBytes?: number;
  /** Which of several processes this is, counted from 1. */
  process?: number;
}

/**
 * Bodies, decoded, in tar archives under `archive/`. Each entry is compressed by itself: every tool reads the row of
 * them as one archive, and a torn tail can be cut off without losing what is before it.
 */
export function tarSaver(options: TarSaverOptions): Saver {
  const { folder, compress, clock } = options;
  const { ext, wholeEnd } = packings[compress];
  const nameOf = namer(options.template);
  let names: Names | undefined;
  const segments = new Segments({
    folder,
    dir: 'archive',
    ...segmentNames(options.name, options.process),
    ext,
    rotateBytes: options.rotateBytes ?? 4_000_000_000,
    clock,
    tail: packedEnd(compress),
    wholeEnd,
  });
  return {
    name: 'tar',
    async start() {
      await segments.start();
      try {
        await makeFolder(join(folder, 'archive'));
        names ??= await openNames(join(folder, 'archive', `.names${ext}`), options.process);
      } catch (error) {
        throw storageError(error, 'cannot open the archive');
      }
    },
    async save(capture: Capture): Promise<SavedAt | undefined> {
      const body = pageBody(capture);
      if (!body || !names) return undefined;
      const name = names.claim(nameOf(capture), capture.entry.url);
      const parts = tarEntry({
        name,
        body,
        modifiedMs: capture.page.startedAtMs,
        comment: capture.entry.url,
      });
      const bytes = await packEntry(parts, compress);
      const { file, offset } = await segments.append(bytes);
      return { saver: 'tar', file, offset, length: bytes.reduce((sum, part) => sum + part.length, 0) };
    },
    async sync() {
      await names?.sync();
      await segments.sync();
    },
    async stop() {
      try {
        await names?.sync();
        await segments.stop();
      } finally {
        await names?.close();
        names = undefined;
      }
    },
    written: () => segments.written(),
  };
}
