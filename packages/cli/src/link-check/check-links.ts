import { patternMatcher } from '@webfarer/protocol/url';
import type { FolderReader } from '../crawl/local-port.ts';
import { openSavedPages } from '../folder/saved-pages.ts';
import { checkAnchors } from './check-anchors.ts';
import { judgeLinks } from './judge-links.ts';
import type { BrokenLink, LinkReport } from './link-report.ts';

export interface CheckOptions {
  accepted: ReadonlySet<number>;
  /** Globs, or regular expressions after `regex:`; broken links that match are not counted. */
  ignore: readonly string[];
  anchors: boolean;
}

/** What is known of the links of a crawl, from its folder alone: nothing is requested. */
export async function checkLinks(
  reader: Pick<FolderReader, 'crawl' | 'job' | 'seeds' | 'member' | 'objects' | 'state' | 'results'>,
  folder: string,
  { accepted, ignore, anchors }: CheckOptions,
): Promise<LinkReport> {
  const { crawl, results } = reader;
  const crawled = {
    job: reader.job,
    seeds: reader.seeds,
    state: await reader.state(),
    records: () => results.records(crawl),
    edges: () => results.edges(crawl),
  };
  const { endOf, ...judged } = await judgeLinks(crawled, { accepted });
  const found = anchors
    ? await checkAnchors(crawled, { endOf }, openSavedPages(folder, reader))
    : { broken: [], unchecked: [], counts: { checked: 0, pagesNotKept: 0 } };
  const ignores = ignore.map(matcherOf);
  const isIgnored = ({ url }: BrokenLink) => ignores.some((fits) => fits(url));
  const broken = [...judged.broken, ...found.broken];
  return {
    ...judged,
    broken: broken.filter((link) => !isIgnored(link)),
    ignored: broken.filter(isIgnored),
    unchecked: [...judged.unchecked, ...found.unchecked],
    anchors: found.counts,
  };
}

function matcherOf(text: string): (url: string) => boolean {
  return patternMatcher(text.startsWith('regex:') ? { regex: text.slice('regex:'.length) } : text);
}
