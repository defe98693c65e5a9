import { readdir, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { type Job, WebfarerError } from '@webfarer/protocol';
import { shortHash } from '../save/names/file-name.ts';

/** Where the mirror of a crawl goes, and the file that says what was written there. */
export interface MirrorPlace {
  to: string;
  state: string;
}

/**
 * `to`: another folder than the one in the crawl folder, absolute. A mirror elsewhere has its state with it, under a name
 * made of the job's: the next crawl of the job, in a folder of its own, continues the same mirror.
 */
export function mirrorPlace(folder: string, { name }: Pick<Job, 'name'>, to?: string): MirrorPlace {
  const usual = join(folder, 'mirror');
  if (to === undefined || relative(usual, to) === '') return { to: usual, state: join(folder, 'mirror.db') };
  return { to, state: join(to, `.webfarer-${shortHash(name)}.db`) };
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
  throw new WebfarerError('usage', `The folder ${to} is not empty, and not a mirror of this job.`, {
    next: 'Name a new folder, or an empty one.',
  });
}
