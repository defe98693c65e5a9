import type { UrlPattern } from '@webfarer/protocol/job';
import type { Scraper } from './scraper.ts';

/** Follows the links of every page, or only those that fit one of the patterns. */
export function linksScraper(options: { follow?: UrlPattern[] } = {}): Scraper {
  const patterns = options.follow ?? [];
  return (page, { follow }) => follow(patterns.length === 0 ? page.links : page.links.matching(...patterns));
}

/** Links are followed too; each id found in a page's text is put into the template and fetched. */
export function idsScraper(options: { find: string; template: string }): Scraper {
  const find = new RegExp(options.find, 'gu');
  return (page, { follow }) => {
    follow(page.links);
    if (page.label === 'id') return;
    const ids = new Set<string>();
    for (const match of page.source().matchAll(find)) ids.add(match[1] ?? match[0]);
    const urls = [...ids].map((id) => options.template.replaceAll('{id}', encodeURIComponent(id)));
    follow(urls, { label: 'id' });
  };
}

/** Follows what is in scope, and asks of what is not whether it is there. */
export function siteScraper({ check }: { check: boolean }): Scraper {
  return (page, { follow }) => follow(page.links, { outside: check ? 'check' : 'drop' });
}
