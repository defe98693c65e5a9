import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { safeName } from '@webfarer/protocol/crawl';
import { moveFile, removeFolder, syncFolder } from '@webfarer/protocol/node';
import { type Manifest, readManifest } from '../folder/manifest.ts';
import type { KnownCrawl } from './crawl-deleter.ts';

export interface ErasedFolder {
  at: string;
  /** Where the folders of all crawls are. */
  below: string;
  /** What it has elsewhere on this machine. */
  segments: readonly string[];
  /** A crawl that is not deleted has the name. */
  isNameTaken: () => Promise<boolean>;
}

/** A folder on its way out: it no longer has the name of a crawl, so that another one may take it. */
const leaving = '.deleted-';

/** Crawls whose folders are on their way out. */
export async function leftoversBelow(below: string): Promise<KnownCrawl[]> {
  return (await namesIn(below))
    .filter((name) => name.startsWith(leaving))
    .map((name) => {
      const nonce = name.slice(leaving.length);
      return { id: nonce as KnownCrawl['id'], name, nonce };
    });
}

/** Crawls that have folders there. */
export async function crawlsBelow(below: string): Promise<KnownCrawl[]> {
  const found: KnownCrawl[] = [];
  for (const name of await namesIn(below)) {
    const manifest = await readManifest(join(below, name)).catch(() => undefined);
    if (manifest) found.push(knownIn(manifest));
  }
  return found;
}

async function namesIn(folder: string): Promise<string[]> {
  return existsSync(folder) ? await readdir(folder) : [];
}

/** In its own folder a crawl has an id that no other has. */
export function knownIn({ id, name, nonce }: Manifest): KnownCrawl {
  return { id, name, nonce: nonce ?? id };
}

/** Removes the folder of a crawl, where it is that crawl's. May be called again after an error. */
export async function eraseFolder(
  crawl: KnownCrawl,
  { at, below, segments, isNameTaken }: ErasedFolder,
): Promise<void> {
  // Named by the crawl: whoever tries again finds what the last try left.
  const aside = join(below, leaving + safeName(crawl.nonce));
  try {
    await removeFolder(aside);
    if (!(await isFolderOf(at, crawl, isNameTaken))) return;
    for (const segment of segments) await removeFolder(segment);
    await moveFile(at, aside);
    await syncFolder(below);
    await removeFolder(aside);
  } catch (error) {
    throw notErased(crawl, error);
  }
}

/** One whose crawl.json cannot be read is of the crawl that has the name, or had it last. */
async function isFolderOf(
  at: string,
  { nonce }: KnownCrawl,
  isNameTaken: () => Promise<boolean>,
): Promise<boolean> {
  try {
    const manifest = await readManifest(at);
    return manifest !== undefined && knownIn(manifest).nonce === nonce;
  } catch (error) {
    if (await isNameTaken()) throw error;
    return true;
  }
}

function notErased({ name }: KnownCrawl, cause: unknown): WebfarerError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new WebfarerError('storage', `The crawl ${name} is not deleted completely: ${why}.`, {
    next: 'Allow the coordinator to delete the named file. It tries again by itself.',
    cause,
  });
}
