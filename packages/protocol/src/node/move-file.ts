import { constants, copyFile, link, open, rename, rm } from 'node:fs/promises';
// allow(time): a virus scanner lets go in real time
import { setTimeout as pause } from 'node:timers/promises';

/** What differs between systems; tests pass their own. */
export interface FileSystem {
  platform: NodeJS.Platform;
  rename(from: string, to: string): Promise<void>;
  link(from: string, to: string): Promise<void>;
}

const here: FileSystem = { platform: process.platform, rename, link };

/** On Windows a file that a scanner, an indexer or a reader has open cannot be moved or replaced for a moment. */
const passing = new Set(['EPERM', 'EACCES', 'EBUSY']);
const waitsMs = [5, 10, 20, 40, 80, 160, 320, 640];

/** Gives a file or a folder another name, in place of a file that has it. */
export async function moveFile(from: string, to: string, system = here): Promise<void> {
  for (const waitMs of system.platform === 'win32' ? waitsMs : []) {
    try {
      return await system.rename(from, to);
    } catch (error) {
      if (!passing.has(codeOf(error))) throw error;
    }
    await pause(waitMs);
  }
  await system.rename(from, to);
}

/** What file systems without hard links answer (exFAT, some network shares). */
const noLinks = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EISDIR']);

/** Gives a file a name that nothing has yet. False: something has. */
export async function nameFile(from: string, to: string, system = here): Promise<boolean> {
  try {
    await system.link(from, to).catch((error: unknown) => {
      if (!noLinks.has(codeOf(error))) throw error;
      return copyDurably(from, to);
    });
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
}

/** Removes a folder with all that is in it, if it is there; on Windows also one whose files are only just let go. */
export async function removeFolder(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 8, retryDelay: 20 });
}

async function copyDurably(from: string, to: string): Promise<void> {
  await copyFile(from, to, constants.COPYFILE_EXCL);
  const copy = await open(to, 'r+');
  try {
    await copy.sync();
  } finally {
    await copy.close();
  }
}

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';
