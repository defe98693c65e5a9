import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { type Archive, objectArchive, openArchive, type OpenBytes } from '@webfarer/worker/archive';
import { findFolder, shownPath } from './folders.ts';
import { isObjectAddress, objectsOf, placeAt, type PlaceOptions } from './object-places.ts';

export interface WarcFile {
  /** For people. */
  shown: string;
  open: OpenBytes;
}

/**
 * The WARC files that were named: files, crawl folders, addresses of object storage, or nothing for the only crawl here.
 * In order.
 */
export async function warcFiles(
  named: readonly string[],
  cwd: string,
  options: PlaceOptions = {},
): Promise<WarcFile[]> {
  if (named.length === 0) return await warcsOf(await findFolder(undefined, cwd), cwd);
  const lists = await Promise.all(
    named.map((name) =>
      isObjectAddress(name)
        ? warcsIn(objectArchive(placeAt(name, options)), name, cwd)
        : filesOf(resolve(cwd, name), name, cwd),
    ),
  );
  return lists.flat();
}

async function filesOf(path: string, name: string, cwd: string): Promise<WarcFile[]> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) return [{ shown: shownPath(path, cwd), open: path }];
  return await warcsOf(found?.isDirectory() ? path : await findFolder(name, cwd), cwd);
}

async function warcsOf(folder: string, cwd: string): Promise<WarcFile[]> {
  return await warcsIn(openArchive(folder, await objectsOf(folder)), basename(folder), cwd);
}

async function warcsIn(archive: Archive, place: string, cwd: string): Promise<WarcFile[]> {
  const files = (await archive.files()).filter(({ kind }) => kind === 'warc');
  if (files.length > 0)
    return files.map(({ path, open }) => ({
      shown: typeof open === 'string' ? shownPath(path, cwd) : path,
      open,
    }));
  throw new WebfarerError('not-found', `There is no WARC file in ${place}.`, {
    next: 'A crawl writes them with save: [warc], which is the default.',
  });
}
