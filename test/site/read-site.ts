import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { Parser } from 'htmlparser2';

/** What a built page has, read off its HTML by a parser that is not the one that made it. */
export interface ReadPage {
  /** Below the folder of the site. */
  file: string;
  ids: Set<string>;
  links: string[];
  /** Links in the navigation. */
  navigation: string[];
}

export function readSite(folder: string): ReadPage[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html'))
    .map((name) => readPage(folder, name));
}

function readPage(folder: string, file: string): ReadPage {
  const page: ReadPage = { file, ids: new Set(), links: [], navigation: [] };
  let inNavigation = false;
  const parser = new Parser({
    onopentag(name, { id, href, src }) {
      if (id !== undefined) page.ids.add(id);
      if (name === 'nav') inNavigation = true;
      for (const address of [href, src]) {
        if (address === undefined) continue;
        page.links.push(address);
        if (inNavigation && name === 'a') page.navigation.push(address);
      }
    },
    onclosetag(name) {
      if (name === 'nav') inNavigation = false;
    },
  });
  parser.end(readFileSync(join(folder, file), 'utf8'));
  return page;
}

/** Links within the site to files or anchors that are not there, as "page: link". */
export function deadLinks(folder: string, pages: readonly ReadPage[]): string[] {
  const ids = new Map(pages.map(({ file, ids: own }) => [file, own]));
  return pages.flatMap(({ file, links }) =>
    links
      .filter((link) => !/^[a-z]+:/i.test(link) && !isThere({ folder, from: file, link, ids }))
      .map((link) => `${file}: ${link}`),
  );
}

interface Link {
  folder: string;
  from: string;
  link: string;
  ids: ReadonlyMap<string, ReadonlySet<string>>;
}

function isThere({ folder, from, link, ids }: Link): boolean {
  const [address = '', fragment = ''] = link.split('#');
  const path = address === '' ? join(folder, from) : resolve(folder, dirname(from), address);
  if (!existsSync(path) || !statSync(path).isFile()) return false;
  return fragment === '' || (ids.get(relative(folder, path))?.has(decodeURIComponent(fragment)) ?? false);
}
