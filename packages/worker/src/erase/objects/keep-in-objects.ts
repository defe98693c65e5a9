import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ArchiveFile } from '../../archive/archive.ts';
import { openBytes } from '../../archive/bytes/byte-source.ts';
import { objectDir } from '../../archive/objects/layout.ts';
import { openStoredFile } from '../../archive/objects/stored-files.ts';
import type { ObjectStore } from '../../objects/object-store.ts';
import { finishFile } from '../../save/objects/finish-file.ts';
import { type KeepOptions, keepShared, type MovedCapture } from '../keep-shared.ts';
import { filesNaming } from './erase-objects.ts';

export interface KeepInObjectsOptions extends KeepOptions {
  store: ObjectStore;
  /** A folder of this machine for temporary files. */
  scratch: string;
}

/**
 * Copies captures of other hosts that refer to bodies of this one into an object of their own: those in object storage, and
 * those in the files of this folder that are named in the options. When it resolves the object is verified.
 */
export async function keepInObjects({
  store,
  scratch,
  ...options
}: KeepInObjectsOptions): Promise<MovedCapture[]> {
  const stored = (await filesNaming(store, options.match)).map(
    (file): ArchiveFile => ({
      kind: 'warc',
      name: `${objectDir}${file.name}`,
      path: `${store.address}/${objectDir}${file.name}`,
      open: () => Promise.resolve(openStoredFile(store, file)),
      bytes: file.bytes,
      isOpen: false,
    }),
  );
  const folder = await mkdtemp(join(scratch, 'keeping-'));
  try {
    // A run that was cut off may have written some in the same second.
    const tag = randomBytes(4).toString('hex');
    const moved = await keepShared({ ...options, folder, tag, files: [...options.files, ...stored] });
    const dir = join(folder, 'archive');
    for (const name of await readdir(dir).catch((): string[] => [])) {
      const open = () => openBytes(join(dir, name));
      await finishFile({ store, name, object: name, open, scratch: folder, unfinished: false });
    }
    return moved.map((one) => ({ ...one, to: { ...one.to, shared: true } }));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
