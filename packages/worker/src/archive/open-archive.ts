import type { Archive, ArchiveKind } from './archive.ts';
import { fileGone } from './file-gone.ts';
import { filesArchive } from './files-archive.ts';
import { tarArchive, tarName } from './tar-archive.ts';
import { warcArchive, warcName } from './warc-archive.ts';

/** All that our savers have kept in a crawl folder. What a user's own saver keeps is not part of it. */
export function openArchive(folder: string): Archive {
  const kinds: Record<ArchiveKind, Archive> = {
    warc: warcArchive(folder),
    tar: tarArchive(folder),
    files: filesArchive(folder),
  };
  return {
    files: async () => (await Promise.all(Object.values(kinds).map((each) => each.files()))).flat(),
    find: async (name) => await kinds[kindOf(name) ?? 'files'].find(name),
    read: (at, part) => kinds[kindOf(at.file) ?? fileGone(folder, at.file)].read(at, part),
    captures: (file) => kinds[file.kind].captures(file),
    wholeBytes: (file) => kinds[file.kind].wholeBytes(file),
    validate: (file) => kinds[file.kind].validate(file),
  };
}

/** By its name, which says which saver wrote it. */
function kindOf(name: string): ArchiveKind | undefined {
  if (name.startsWith('files/')) return 'files';
  if (warcName.test(name)) return 'warc';
  return tarName.test(name) ? 'tar' : undefined;
}
