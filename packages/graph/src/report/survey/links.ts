import type { Edge, Url } from '@webfarer/protocol';
import { hostOf } from '@webfarer/protocol/url';
import { isReaderLink } from '../../dependency/reader-links.ts';
import type { BrokenLinks } from './broken-links.ts';
import { type HostLinks, HostPairs } from './host-pairs.ts';
import { InDegrees } from './in-degrees.ts';

/** What a report shows of the links, gathered in one pass and in bounded memory. */
export interface LinkSurvey {
  links: number;
  inDegrees: InDegrees;
  hosts: HostLinks;
  /** In a sitemap, but linked from no page that was read. */
  onlyInSitemap: { rows: Url[]; total: number };
}

const maxListed = 100_000;

export async function surveyLinks(
  pages: AsyncIterable<{ from: Url; edges: Edge[] }>,
  { broken, maxRows }: { broken: BrokenLinks; maxRows: number },
): Promise<LinkSurvey> {
  const inDegrees = new InDegrees();
  const pairs = new HostPairs();
  const listed = new Set<Url>();
  let links = 0;
  for await (const { from, edges } of pages) {
    const here = new Set<string>();
    broken.linkedFrom(from, edges);
    for (const { to, rel } of edges) {
      if (rel === 'sitemap' && listed.size < maxListed) listed.add(to);
      if (!isReaderLink(rel)) continue;
      links += 1;
      if (here.has(to)) continue;
      here.add(to);
      inDegrees.add(to);
      pairs.add(hostOf(from), hostOf(to));
    }
  }
  const orphans = [...listed].filter((url) => inDegrees.of(url) === 0);
  return {
    links,
    inDegrees,
    hosts: pairs.result(),
    onlyInSitemap: { rows: orphans.slice(0, maxRows), total: orphans.length },
  };
}
