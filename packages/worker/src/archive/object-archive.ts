import { basename } from 'node:path';
import { type ObjectPlace, openObjectStore } from '../objects/object-place.ts';
import type { ObjectStore } from '../objects/object-store.ts';
import type { Archive, ArchiveFile } from './archive.ts';
import { firstBytes } from './bytes/byte-source.ts';
import { fileGone } from './file-gone.ts';
import { capturesIn } from './warc-archive.ts';
import { catWarc } from './warc/list-warc.ts';
import { validateWarc } from './warc/validate-warc.ts';
import { objectDir } from './objects/layout.ts';
import {
  openStoredFile,
  type OneCapture,
  type StoredFile,
  storedFile,
  storedFiles,
} from './objects/stored-files.ts';

/** The WARC files of a crawl in object storage, complete ones and those that workers are at. */
export function objectArchive(place: ObjectPlace): Archive {
  let opening: Promise<ObjectStore> | undefined;
  const known = new Map<string, StoredFile>();

  async function store(): Promise<ObjectStore> {
    opening ??= openObjectStore(place);
    return await opening;
  }

  async function fileOf(stored: StoredFile, oneCapture?: OneCapture): Promise<ArchiveFile> {
    const objects = await store();
    known.set(stored.name, stored);
    const { name, bytes, object } = stored;
    return {
      kind: 'warc',
      name: `${objectDir}${name}`,
      path: `${place.address}/${objectDir}${object?.name ?? name}`,
      open: () => Promise.resolve(openStoredFile(objects, stored, oneCapture)),
      bytes,
      isOpen: object?.bytes !== bytes,
    };
  }

  /** As it was when it was last looked for, if that is far enough: readers ask for one page after the other. */
  async function findCapture(file: string, least: number): Promise<ArchiveFile | undefined> {
    const name = basename(file);
    const before = known.get(name);
    const found = before && before.bytes >= least ? before : await storedFile(await store(), name);
    return found && (await fileOf(found, { onFound: (now) => known.set(name, now) }));
  }

  return {
    async files() {
      const files: ArchiveFile[] = [];
      for (const stored of await storedFiles(await store())) files.push(await fileOf(stored));
      return files;
    },
    async find(name) {
      const found = await storedFile(await store(), basename(name));
      return found && (await fileOf(found));
    },
    async *read(at, part) {
      const { offset = 0, length } = at;
      const file = (await findCapture(at.file, offset + (length ?? 1))) ?? fileGone(place.address, at.file);
      // Each byte that is not needed is paid for.
      const only = length === undefined ? {} : { length };
      const erasures = known.get(basename(at.file))?.erasures;
      try {
        yield* catWarc({ file: file.open, name: file.path, part, offset, ...only });
      } catch (error) {
        // A capture that was deleted while it was read: neither its old bytes nor what took their place.
        if (known.get(basename(at.file))?.erasures === erasures) throw error;
        fileGone(place.address, at.file);
      }
    },
    captures: capturesIn,
    bytes: ({ open }, end) => firstBytes(open, end),
    // Chunks end where records end.
    wholeBytes: ({ bytes }) => Promise.resolve(bytes),
    validate: ({ open }) => validateWarc(open),
  };
}
