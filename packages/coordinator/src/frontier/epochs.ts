import type { CrawlId, LeaseReport } from '@webfarer/protocol';
import { epochChanged } from '../redis/epoch-changed.ts';

/** Rejects reports that leave out links which were known in another epoch. */
export function requireEpoch(
  reports: readonly LeaseReport[],
  epochOf: (crawl: CrawlId) => string | undefined,
): void {
  for (const { crawl, trimmedIn } of reports)
    if (trimmedIn !== undefined && trimmedIn !== epochOf(crawl)) throw epochChanged();
}
