import { readdir, rm, rmdir } from 'node:fs/promises';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { syncFolder } from '@webfarer/protocol/node';
import type { ArchiveFile } from '../archive/archive.ts';
import { openArchive } from '../archive/open-archive.ts';
import { storageError } from '../disk/storage-error.ts';
import { eraseLines } from './erase-lines.ts';
import { eraseTar } from './erase-tar.ts';
import { type Erased, type EraseOptions, eraseWarc } from './erase-warc.ts';
import { erasingSuffix } from './rewrite-file.ts';

/** What rewrites one file without the captures of a host, by how the file's name ends. */
const erasers: [RegExp, (path: string, options: EraseOptions) => Promise<Erased>][] = [
  [/\.warc\.gz$/, eraseWarc],
  [/\.tar(?:\.(?:gz|bz2|zst))?$/, eraseTar],
  [/\.jsonl$/, eraseLines],
];

/** Rewrites one file of an archive without the captures of a host. Undefined: this kind of file cannot be rewritten. */
export async function eraseInFile(path: string, options: EraseOptions): Promise<Erased | undefined> {
  const [, erase] = erasers.find(([pattern]) => pattern.test(path)) ?? [];
  return erase && (await erase(path, options));
}

export interface ArchiveErasing extends Erased {
  /** Files that were looked through. */
  files: number;
  /** Files that this version cannot rewrite: what they hold is still there. */
  left: string[];
}

/** Nobody may write to the folder: files that are not complete are left alone, and are named in the answer. */
export async function eraseArchive(folder: string, options: EraseOptions): Promise<ArchiveErasing> {
  const sum: ArchiveErasing = { captures: 0, bytes: 0, files: 0, left: [] };
  for (const { path, name, isOpen } of await rewritable(folder, options)) {
    const found = isOpen ? undefined : await eraseInFile(path, options);
    if (!found) sum.left.push(name);
    sum.files++;
    sum.captures += found?.captures ?? 0;
    sum.bytes += found?.bytes ?? 0;
  }
  return sum;
}

/** Files that hold many captures. Those of one capture each are removed by their names: see `removeFiles`. */
async function rewritable(
  folder: string,
  { dryRun = false }: EraseOptions,
): Promise<Pick<ArchiveFile, 'path' | 'name' | 'isOpen'>[]> {
  const found = (await openArchive(folder).files()).filter(({ kind }) => kind !== 'files');
  const texts = (await readdir(join(folder, 'markdown')).catch((): string[] => [])).filter((name) =>
    /\.jsonl(?:\.open)?$/.test(name),
  );
  // Without the lock of the folder another process may be rewriting one.
  if (!dryRun) for (const dir of ['archive', 'markdown']) await removeUnfinished(join(folder, dir));
  return [
    ...found,
    ...texts.map((name) => ({
      name: `markdown/${name}`,
      path: join(folder, 'markdown', name),
      isOpen: name.endsWith('.open'),
    })),
  ];
}

/** What a crash left of a file that was being rewritten. */
async function removeUnfinished(dir: string): Promise<void> {
  for (const name of await readdir(dir).catch((): string[] => []))
    if (name.endsWith(erasingSuffix)) await rm(join(dir, name), { force: true });
}

/** Removes files of one capture each, and the folders that are empty without them. Answers how many there were. */
export async function removeFiles(folder: string, names: Iterable<string>): Promise<number> {
  const root = resolve(folder);
  const changed = new Set<string>();
  let removed = 0;
  try {
    for (const name of names) {
      const path = resolve(root, name);
      // Names are made of URLs: none may lead out of the crawl folder.
      if (!path.startsWith(`${root}${sep}`)) continue;
      const wasThere = await rm(path).then(
        () => true,
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
          throw error;
        },
      );
      if (wasThere) removed++;
      changed.add(dirname(path));
    }
    for (const dir of [...changed].toSorted((a, b) => b.length - a.length)) await removeEmpty(dir, root);
  } catch (error) {
    throw storageError(error, `cannot remove files of ${folder}`);
  }
  return removed;
}

async function removeEmpty(dir: string, root: string): Promise<void> {
  let at = dir;
  for (; dirname(at) !== root && at !== root; at = dirname(at)) {
    const isGone = await rmdir(at).then(
      () => true,
      (error: NodeJS.ErrnoException) => error.code === 'ENOENT',
    );
    if (!isGone) break;
  }
  await syncFolder(at).catch(() => undefined);
}

/** Plain files whose path names the host, also those whose outcome a crash took away. */
export async function filesNamedAfter(folder: string, isHost: (part: string) => boolean): Promise<string[]> {
  const found: string[] = [];
  for (const kind of ['files', 'markdown']) {
    const root = join(folder, kind);
    const entries = await readdir(root, { withFileTypes: true, recursive: true }).catch(() => []);
    for (const entry of entries) {
      if (!entry.isFile()) continue;
      const name = join(kind, join(entry.parentPath, entry.name).slice(root.length + 1));
      const parts = name.split(sep).slice(1);
      if (parts.some((part, i) => isHost(i === parts.length - 1 ? basename(part) : part))) found.push(name);
    }
  }
  return found;
}
