import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { safeName } from '@webfarer/protocol/crawl';
import type { LinkCrawl } from '@webfarer/protocol/link';
import { moveFile, removeFolder, syncFolder, writeDurably } from '@webfarer/protocol/node';

/** Where a worker keeps what it saves of each crawl. */
export interface CrawlFolders {
  /** Before anything else: finds the folders that earlier processes made, and finishes what they began to erase. */
  begin(): Promise<void>;
  /** The folder of a crawl, which exists when this resolves. */
  open(crawl: LinkCrawl): Promise<string>;
  /** Nonces of the crawls whose folders this worker would erase. */
  nonces(): string[];
  /** Erases the folder of a deleted crawl, to which nothing may write any more. Does nothing where it has none. */
  erase(nonce: string): Promise<void>;
}

/** Says in a folder which crawl it was made for. A folder without it is never erased. */
const markName = 'kept-crawl.json';
/** A folder on its way out. */
const leaving = '.deleted-';

/**
 * Folders inside the worker's own. Each is marked with the nonce of its crawl before anything is saved there, so a later
 * process can tell which folder belongs to a deleted crawl, and a crawl never shares the folder of an earlier one of the
 * same name. A folder that was there before, unmarked, is used but never erased.
 */
export function ownCrawlFolders(workerFolder: string): CrawlFolders {
  const folders = new Map<string, string>();
  let choosing: Promise<unknown> = Promise.resolve();

  async function isFree(folder: string): Promise<boolean> {
    await mkdir(folder, { recursive: true });
    return (await readdir(folder)).length === 0;
  }

  async function choose(crawl: LinkCrawl): Promise<string> {
    const { nonce } = crawl;
    const known = folders.get(nonce);
    if (known !== undefined) {
      await mkdir(known, { recursive: true });
      return known;
    }
    const usual = crawlFolderIn(workerFolder, crawl);
    const taken = (await markOf(usual)) !== undefined;
    const folder = taken ? `${usual.slice(0, -'.crawl'.length)}-${safeName(nonce.slice(0, 8))}.crawl` : usual;
    if (!(await isFree(folder)) || nonce === '') return folder;
    await writeDurably(join(folder, markName), `${JSON.stringify({ format: 1, nonce })}\n`);
    folders.set(nonce, folder);
    return folder;
  }

  return {
    async begin() {
      await mkdir(workerFolder, { recursive: true });
      for (const entry of await readdir(workerFolder, { withFileTypes: true })) {
        if (!entry.isDirectory()) continue;
        const folder = join(workerFolder, entry.name);
        if (entry.name.startsWith(leaving)) await removeFolder(folder);
        else {
          const nonce = await markOf(folder);
          if (nonce !== undefined) folders.set(nonce, folder);
        }
      }
    },
    async open(crawl) {
      // One after the other: two crawls may have names that make the same folder.
      const folder = choosing.catch(() => undefined).then(() => choose(crawl));
      choosing = folder;
      return await folder;
    },
    nonces: () => [...folders.keys()],
    async erase(nonce) {
      const folder = folders.get(nonce);
      if (folder === undefined) return;
      const aside = join(workerFolder, leaving + randomUUID());
      await moveFile(folder, aside).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== 'ENOENT') throw error;
      });
      folders.delete(nonce);
      await syncFolder(workerFolder);
      await removeFolder(aside);
    },
  };
}

/** Folders that the worker's user chose: the coordinator of the same machine keeps its crawls there, and deletes them. */
export function chosenFolders(folderOf: (crawl: LinkCrawl) => string): CrawlFolders {
  return {
    begin: () => Promise.resolve(),
    async open(crawl) {
      const folder = folderOf(crawl);
      await mkdir(folder, { recursive: true });
      return folder;
    },
    nonces: () => [],
    erase: () => Promise.resolve(),
  };
}

/** Undefined where there is none, or none that can be read. */
async function markOf(folder: string): Promise<string | undefined> {
  try {
    const { nonce } = JSON.parse(await readFile(join(folder, markName), 'utf8')) as { nonce?: unknown };
    return typeof nonce === 'string' && nonce !== '' ? nonce : undefined;
  } catch {
    return undefined;
  }
}

/** Named so that a person finds it. */
function crawlFolderIn(folder: string, { id, job }: LinkCrawl): string {
  const name = id === job.name ? job.name : `${job.name}-${id.slice(0, 8)}`;
  return join(folder, `${safeName(name)}.crawl`);
}
