import { relative, resolve } from 'node:path';
import { WebfarerError } from '@webfarer/protocol';
import { type PreviousCrawl, previousCrawl } from './previous-crawl.ts';
import { hasFrontier, readFrontier, type ReadFrontierOptions } from './open-frontier.ts';
import { type Manifest, readManifest } from './manifest.ts';

export interface PreviousFolder {
  crawl: PreviousCrawl;
  close(): Promise<void>;
}

/** How a recrawl's crawl.json names the crawl before it: relative, so that both may be moved together. */
export async function previousOf(folder: string, previous: string): Promise<Manifest['previous'] & object> {
  const manifest = await readManifest(resolve(previous));
  if (!manifest) throw new WebfarerError('not-found', `${previous} is not a crawl folder`);
  return { folder: relative(folder, resolve(previous)), id: manifest.id };
}

/** Where the crawl before this one is; undefined when there was none or its folder is gone. */
export async function previousPath(
  folder: string,
  { previous }: Pick<Manifest, 'previous'>,
): Promise<string | undefined> {
  const path = previous && resolve(folder, previous.folder);
  const manifest = path && (await readManifest(path));
  return path && manifest && hasFrontier({ folder: path, manifest }) ? path : undefined;
}

/** Opens it as it stands now, to be looked into while the recrawl runs. */
export async function openPrevious(
  folder: string,
  manifest: Manifest,
  options: Pick<ReadFrontierOptions, 'clock' | 'given'>,
): Promise<PreviousFolder | undefined> {
  const path = await previousPath(folder, manifest);
  const before = path && (await readManifest(path));
  if (!path || !before || !manifest.previous) return undefined;
  const frontier = await readFrontier({ folder: path, manifest: before }, { ...options, snapshot: true });
  return { crawl: previousCrawl(frontier, manifest.previous.id), close: () => frontier.close() };
}
