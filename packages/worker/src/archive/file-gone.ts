import { basename } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';

export function fileGone(folder: string, name: string): never {
  throw new WebfarerError('not-found', `${name} is missing in ${basename(folder)}.`, {
    next: 'Restore the file from a backup, or fetch its pages again:  webfarer retry --verdict done',
  });
}
