import type { Url } from '@webfarer/protocol';
import { parseUrl } from '@webfarer/protocol/url';
import type { Redirected } from './edits.ts';
import { asHref } from './front-page.ts';

export interface AddressOptions {
  /** The file that the references stand in. */
  path: string;
  /** Turns what a page says into the URL that the crawl knew it by. */
  normalise: (text: string, base?: string) => Url | undefined;
  /** The file that a URL leads to. */
  find: (url: string) => string | undefined;
}

/**
 * The references of one file: relative where their target is in the folder, absolute where it is not. A place on a page is
 * kept with either.
 */
export function redirectedFrom({ path, normalise, find }: AddressOptions): Redirected {
  const folders = path.split('/').slice(0, -1);
  /** A page names the same few places again and again. */
  const known = new Map<string, string | undefined>();
  const fileOf = (url: string): string | undefined => {
    if (!known.has(url)) known.set(url, find(url));
    return known.get(url);
  };
  return (href, base) => {
    const parsed = parseUrl(href, base);
    if (!parsed || !/^https?:$/.test(parsed.protocol)) return undefined;
    const url = normalise(href, base);
    const target = url === undefined ? undefined : fileOf(url);
    if (target === undefined) return { href: parsed.href, kept: false };
    if (target === path && parsed.hash !== '') return { href: parsed.hash, kept: true };
    return { href: `${relative(folders, target)}${parsed.hash}`, kept: true };
  };
}

function relative(folders: readonly string[], target: string): string {
  const parts = target.split('/');
  let shared = 0;
  while (shared < parts.length - 1 && shared < folders.length && parts[shared] === folders[shared])
    shared += 1;
  return '../'.repeat(folders.length - shared) + asHref(parts.slice(shared).join('/'));
}
