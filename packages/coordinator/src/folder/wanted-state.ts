import { readFile, rm } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { writeDurably } from '@webfarer/protocol/node';
import { crawlsName } from './data-folder.ts';

/** What an operator wants of the crawl that runs in a folder, from another terminal. */
export const wantedStates = ['running', 'paused', 'stopped'] as const;
export type WantedState = (typeof wantedStates)[number];

/** Settings to change, as a merge patch of the job (RFC 7396). */
export interface WantedEdit {
  changes: Record<string, unknown>;
  rescope: boolean;
}
export type Wanted = WantedState | WantedEdit;

/**
 * The file through which `pause`, `resume`, `stop` and `edit` reach the process that holds the folder. A file needs no port and
 * no token: both sides know the folder, and write access to it is the permission to steer the crawl.
 */
export const wantedName = 'wanted-state';

/** Beside the folders of a coordinator's crawls: replaced with each order, so that the coordinator need not look into each folder. */
export const ordersName = '.orders';

export async function writeWanted(folder: string, wanted: Wanted): Promise<void> {
  const text = typeof wanted === 'string' ? wanted : JSON.stringify(wanted);
  await writeDurably(join(folder, wantedName), `${text}\n`);
  const above = dirname(resolve(folder));
  if (basename(above) === crawlsName)
    await writeDurably(join(above, ordersName), `${basename(folder)}\n`).catch(() => undefined);
}

/** Takes the request, so that it is obeyed once: a later key press or command is not overruled by an old file. */
export async function takeWanted(folder: string): Promise<Wanted | undefined> {
  const file = join(folder, wantedName);
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  await rm(file, { force: true });
  return wantedStates.find((state) => state === text.trim()) ?? editIn(text);
}

/** What cannot be read is no order. */
function editIn(text: string): WantedEdit | undefined {
  try {
    const { changes, rescope } = JSON.parse(text) as Partial<WantedEdit>;
    return typeof changes === 'object' && changes !== null
      ? { changes, rescope: rescope === true }
      : undefined;
  } catch {
    return undefined;
  }
}
