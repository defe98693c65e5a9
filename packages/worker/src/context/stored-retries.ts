import type { PageRecord, Url } from '@webfarer/protocol';
import type { FetchedPage } from '../fetch/fetch.ts';

/** Pages that are handled once more from the answers that the folder keeps, instead of being requested. */
export interface StoredRetries {
  /** The answer to a URL, once; undefined where it is to be requested after all. */
  take(url: Url): Promise<StoredAnswer | undefined>;
}

export interface StoredAnswer {
  page: FetchedPage;
  /** Where it is kept. */
  kept: Pick<PageRecord, 'saved' | 'resources'>;
}
