import { type CrawlId, type LeaseReport, WebfarerError } from '@webfarer/protocol';

/** Rejects reports that leave out links which were known in another epoch. */
export function requireEpoch(
  reports: readonly LeaseReport[],
  epochOf: (crawl: CrawlId) => string | undefined,
): void {
  for (const { crawl, trimmedIn } of reports)
    if (trimmedIn !== undefined && trimmedIn !== epochOf(crawl)) throw epochChanged();
}

export function epochChanged(): WebfarerError {
  return new WebfarerError(
    'epoch-changed',
    'the store may have gone back in time since this report was trimmed',
    { next: 'The worker resends the report with all its links; no action is needed.' },
  );
}
