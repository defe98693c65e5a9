import type { Archive, ArchiveFile, StoredCapture } from './archive.ts';
import { firstBytes } from './bytes/byte-source.ts';
import { wholeMembersEnd } from './bytes/gzip-tail.ts';
import { fileGone } from './file-gone.ts';
import { segmentFile, segmentFiles } from './segment-files.ts';
import { catWarc, listWarc } from './warc/list-warc.ts';
import { validateWarc } from './warc/validate-warc.ts';

export const warcName = /\.warc(?:\.gz)?$/;
const answers = new Set(['response', 'revisit', 'resource']);

/** WARC files in `archive/`, or, in a folder that is no crawl, those that lie in it. */
export function warcArchive(folder: string): Archive {
  const find = (name: string) => segmentFile(folder, name, 'warc');
  const look = { kind: 'warc', pattern: warcName } as const;
  return {
    async files() {
      const own = await segmentFiles(folder, 'archive', look);
      return own.length > 0 ? own : await segmentFiles(folder, '', look);
    },
    find,
    async *read(at, part) {
      const file = (await find(at.file)) ?? fileGone(folder, at.file);
      yield* catWarc({ file: file.path, part, offset: at.offset ?? 0 });
    },
    captures: capturesIn,
    bytes: ({ open }, end) => firstBytes(open, end),
    wholeBytes: async ({ path, bytes, isOpen }) => (isOpen ? await wholeMembersEnd(path) : bytes),
    validate: ({ path }) => validateWarc(path),
  };
}

/** The captures that a WARC file describes. */
export async function* capturesIn({ name, open }: ArchiveFile): AsyncGenerator<StoredCapture> {
  for await (const { type, offset, length, url, status, mime, date } of listWarc(open)) {
    if (!answers.has(type)) continue;
    const capture: StoredCapture = { file: name, offset, length, date };
    if (url !== undefined) capture.url = url;
    if (status !== undefined) capture.status = status;
    if (mime !== undefined) capture.mime = mime;
    yield capture;
  }
}
