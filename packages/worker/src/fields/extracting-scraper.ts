import type { HostKey, Url } from '@webfarer/protocol';
import type { ExtractRule } from '@webfarer/protocol/job';
import { patternMatcher } from '@webfarer/protocol/url';
import { nextTurn } from '../extract/turns.ts';
import { treeInTurns } from '../scrape/page.ts';
import type { Scraper } from '../scrape/scraper.ts';
import { timeLimit } from '../scrape/time-limit.ts';
import type { Account } from '../shares/account.ts';
import { expressionsOf, itemsOf } from './items.ts';
import { itemsAside } from './items-aside.ts';
import { loadValues } from './page-values.ts';

/** For all rules on one page: nothing else runs in the process meanwhile. What takes longer is done aside. */
const maxMs = 200;

/** Before the rules of a larger page others have their turn: it was worked on already. */
const largeCharacters = 262_144;

/** The scraper itself, then the items that the rules make of its page. Without rules it is the scraper alone. */
export function extractingScraper(
  scraper: Scraper,
  rules: readonly ExtractRule[],
  { seedHosts, account }: { seedHosts: readonly HostKey[]; account: Account },
): Scraper {
  if (rules.length === 0) return scraper;
  const compiled = rules.map(({ pages, ...rule }) => {
    const patterns = pages?.map((pattern) => patternMatcher(pattern, seedHosts));
    return { rule, fits: (url: Url) => patterns?.some((matches) => matches(url)) ?? true };
  });
  const expressions = expressionsOf(rules);
  const within = timeLimit(maxMs);
  return async (page, tools) => {
    await scraper(page, tools);
    const fitting = compiled.filter(({ fits }) => fits(page.url)).map(({ rule }) => rule);
    if (fitting.length === 0 || (await treeInTurns(page)) === undefined) return;
    const open = await loadValues(expressions);
    if (page.source().length > largeCharacters) await nextTurn();
    const made = within(() => itemsOf(page, fitting, open(page)));
    for (const item of made ?? (await itemsAside(page, fitting, account))) tools.push(item);
  };
}
