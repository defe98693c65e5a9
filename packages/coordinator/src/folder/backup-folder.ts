import { createHash } from 'node:crypto';
import { closeSync, createReadStream, existsSync, openSync, statSync } from 'node:fs';
import { copyFile, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { WebfarerError } from '@webfarer/protocol';
import { isTemporaryName, makeFolder, syncFolder, writeDurably } from '@webfarer/protocol/node';
import { sqlite } from '../sqlite/node-sqlite.ts';
import { lockNames } from './folder-lock.ts';

/** What a backup holds besides the files of the folder. */
export const backupName = 'backup.json';

export interface BackupOptions {
  /** A crawl folder, or the data folder of a coordinator; both may be in use. */
  folder: string;
  /** Must not exist. It appears when the backup is whole. */
  to: string;
  /** Bodies and mirrors too: by far the most bytes. */
  withBodies: boolean;
  nowMs: number;
  onFile: (name: string) => void;
}

export interface Backup {
  files: number;
  bytes: number;
  /** Files that were erased while the backup was made, such as those of a crawl that was deleted. */
  gone: string[];
}

const bodyFolders = new Set(['archive', 'files', 'mirror']);
/** SQLite's own, which belong to the database beside them. */
const beside = /\.db-(?:wal|shm|journal)$/;

/**
 * Copies a folder while a crawl runs in it. Each database is copied as it is at one moment, the catalog first and crawls
 * later, so that no crawl is in the catalog of the backup without its folder. A coordinator that is started on the copy
 * continues from that moment, as after a power cut.
 */
export async function backupFolder(options: BackupOptions): Promise<Backup> {
  const [folder, to] = [resolve(options.folder), resolve(options.to)];
  if (existsSync(to))
    throw new WebfarerError('usage', `${to} exists already`, {
      next: 'Name a folder that does not exist yet.',
    });
  if (`${to}/`.startsWith(`${folder}/`))
    throw new WebfarerError('usage', 'a backup inside the folder would become part of the next backup', {
      next: 'Name a folder elsewhere, best on another disk.',
    });
  const partial = `${to}.partial`;
  await rm(partial, { recursive: true, force: true });
  const done: Backup = { files: 0, bytes: 0, gone: [] };
  const sums: Record<string, string> = {};
  for (const name of await namesIn(folder, options.withBodies)) {
    const copy = join(partial, name);
    await makeFolder(dirname(copy));
    if (!(await copyOne(join(folder, name), copy))) {
      done.gone.push(name);
      continue;
    }
    done.files++;
    done.bytes += (await stat(copy)).size;
    if (!isBody(name)) sums[name] = await sumOf(copy);
    options.onFile(name);
  }
  const about = { format: 1, madeAt: new Date(options.nowMs).toISOString(), folder, ...done, sums };
  await writeDurably(join(partial, backupName), `${JSON.stringify(about, null, 1)}\n`);
  await rename(partial, to);
  await syncFolder(dirname(to));
  return done;
}

const isBody = (name: string): boolean => name.split('/').some((part) => bodyFolders.has(part));
/** Databases before what they refer to, and the catalog before the crawls in it. */
const rank = (name: string): number =>
  name === 'catalog.db' ? 0 : name.endsWith('.db') ? 1 : isBody(name) ? 3 : 2;

async function namesIn(folder: string, withBodies: boolean): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new WebfarerError('not-found', `${folder} cannot be read: ${error.code ?? error.message}`, {
        next: 'Name a crawl folder or the --data folder of a coordinator.',
        cause: error,
      });
    },
  );
  const names = found
    .filter((entry) => entry.isFile())
    .map((entry) =>
      join(entry.parentPath, entry.name)
        .slice(folder.length + 1)
        .replaceAll('\\', '/'),
    )
    .filter((name) => isWanted(name.slice(name.lastIndexOf('/') + 1)) && (withBodies || !isBody(name)));
  if (!names.some((name) => name === 'crawl.json' || name === 'coordinator.json' || name.endsWith('.db')))
    throw new WebfarerError('not-found', `${folder} is neither a crawl folder nor a coordinator's`, {
      next: 'Name a crawl folder or the --data folder of a coordinator.',
    });
  return names.toSorted((a, b) => rank(a) - rank(b) || a.localeCompare(b, 'en'));
}

function isWanted(name: string): boolean {
  return !lockNames.test(name) && !beside.test(name) && !isTemporaryName(name) && name !== backupName;
}

async function sumOf(path: string): Promise<string> {
  const sum = createHash('sha256');
  await pipeline(createReadStream(path), sum);
  return `sha256:${sum.digest('hex')}`;
}

/** False: it is gone. */
async function copyOne(from: string, to: string): Promise<boolean> {
  try {
    if (from.endsWith('.db')) copyDatabase(from, to);
    else await copyFile(from, to);
    return true;
  } catch (error) {
    if (existsSync(from)) throw error;
    await rm(to, { force: true });
    return false;
  }
}

/** As it is at one moment, whoever writes to it; writers do not wait. */
function copyDatabase(from: string, to: string): void {
  // Some hold keys and are for their owner only: so is the copy, from its first byte on.
  closeSync(openSync(to, 'wx', statSync(from).mode & 0o777));
  const db = new (sqlite().DatabaseSync)(from, { readOnly: true, timeout: 10_000 });
  try {
    db.prepare('VACUUM INTO ?').run(to);
  } finally {
    db.close();
  }
}
