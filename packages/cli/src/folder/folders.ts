import { existsSync } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import { basename, join, relative, resolve } from 'node:path';
import { type Url, WebfarerError } from '@webfarer/protocol';
import { hostOf, originOf, seedUrl, siteOf } from '@webfarer/protocol/url';
import { safeName } from '@webfarer/protocol/crawl';
import { shellWords } from '../context/command-line.ts';
import type { CliContext } from '../context/context.ts';
import { familyOf, newestGeneration } from './generations.ts';

const suffix = '.crawl';

/** `./example.org.crawl` for https://example.org/. A port is part of the name, because it is another site. */
export function folderName(seed: Url): string {
  const host = hostOf(seed).replace(/^\[|\]$/g, '');
  const port = /:(\d+)$/.exec(originOf(seed))?.[1];
  return safeName(port ? `${host}-${port}` : host) + suffix;
}

/** The path as a person would type it: `./example.org.crawl` below here, absolute elsewhere. */
export function shownPath(path: string, cwd: string): string {
  const shown = relative(cwd, resolve(cwd, path));
  if (shown === '') return '.';
  return shown.startsWith('..') ? resolve(cwd, path) : `./${shown}`;
}

/** The folder that was named, or the only one here. */
export async function findFolder(named: string | undefined, cwd: string): Promise<string> {
  if (named !== undefined) return existingFolder(resolve(cwd, named), named, cwd);
  const all = (await readdir(cwd, { withFileTypes: true }))
    .filter((entry) => entry.isDirectory() && entry.name.endsWith(suffix))
    .map((entry) => entry.name);
  // Of a crawl and its recrawls only the newest is meant.
  const newest = await Promise.all(all.map((name) => newestHere(join(cwd, name))));
  const here = [...new Set(newest)].toSorted();
  const [only] = here;
  if (only !== undefined && here.length === 1) return join(cwd, only);
  if (holdsCrawl(cwd)) return cwd;
  if (only === undefined) {
    throw new WebfarerError('not-found', 'There is no crawl folder here.', {
      next: 'Name one, or start a crawl:  webfarer crawl example.org',
    });
  }
  throw new WebfarerError(
    'usage',
    `There are ${here.length} crawl folders here: ${here.slice(0, 5).join(', ')}${here.length > 5 ? ', …' : ''}`,
    {
      next: `Name the one you mean, for example ${only}`,
    },
  );
}

async function newestHere(folder: string): Promise<string> {
  return basename(await newestGeneration(await familyOf(folder)));
}

/** The same for a question about one URL: of several crawls here, the one of its host or site is meant. */
export async function findFolderFor(text: string, named: string | undefined, cwd: string): Promise<string> {
  const url = named === undefined ? seedUrl(text)[0] : undefined;
  const names = url === undefined ? [] : [folderName(url), `${siteOf(hostOf(url))}${suffix}`];
  for (const name of names) if (holdsCrawl(join(cwd, name))) return await newestGeneration(join(cwd, name));
  return await findFolder(named, cwd);
}

/** `status example.org` finds `example.org.crawl` too, or its newest recrawl. A whole name is taken as it is. */
async function existingFolder(path: string, named: string, cwd: string): Promise<string> {
  if (await isDirectory(path)) return path;
  if (await isDirectory(`${path}${suffix}`)) return await newestGeneration(`${path}${suffix}`);
  throw new WebfarerError('not-found', `There is no folder ${shownPath(named, cwd)}.`);
}

export function holdsCrawl(path: string): boolean {
  return existsSync(join(path, 'crawl.json')) || existsSync(join(path, 'crawl.db'));
}

export async function isDirectory(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() ?? false;
}

/** Writes commands for a folder: its name is left out where it is the only one. */
export async function folderCommands(
  { launcher, cwd }: Pick<CliContext, 'launcher' | 'cwd'>,
  folder: string,
): Promise<(words: string) => string> {
  const only = await findFolder(undefined, cwd).catch(() => undefined);
  const named = only === folder ? '' : ` ${shellWords([shownPath(folder, cwd)])}`;
  return (words) => {
    const [command = '', ...rest] = words.split(' ');
    return [`${launcher} ${command}${named}`, ...rest].join(' ');
  };
}
