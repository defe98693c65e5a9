import type { PageRecord, Url } from '@webfarer/protocol';
import type { FetchedPage } from '../fetch/fetch.ts';

/** URLs that are handled once more from the answers that the folder keeps, instead of being requested. */
export interface StoredAnswers {
  /** The answer to a URL, once; undefined where it is to be requested after all. */
  take(url: Url): Promise<StoredAnswer | undefined>;
}

export interface StoredAnswer {
  page: FetchedPage;
  kept: KeptFacts;
  /**
   * The store that knew of it is lost, and with it what the robots.txt of its host named: the file is read again. A page
   * whose handler alone is run again costs no request.
   */
  asksRobots: boolean;
}

/** Where an answer is kept, and how it fared in a browser. */
export type KeptFacts = Pick<PageRecord, 'saved' | 'notSaved' | 'resources' | 'rendered' | 'renderedWhy'>;
