import type { SiteRequest } from './example-site.ts';

/**
 * What is wrong with how a second command went on after the first was interrupted: it must ask for new
 * pages, and again for at most the one that the interrupt cut off.
 */
export function goneOn([first = [], second = []]: SiteRequest[][]): string[] {
  const pages = (requests: SiteRequest[]): string[] =>
    requests
      .filter(({ what, status }) => status < 429 && !what.endsWith('/robots.txt'))
      .map(({ what }) => what);
  const again = pages(second).filter((what) => pages(first).includes(what));
  if (pages(second).length === 0) return ['the second line asked for nothing'];
  return again.length <= 1 ? [] : [`asked again: ${again.join(' ')}`];
}
