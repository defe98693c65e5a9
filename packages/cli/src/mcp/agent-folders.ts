import { realpathSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { type Url, WebfarerError } from '@webfarer/protocol';
import { folderName, holdsCrawl } from '../folder/folders.ts';

/** Beside the crawls: single pages by their host, and maps of sites. */
const places = ['pages', 'maps'] as const;
const suffix = '.crawl';
const folderPattern = /^(?:(?:pages|maps)\/)?[A-Za-z0-9][\w.-]{0,250}$/;

/** The folder of an agent's crawl by the name that tools answer. No name leads out of the operator's folder. */
export function agentFolder(root: string, name: string): string {
  const whole = name.endsWith(suffix) ? name : `${name}${suffix}`;
  const path = join(root, whole);
  if (!folderPattern.test(whole) || !isInside(root, path))
    throw new WebfarerError('forbidden', `${name.slice(0, 200)} is not the name of a crawl.`, {
      next: 'Use letters, digits, dots and dashes, or a folder that a tool has answered: example.org.crawl',
    });
  return path;
}

/** A symbolic link in the folder may lead elsewhere. What is not there yet is where its parent is. */
function isInside(root: string, path: string): boolean {
  if (path === root) return true;
  try {
    return realpathSync(path).startsWith(realpathSync(root) + sep);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && isInside(root, dirname(path));
  }
}

/** The name of a folder that tools take. */
export function folderTitle(root: string, folder: string): string {
  return folder
    .slice(root.length + 1)
    .split(sep)
    .join('/');
}

/** Where single pages of the host of a URL are kept. */
export function pagesFolder(root: string, url: Url): string {
  return agentFolder(root, `pages/${folderName(url)}`);
}

export function mapFolder(root: string, url: Url): string {
  return agentFolder(root, `maps/${folderName(url)}`);
}

/** A crawl that is there; the error of a wrong name lists the right ones. */
export async function existingCrawl(root: string, name: string): Promise<string> {
  const folder = agentFolder(root, name);
  if (holdsCrawl(folder)) return folder;
  const names = await crawlNames(root);
  throw new WebfarerError('not-found', `There is no crawl ${name.slice(0, 200)}.`, {
    next: names.length === 0 ? 'crawl_site or fetch_page makes one.' : `There are: ${names.join(', ')}`,
  });
}

const mostNames = 50;

async function crawlNames(root: string): Promise<string[]> {
  const names: string[] = [];
  for (const place of ['', ...places]) {
    const found = await readdir(join(root, place)).catch((): string[] => []);
    for (const name of found.toSorted())
      if (name.endsWith(suffix)) names.push(place === '' ? name : `${place}/${name}`);
  }
  return names.slice(0, mostNames);
}

/** The crawls that a question about a URL may be about, best first. */
export function crawlsAbout(root: string, url: Url): string[] {
  return [join(root, folderName(url)), pagesFolder(root, url), mapFolder(root, url)].filter(holdsCrawl);
}
