import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { readManifest } from '@webfarer/coordinator/folder/manifest';
import type { LocalCrawls, OpenOptions } from '../crawl/local-port.ts';

/**
 * A recrawl is a crawl of its own, in a folder beside the first: `example.org.crawl`, `example.org.2.crawl`,
 * `example.org.3.crawl`. Nothing that was finished is moved or changed.
 */
const suffix = '.crawl';

/** The newest crawl of the family that began in this folder; the folder itself where there is no other. */
export async function newestGeneration(first: string): Promise<string> {
  const [stem, end] = parts(first);
  const names = await readdir(dirname(first)).catch((): string[] => []);
  const numbers = names.map((name) => numberIn(name, stem, end)).filter((n): n is number => n !== undefined);
  for (const n of numbers.toSorted((a, b) => b - a)) {
    const folder = numbered(first, n);
    if (await isRecrawl(folder)) return folder;
  }
  return first;
}

/** The folder in which the family of a recrawl began, there or not; any other folder began its own. */
export async function familyOf(folder: string): Promise<string> {
  const [stem, end] = parts(folder);
  const first = /^(.+)\.[1-9]\d{0,8}$/.exec(stem)?.[1];
  return first !== undefined && (await isRecrawl(folder)) ? join(dirname(folder), `${first}${end}`) : folder;
}

/** Where the next recrawl goes: one number after the newest, and nothing may be there yet. */
async function nextGeneration(first: string, newest: string): Promise<string> {
  const [stem, end] = parts(first);
  for (let n = (numberIn(basename(newest), stem, end) ?? 1) + 1; ; n++) {
    const folder = numbered(first, n);
    if ((await stat(folder).catch(() => undefined)) === undefined) return folder;
  }
}

/** Where a command works: the newest crawl of its family, or the next one if that is over and a recrawl is wanted. */
export async function chooseGeneration(
  local: Pick<LocalCrawls, 'readFolder'>,
  { folder: first, fresh, recrawl }: { folder: string; fresh?: boolean; recrawl?: boolean },
): Promise<Pick<OpenOptions, 'folder' | 'previous'>> {
  if (fresh && recrawl) {
    throw new WebfarerError('usage', 'Either --fresh or --recrawl, not both.', {
      next: '--recrawl fetches what changed; --fresh throws away and starts over.',
    });
  }
  const folder = await newestGeneration(first);
  if (!recrawl || !(await isOver(local, folder))) return { folder };
  return { folder: await nextGeneration(first, folder), previous: folder };
}

/** A crawl that was stopped on the way is gone on with; one that finished or met its limit is over. */
async function isOver(local: Pick<LocalCrawls, 'readFolder'>, folder: string): Promise<boolean> {
  if (!existsSync(join(folder, 'crawl.json')) && !existsSync(join(folder, 'crawl.db'))) return false;
  const reader = await local.readFolder(folder);
  try {
    const state = await reader.state();
    const { queued, leased } = await reader.balance();
    return state === 'limited' || (state === 'finished' && queued + leased === 0);
  } finally {
    await reader.close();
  }
}

async function isRecrawl(folder: string): Promise<boolean> {
  return (await readManifest(folder).catch(() => undefined))?.previous !== undefined;
}

function parts(first: string): [stem: string, end: string] {
  const name = basename(first);
  return name.endsWith(suffix) ? [name.slice(0, -suffix.length), suffix] : [name, ''];
}

function numbered(first: string, n: number): string {
  const [stem, end] = parts(first);
  return join(dirname(first), `${stem}.${n}${end}`);
}

function numberIn(name: string, stem: string, end: string): number | undefined {
  if (!name.startsWith(`${stem}.`) || !name.endsWith(end)) return undefined;
  const digits = name.slice(stem.length + 1, name.length - end.length);
  return /^[1-9]\d{0,8}$/.test(digits) ? Number(digits) : undefined;
}
