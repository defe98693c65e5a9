import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { openSqliteFrontier, type PreviousCrawl, previousCrawl } from '@webfarer/coordinator';
import { type Clock, WebfarerError } from '@webfarer/protocol';
import { databaseName, type Manifest, readManifest } from './manifest.ts';

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
export function previousPath(folder: string, { previous }: Pick<Manifest, 'previous'>): string | undefined {
  const path = previous && resolve(folder, previous.folder);
  return path !== undefined && existsSync(join(path, databaseName)) ? path : undefined;
}

/** Opens it as it stands now, to be looked into while the recrawl runs. */
export function openPrevious(folder: string, manifest: Manifest, clock: Clock): PreviousFolder | undefined {
  const path = previousPath(folder, manifest);
  if (path === undefined || !manifest.previous) return undefined;
  const frontier = openSqliteFrontier({
    path: join(path, databaseName),
    clock,
    readOnly: true,
    snapshot: true,
  });
  return { crawl: previousCrawl(frontier, manifest.previous.id), close: () => frontier.close() };
}
