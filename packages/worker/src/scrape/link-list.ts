import { globMatcher } from '@webfarer/protocol/url';
import type { Links, PageLink } from './scraper.ts';

/** The links of a page as a small immutable list. */
export function linkList(links: readonly PageLink[]): Links {
  return {
    length: links.length,
    [Symbol.iterator]: () => links[Symbol.iterator](),
    urls: () => links.map((link) => link.url),
    matching(...globs) {
      const tests = globs.map((glob) => globMatcher(glob));
      return linkList(links.filter((link) => tests.some((fits) => fits(link.url))));
    },
  };
}
