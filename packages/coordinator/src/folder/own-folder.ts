import { stat } from 'node:fs/promises';
import { WebfarerError } from '@webfarer/protocol';
import { makeFolder } from '@webfarer/protocol/node';

/** What the system says where no folder can be made, in words. */
const reasons: Record<string, string> = {
  EEXIST: 'a file of that name exists',
  ENOTDIR: 'a part of the path is a file',
  ENOENT: 'the system does not allow folders there',
  EACCES: 'this user may not write there',
  EPERM: 'the system does not allow it',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'the name is too long',
};

/** Makes the folder of a crawl, a coordinator or a worker; a path that cannot be one is told in a sentence. */
export async function makeOwnFolder(path: string): Promise<void> {
  await makeFolder(path).catch((error: NodeJS.ErrnoException) => {
    const why = reasons[error.code ?? ''];
    if (why === undefined) throw error;
    throw noFolder(path, why, error);
  });
}

/** Before anything else is tried: what is there must be a folder. */
export async function refuseFile(path: string): Promise<void> {
  const found = await stat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOTDIR') throw noFolder(path, 'a part of the path is a file', error);
    return undefined;
  });
  if (found && !found.isDirectory()) throw noFolder(path, 'a file of that name exists');
}

function noFolder(path: string, why: string, cause?: unknown): WebfarerError {
  return new WebfarerError('usage', `${path} cannot be the folder: ${why}`, {
    next: 'Choose another folder.',
    ...(cause === undefined ? {} : { cause }),
  });
}
