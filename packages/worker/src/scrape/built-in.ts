import type { UrlPattern } from '@webfarer/protocol/job';
import { createExpression, patternMatcher } from '@webfarer/protocol/url';
import { createPace, followInTurns } from './follow-in-turns.ts';
import { ItemProblem } from './item-problem.ts';
import type { Scraper } from './scraper.ts';
import { timeLimit } from './time-limit.ts';

/** For the ids of one page. Nothing else runs in the process meanwhile. */
const maxMs = 200;

/** Follows the links of every page, or only those that fit one of the patterns. */
export function linksScraper(options: { follow?: UrlPattern[] } = {}): Scraper {
  const patterns = options.follow ?? [];
  const tests = patterns.map((pattern) => patternMatcher(pattern));
  const fits = tests.length === 0 ? undefined : (url: string) => tests.some((test) => test(url));
  return (page, { follow }) => followInTurns(page.links, follow, fits);
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
  const urlsOf = function* (found: Iterable<string>) {
    for (const id of found) yield options.template.replaceAll('{id}', encodeURIComponent(id));
  };
  return async (page, { follow }) => {
    await followInTurns(page.links, follow);
    if (page.label === 'id') return;
    const source = page.source();
    const ids = within(() => idsIn(source));
    if (ids === undefined) throw new ItemProblem(tooSlow);
    await createPace().each(ids, (some) => follow(urlsOf(some), { label: 'id' }));
  };
}

const tooSlow = `finding the ids took longer than ${maxMs} ms: the expression is too slow for this page`;

/** Follows what is in scope, and asks of what is not whether it is there. */
export function siteScraper({ check }: { check: boolean }): Scraper {
  const outside = check ? 'check' : 'drop';
  return (page, { follow }) => followInTurns(page.links, (links) => follow(links, { outside }));
}
