import type { ObjectPlace } from '../objects/object-place.ts';
import type { Archive, ArchiveKind } from './archive.ts';
import { fileGone } from './file-gone.ts';
import { filesArchive } from './files-archive.ts';
import { objectArchive } from './object-archive.ts';
import { tarArchive, tarName } from './tar-archive.ts';
import { warcArchive, warcName } from './warc-archive.ts';

/**
 * All that our savers have kept in a crawl folder, and in object storage where the crawl has a place there. What a user's
 * own saver keeps is not part of it.
 */
export function openArchive(folder: string, objects?: ObjectPlace): Archive {
  const local = warcArchive(folder);
  const kinds: Record<ArchiveKind, Archive> = {
    warc: objects ? eitherArchive(local, objectArchive(objects)) : local,
    tar: tarArchive(folder),
    files: filesArchive(folder),
  };
  return {
    files: async () => (await Promise.all(Object.values(kinds).map((each) => each.files()))).flat(),
    find: async (name) => await kinds[kindOf(name) ?? 'files'].find(name),
    read: (at, part) => kinds[kindOf(at.file) ?? fileGone(folder, at.file)].read(at, part),
    captures: (file) => kinds[file.kind].captures(file),
    bytes: (file, end) => kinds[file.kind].bytes(file, end),
    wholeBytes: (file) => kinds[file.kind].wholeBytes(file),
    validate: (file) => kinds[file.kind].validate(file),
  };
}

/** A folder may have files from before its crawl was given a place in object storage. */
function eitherArchive(local: Archive, remote: Archive): Archive {
  const of = ({ open }: { open: unknown }) => (typeof open === 'string' ? local : remote);
  return {
    files: async () => (await Promise.all([local.files(), remote.files()])).flat(),
    find: async (name) => (await local.find(name)) ?? (await remote.find(name)),
    async *read(at, part) {
      yield* ((await local.find(at.file)) ? local : remote).read(at, part);
    },
    captures: (file) => of(file).captures(file),
    bytes: (file, end) => of(file).bytes(file, end),
    wholeBytes: (file) => of(file).wholeBytes(file),
    validate: (file) => of(file).validate(file),
  };
}

/** By its name, which says which saver wrote it. */
function kindOf(name: string): ArchiveKind | undefined {
  if (name.startsWith('files/')) return 'files';
  if (warcName.test(name)) return 'warc';
  return tarName.test(name) ? 'tar' : undefined;
}
