import type { Archive, CapturePlace } from '../archive/archive.ts';
import type { MirrorFiles } from './mirror-files.ts';
import type { MirrorIndex, MirroredCapture } from './mirror-index.ts';

/** What is made in memory before it is written. */
const maxBatchBytes = 16 * 1024 * 1024;
const maxBatchFiles = 128;

export interface CopiesOptions {
  index: MirrorIndex;
  files: MirrorFiles;
  /** Of each crawl that captures are in. */
  archives: readonly Archive[];
  /** How bodies are changed on the way; undefined: they are copied as they are. */
  rewrite: Rewriting | undefined;
  /** Further files, with what they were made of. */
  more: () => { path: string; source: string; body: Buffer }[];
}

export interface Rewriting {
  /** What a file depends on beside its capture; undefined where nothing is changed in it. */
  dependsOn(capture: MirroredCapture): string | undefined;
  apply(capture: MirroredCapture, body: Buffer): Buffer;
}

export interface Copied {
  /** There now. */
  files: number;
  /** Of these, written this time; the others were there. */
  written: number;
}

/** Writes every copy of an index that is not there yet; each is recorded once it is on disk. */
export async function writeCopies({ index, files, archives, rewrite, more }: CopiesOptions): Promise<Copied> {
  const copied: Copied = { files: 0, written: 0 };
  let batch: { path: string; source: string; body: Buffer }[] = [];
  let bytes = 0;

  const flush = async (): Promise<void> => {
    await files.write(batch);
    index.wrote(batch.map(({ path, source, body }) => ({ path, source, bytes: body.length })));
    copied.written += batch.length;
    batch = [];
    bytes = 0;
  };
  const isThere = async (path: string, source: string): Promise<boolean> => {
    const before = index.written(path);
    return before?.source === source && (await files.size(path)) === before.bytes;
  };
  const put = async (path: string, source: string, make: () => Promise<Buffer>): Promise<void> => {
    copied.files += 1;
    if (await isThere(path, source)) return;
    const body = await make();
    batch.push({ path, source, body });
    bytes += body.length;
    if (bytes >= maxBatchBytes || batch.length >= maxBatchFiles) await flush();
  };

  for (const capture of index.captures()) {
    const change = rewrite?.dependsOn(capture);
    const source = sourceOf(capture);
    await put(capture.path, change === undefined ? source : `${source} ${change}`, async () => {
      const body = await readBody(archives[capture.crawl] as Archive, capture.place);
      return change === undefined || !rewrite ? body : rewrite.apply(capture, body);
    });
  }
  for (const { path, source, body } of more()) await put(path, source, async () => body);
  await flush();
  return copied;
}

/** The same for the same bytes, also in the next crawl. */
function sourceOf({ digest, place, mime, charset = '' }: MirroredCapture): string {
  return `${digest ?? JSON.stringify(place)} ${mime} ${charset}`;
}

async function readBody(archive: Archive, place: CapturePlace): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of archive.read(place, 'body')) pieces.push(piece);
  const [only] = pieces;
  return only !== undefined && pieces.length === 1 ? only : Buffer.concat(pieces);
}
