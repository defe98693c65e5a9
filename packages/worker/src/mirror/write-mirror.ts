import { createHash } from 'node:crypto';
import type { Job, PageRecord } from '@webfarer/protocol';
import { normaliser } from '@webfarer/protocol/url';
import type { Archive, CapturePlace } from '../archive/archive.ts';
import { openArchive } from '../archive/open-archive.ts';
import { storageError } from '../disk/storage-error.ts';
import { redirectedFrom } from './addresses.ts';
import { frontPageOf } from './front-page.ts';
import { type MirrorFiles, openMirrorFiles } from './mirror-files.ts';
import {
  frontPage,
  type MirrorIndex,
  type MirroredCapture,
  openMirrorIndex,
  type Sqlite,
} from './mirror-index.ts';
import { mirrorPlace, refuseForeignFolder } from './mirror-place.ts';
import { rewriteBody, rewritingVersion, rewrittenAs } from './rewrite.ts';

export interface WriteMirrorOptions {
  /** The crawl folder. */
  folder: string;
  /** Where the mirror goes, absolute; absent: `mirror/` in the crawl folder. */
  to?: string | undefined;
  job: Pick<Job, 'name' | 'normalise'>;
  records: () => AsyncIterable<PageRecord>;
  sqlite: Sqlite;
}

export interface MirrorResult {
  /** The folder, absolute where the crawl folder is. */
  to: string;
  /** In the folder now. */
  files: number;
  /** Of these, written this time; the others were there. */
  written: number;
}

/** What is made in memory before it is written. */
const maxBatchBytes = 16 * 1024 * 1024;
const maxBatchFiles = 128;
const maxEntrances = 1_000;

interface MadeFile {
  path: string;
  source: string;
  body: Buffer;
}

/**
 * Writes a folder that opens in a browser without a network: every page and requisite of the crawl under a name that
 * any system takes, references between them relative. It is made of committed records and their captures alone, so it
 * can be made again at any time. Killed on the way, the next call writes what is missing; the folder ends up the same.
 */
export async function writeMirror(options: WriteMirrorOptions): Promise<MirrorResult> {
  const { folder, job, records } = options;
  const place = mirrorPlace(folder, options.to);
  const { to } = place;
  await refuseForeignFolder(place);
  try {
    const index = openMirrorIndex(place.state, options.sqlite);
    try {
      await index.fill(records());
      if (index.isEmpty()) return { to, files: 0, written: 0 };
      const files = await openMirrorFiles(to);
      for (const path of index.leftovers()) {
        await files.remove(path);
        index.forget(path);
      }
      const result = await writeAll({ index, files, job, archive: openArchive(folder) });
      await files.close();
      return { to, ...result };
    } finally {
      index.close();
    }
  } catch (error) {
    throw storageError(error, `cannot write the mirror ${to}`);
  }
}

interface Writing {
  index: MirrorIndex;
  files: MirrorFiles;
  archive: Archive;
  job: WriteMirrorOptions['job'];
}

async function writeAll(writing: Writing): Promise<Omit<MirrorResult, 'to'>> {
  const { index, files, job, archive } = writing;
  const normalise = normaliser(job.normalise);
  const result = { files: 0, written: 0 };
  let batch: MadeFile[] = [];
  let bytes = 0;

  const flush = async (): Promise<void> => {
    await files.write(batch);
    index.wrote(batch.map(({ path, source, body }) => ({ path, source, bytes: body.length })));
    result.written += batch.length;
    batch = [];
    bytes = 0;
  };
  const isThere = async (path: string, source: string): Promise<boolean> => {
    const before = index.written(path);
    return before?.source === source && (await files.size(path)) === before.bytes;
  };
  const put = async (made: MadeFile): Promise<void> => {
    batch.push(made);
    bytes += made.body.length;
    if (bytes >= maxBatchBytes || batch.length >= maxBatchFiles) await flush();
  };

  for (const capture of index.captures()) {
    const { path } = capture;
    const source = sourceOf(capture, index.generation);
    result.files += 1;
    if (await isThere(path, source)) continue;
    const redirected = redirectedFrom({ path, normalise, find: index.find });
    const body = rewriteBody(capture, await readBody(archive, capture.place), redirected);
    await put({ path, source, body });
  }
  const front = Buffer.from(frontPageOf(index.entrances(maxEntrances), job.name));
  const source = createHash('sha256').update(front).digest('hex');
  if (!(await isThere(frontPage, source))) await put({ path: frontPage, source, body: front });
  await flush();
  return { ...result, files: result.files + 1 };
}

/** What a file is made of: the capture, and for what is rewritten where all other files are. */
function sourceOf(capture: MirroredCapture, generation: string): string {
  const place = JSON.stringify(capture.place);
  return rewrittenAs(capture) ? `${place} ${rewritingVersion} ${generation}` : place;
}

async function readBody(archive: Archive, place: CapturePlace): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of archive.read(place, 'body')) pieces.push(piece);
  const [only] = pieces;
  return only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces);
}
