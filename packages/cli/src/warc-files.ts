import { readdir, stat } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { findFolder } from './folders.ts';

/** The WARC files that were named: files, crawl folders, or nothing for the only crawl here. In order. */
export async function warcFiles(named: readonly string[], cwd: string): Promise<string[]> {
  if (named.length === 0) return await warcsOf(await findFolder(undefined, cwd));
  const lists = await Promise.all(named.map((name) => filesOf(resolve(cwd, name), name, cwd)));
  return lists.flat();
}

async function filesOf(path: string, name: string, cwd: string): Promise<string[]> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) return [path];
  return await warcsOf(found?.isDirectory() ? path : await findFolder(name, cwd));
}

/** `.open` is the file that a crawl is writing to, or was when it died. */
const warcName = /\.warc(?:\.gz)?(?:\.open)?$/;

async function warcsOf(folder: string): Promise<string[]> {
  for (const place of [join(folder, 'archive'), folder]) {
    const names = (await readdir(place).catch((): string[] => [])).filter((name) => warcName.test(name));
    if (names.length > 0)
      return names.toSorted((a, b) => a.localeCompare(b, 'en')).map((name) => join(place, name));
  }
  throw new WebfarerError('not-found', `There is no WARC file in ${basename(folder)}.`, {
    next: 'A crawl writes them with save: [warc], which is the default.',
  });
}
