import type { UrlPattern } from '@webfarer/protocol/job';
import { createExpression } from '@webfarer/protocol/url';
import { ItemProblem } from './item-problem.ts';
import type { Scraper } from './scraper.ts';
import { timeLimit } from './time-limit.ts';

/** For the ids of one page. Nothing else runs in the process meanwhile. */
const maxMs = 1_000;

/** Follows the links of every page, or only those that fit one of the patterns. */
export function linksScraper(options: { follow?: UrlPattern[] } = {}): Scraper {
  const patterns = options.follow ?? [];
  return (page, { follow }) => follow(patterns.length === 0 ? page.links : page.links.matching(...patterns));
}

/** Links are followed too; each id found in a page's text is put into the template and fetched. */
export function idsScraper(options: { find: string; template: string }): Scraper {
  const find = createExpression(options.find, { flags: 'u', use: 'find' });
  const within = timeLimit(maxMs);
  const idsIn = (text: string): Set<string> => {
    const ids = new Set<string>();
    for (const [whole = '', first = whole] of find.matches(text)) ids.add(first);
    return ids;
  };
  return (page, { follow }) => {
    follow(page.links);
    if (page.label === 'id') return;
    const source = page.source();
    const ids = within(() => idsIn(source), tooLate);
    const urls = [...ids].map((id) => options.template.replaceAll('{id}', encodeURIComponent(id)));
    follow(urls, { label: 'id' });
  };
}

const tooLate = () =>
  new ItemProblem(`finding the ids took longer than ${maxMs} ms: the expression is too slow for this page`);

/** Follows what is in scope, and asks of what is not whether it is there. */
export function siteScraper({ check }: { check: boolean }): Scraper {
  return (page, { follow }) => follow(page.links, { outside: check ? 'check' : 'drop' });
}
