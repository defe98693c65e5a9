import { join } from 'node:path';
import type { Clock, SavedAt } from '@webfarer/protocol';
import { makeFolder } from '@webfarer/protocol/node';
import { namer } from '../names/file-name.ts';
import { gzipMember, gzipMemberSync } from '../gzip-member.ts';
import { wholeMembersEnd } from '../../archive/bytes/gzip-tail.ts';
import type { Names } from '../names/name-registry.ts';
import { openNames } from '../names/open-names.ts';
import { pageBody } from '../page-body.ts';
import type { Capture, Saver } from '../saver.ts';
import { segmentNames, Segments } from '../segments.ts';
import { storageError } from '../../disk/storage-error.ts';
import { tarEnd, tarEntry } from './tar-entry.ts';
import { wholeEntriesEnd } from '../../archive/tar/tar-tail.ts';

export interface TarSaverOptions {
  folder: string;
  /** The crawl's name: how the archives are called. */
  name: string;
  /** Template for the names inside: `{host}/{path}`. */
  template: string;
  gzip: boolean;
  clock: Clock;
  rotateBytes?: number;
  /** Which of several processes this is, counted from 1. */
  process?: number;
}

/**
 * Bodies, decoded, in tar archives under `archive/`. With `gzip` each entry is a gzip member of its own:
 * every tool reads that as one .tar.gz, and a torn tail can be cut off without losing what is before it.
 */
export function tarSaver(options: TarSaverOptions): Saver {
  const { folder, gzip, clock } = options;
  const ext = gzip ? '.tar.gz' : '.tar';
  const nameOf = namer(options.template);
  let names: Names | undefined;
  const segments = new Segments({
    folder,
    dir: 'archive',
    ...segmentNames(options.name, options.process),
    ext,
    rotateBytes: options.rotateBytes ?? 4_000_000_000,
    clock,
    tail: gzip ? gzipMemberSync(tarEnd) : [tarEnd],
    wholeEnd: gzip ? wholeMembersEnd : wholeEntriesEnd,
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
      const bytes = gzip ? await packed(parts) : parts;
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

function packed(parts: Buffer[]): Promise<Buffer[]> {
  const empty = Buffer.alloc(0);
  return gzipMember({ head: Buffer.concat(parts), body: empty, end: empty, packed: false });
}
