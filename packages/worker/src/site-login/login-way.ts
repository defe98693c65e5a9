import type { Url } from '@webfarer/protocol';
import type { FetchedPage } from '../fetch/fetch.ts';

/** Requests that look after a login: under the lease, gap and egress of their host, and no pages of the crawl. */
export interface LoginWay {
  /** Answers as a text why there is no answer. Redirects are not followed. */
  ask(url: Url, sent?: LoginRequest): Promise<FetchedPage | string>;
}

export interface LoginRequest {
  method: 'GET' | 'POST';
  body: string | undefined;
  contentType: string | undefined;
}
