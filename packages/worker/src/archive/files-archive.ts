import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import type { Archive, ArchiveFile } from './archive.ts';
import { firstBytes } from './bytes/byte-source.ts';
import { fileGone } from './file-gone.ts';
import { segmentFile } from './segment-files.ts';

const dir = 'files';
/** The register of names and files that are not whole yet. */
const own = /^\.(?:names|partial)(?:\/|$)/;

/** Bodies as plain files in `files/`. A file is there whole or not at all. */
export function filesArchive(folder: string): Archive {
  const root = join(folder, dir);
  const find = async (name: string): Promise<ArchiveFile | undefined> => {
    const found = await segmentFile(folder, name, 'files');
    return found?.isOpen ? undefined : found;
  };
  return {
    async files() {
      const entries = await readdir(root, { withFileTypes: true, recursive: true }).catch(() => []);
      const names = entries
        .filter((entry) => entry.isFile())
        .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
        .filter((name) => !own.test(name))
        .sort();
      const found = await Promise.all(names.map((name) => find(`${dir}/${name}`)));
      return found.filter((file) => file !== undefined);
    },
    find,
    async *read(at) {
      const file = (await find(at.file)) ?? fileGone(folder, at.file);
      yield* createReadStream(file.path) as AsyncIterable<Buffer>;
    },
    async *captures({ name, bytes }) {
      yield { file: name, length: bytes };
    },
    bytes: ({ open }, end) => firstBytes(open, end),
    wholeBytes: async ({ bytes }) => bytes,
    validate: async ({ bytes }) => ({ ok: true, records: 1, digests: 0, problems: [], soundUntil: bytes }),
  };
}
