import type { Balance, CrawlId, Reason, Url } from '@webfarer/protocol';
import type { Results } from '../../results/results.ts';

export interface UnfetchedSeed extends Reason {
  url: Url;
  verdict: 'failed' | 'refused';
}

/** Looked for in what failed or was refused, so a crawl in which nothing did costs nothing. */
export async function unfetchedSeeds(
  results: Pick<Results, 'records'>,
  { crawl, seeds, balance }: { crawl: CrawlId; seeds: readonly Url[]; balance: Balance },
): Promise<UnfetchedSeed[]> {
  const wanted = new Set(seeds);
  const found: UnfetchedSeed[] = [];
  for (const verdict of ['refused', 'failed'] as const) {
    if (balance[verdict] === 0) continue;
    for await (const { url, reason, detail } of results.records(crawl, { verdict })) {
      if (!wanted.delete(url)) continue;
      found.push({ url, verdict, code: reason, ...(detail === undefined ? {} : { detail }) });
      if (wanted.size === 0) return found;
    }
  }
  return found;
}
