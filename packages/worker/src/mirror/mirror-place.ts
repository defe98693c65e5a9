import { readdir, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { shortHash } from '../save/names/file-name.ts';

/** Where the mirror of a crawl goes, and where it is kept what was written there. */
export interface MirrorPlace {
  to: string;
  state: string;
}

/** `to`: another folder than the one in the crawl folder, absolute. */
export function mirrorPlace(folder: string, to?: string): MirrorPlace {
  const usual = join(folder, 'mirror');
  if (to === undefined || relative(usual, to) === '') return { to: usual, state: join(folder, 'mirror.db') };
  return { to, state: join(folder, `mirror-${shortHash(resolve(to))}.db`) };
}

/** A folder with files of a person's own is left alone. */
export async function refuseForeignFolder({ to, state }: MirrorPlace): Promise<void> {
  const isOurs = await stat(state).then(
    () => true,
    () => false,
  );
  const found = await readdir(to).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw new WebfarerError('usage', `A mirror cannot be written to ${to}: ${error.message}.`, {
      next: 'Name a new folder, or an empty one.',
    });
  });
  if (isOurs || found.length === 0) return;
  throw new WebfarerError('usage', `The folder ${to} is not empty, and not a mirror of this crawl.`, {
    next: 'Name a new folder, or an empty one.',
  });
}
