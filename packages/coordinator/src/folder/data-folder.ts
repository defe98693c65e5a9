import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { createDurably, writeDurably } from '@webfarer/protocol/node';
import type { StoreChoice } from '@webfarer/protocol/job';
import { makeOwnFolder } from './own-folder.ts';

/** `coordinator.json`: who this coordinator is, and where it was last found. */
export interface CoordinatorCard {
  format: 1;
  /** Stays the same over restarts. */
  id: string;
  webfarer: string;
  /** Where it listens, or did when it was last alive. */
  url?: string;
  /** Where its crawls are kept if not in its folder. No password: that is in a file of its own. */
  store?: StoreChoice;
}

/** `worker.json`: who this worker is. Its leases are known by this, also after a crash. */
export interface WorkerCard {
  format: 1;
  id: string;
  webfarer: string;
}

/** Where a coordinator keeps its crawls, below its data folder. */
export const crawlsName = 'crawls';

const coordinatorFile = 'coordinator.json';
const workerFile = 'worker.json';
const workerKeyFile = 'worker.key';
const workerKey = /^[\w-]{43}$/;

export async function openCoordinatorCard(folder: string, webfarer: string): Promise<CoordinatorCard> {
  await makeOwnFolder(folder);
  const before = await readCard<CoordinatorCard>(join(folder, coordinatorFile));
  const card: CoordinatorCard = { format: 1, ...before, id: before?.id ?? newId(), webfarer };
  await writeCoordinatorCard(folder, card);
  return card;
}

export async function writeCoordinatorCard(folder: string, card: CoordinatorCard): Promise<void> {
  await writeCard(join(folder, coordinatorFile), card);
}

/** Undefined where no coordinator has its data. */
export async function readCoordinatorCard(folder: string): Promise<CoordinatorCard | undefined> {
  return await readCard<CoordinatorCard>(join(folder, coordinatorFile));
}

/** The store that the coordinator of this folder was last on. */
export async function readCoordinatorStore(folder: string): Promise<StoreChoice | undefined> {
  return (await readCoordinatorCard(folder))?.store;
}

/**
 * By which coordinators tell this worker from others that have the same token: known to nobody else, and as permanent as
 * its id. Whoever copies the folder has both.
 */
export async function openWorkerKey(folder: string): Promise<string> {
  const file = join(folder, workerKeyFile);
  await createDurably(file, `${randomBytes(32).toString('base64url')}\n`, { mode: 0o600 });
  const key = (await readFile(file, 'utf8')).trim();
  if (workerKey.test(key)) return key;
  throw new WebfarerError('folder-damaged', `${file} is damaged: it holds no key`, {
    next: `Restore it from a backup, so that coordinators know this worker again. Or remove it, and the next start makes another one, which coordinators accept once they have let go of the old one:\n  rm ${file}`,
  });
}

export async function openWorkerCard(folder: string, webfarer: string): Promise<WorkerCard> {
  await makeOwnFolder(folder);
  const file = join(folder, workerFile);
  const before = await readCard<WorkerCard>(file);
  const card: WorkerCard = { format: 1, id: before?.id ?? newId(), webfarer };
  await writeCard(file, card);
  return card;
}

/** Undefined where no worker has its folder yet. */
export async function readWorkerCard(folder: string): Promise<WorkerCard | undefined> {
  return await readCard<WorkerCard>(join(folder, workerFile));
}

function newId(): string {
  return randomUUID().slice(0, 8);
}

async function readCard<Card extends { format: 1 }>(file: string): Promise<Card | undefined> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
  try {
    const card = JSON.parse(text) as Card;
    if (card.format !== 1) throw new Error(`format ${String(card.format)} is not known to this version`);
    return card;
  } catch (error) {
    throw new WebfarerError('folder-foreign', `${file} cannot be read: ${(error as Error).message}`, {
      next: 'Use another folder, or a newer webfarer.',
      cause: error,
    });
  }
}

async function writeCard(file: string, card: object): Promise<void> {
  await writeDurably(file, `${JSON.stringify(card, null, 2)}\n`);
}
