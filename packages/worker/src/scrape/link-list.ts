import type { UrlPattern } from '@webfarer/protocol/job';
import { patternMatcher } from '@webfarer/protocol/url';
import type { Links, PageLink } from './scraper.ts';

/** The links of a page as a small immutable list. */
export function linkList(links: readonly PageLink[]): Links {
  return {
    length: links.length,
    [Symbol.iterator]: () => links[Symbol.iterator](),
    urls: () => links.map((link) => link.url),
    matching(...patterns) {
      const tests = patterns.map(testOf);
      return linkList(links.filter((link) => tests.some((fits) => fits(link.url))));
    },
  };
}

/** One with the flag `g` or `y` remembers where it matched last, but each link is looked at from its start. */
function testOf(pattern: UrlPattern | RegExp): (url: string) => boolean {
  if (!(pattern instanceof RegExp)) return patternMatcher(pattern);
  // allow(expression): of the code of the crawl, which runs here anyway
  const fixed = new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, ''));
  return (url) => fixed.test(url);
}
