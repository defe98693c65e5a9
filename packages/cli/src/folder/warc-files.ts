import { stat } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { openArchive } from '@webfarer/worker/archive';
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

async function warcsOf(folder: string): Promise<string[]> {
  const files = (await openArchive(folder).files()).filter(({ kind }) => kind === 'warc');
  if (files.length > 0) return files.map(({ path }) => path);
  throw new WebfarerError('not-found', `There is no WARC file in ${basename(folder)}.`, {
    next: 'A crawl writes them with save: [warc], which is the default.',
  });
}
