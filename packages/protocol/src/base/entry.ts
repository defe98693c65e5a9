import type { Url } from './brands.ts';

export const entryKinds = ['page', 'check', 'requisite', 'sitemap'] as const;
export type EntryKind = (typeof entryKinds)[number];

/** Bands of a host's queue behind the first one. Sitemaps have none: they come before everything else. */
export const bands = [1, 2, 3, 4, 5, 6, 7] as const;
export type Band = (typeof bands)[number];

/** What a request may carry, all of it as JSON text: it is kept in memory with the queue, and leased in frames. */
export const mostRequestBytes = 16_384;

/** What is sent for a URL beyond a plain GET, and what comes back with its page. */
export interface PageRequest {
  /** Absent: GET. */
  method?: 'POST';
  /** Content type of the body. */
  type?: string;
  body?: string;
  headers?: Readonly<Record<string, string>>;
  /** For the handler that is given the page; JSON. */
  data?: unknown;
}

/** A URL someone wants in the frontier. Already normalised and in scope; the frontier decides known or new. */
export interface Offer {
  url: Url;
  kind: EntryKind;
  /** Links followed from a seed. A redirect target keeps the depth of its source. */
  depth: number;
  /** Cost by the policy's URL rules; seeds cost 0. */
  cost: number;
  /** Where it queues on its host in a job that asks for an order: behind all of a lower band. Absent: 0, the first. */
  band?: Band;
  label?: string;
  /** Absent: a plain GET. With a method other than GET, the URL names the request: see `requestUrl`. */
  request?: PageRequest;
  /** Redirects in a row that led here. */
  hops: number;
}

/** One queued URL as a lease hands it out. */
export interface Entry extends Offer {
  /** Tries already charged to this URL. */
  attempt: number;
  /** Workers that died while fetching this URL, which is then leased alone; absent if there were none. */
  deaths?: number;
  /** The page on which it was first found; absent for seeds. */
  referrer?: Url;
  /** Only in a recrawl: what the previous crawl saw of this URL. */
  before?: Before;
}

/** What a request needs to know of the previous crawl: validators to send, the payload to compare with. */
export interface Before {
  /** It was a page then: answered 2xx, or 304 in a recrawl. */
  content: boolean;
  /** Wall time of the archived capture that holds its bytes. Absent: no archive does. */
  capturedAtMs?: number;
  /** The URL of that capture, where it is another one with the same bytes. */
  capturedUrl?: Url;
  /** Validators, and only where a "not modified" leaves nothing out that this crawl is to keep. */
  etag?: string;
  lastModified?: string;
  digest?: string;
}

/** The links of one page as a store keeps them, packed where the page was read. */
export interface PackedEdges {
  length: number;
  /** As `packEdges` makes them. */
  packed: Uint8Array;
}

/** One link of a page, stored with the page's outcome: what the link graph is made of. */
export interface Edge {
  to: Url;
  /** Where it stood: `a`, `img`, `link:canonical`, `redirect`, `sitemap`, ... */
  rel: string;
  nofollow?: boolean;
  /** Anchor text, white space folded, at most 200 characters. */
  text?: string;
}
