import type { Url } from './brands.ts';

export const entryKinds = ['page', 'check', 'requisite', 'sitemap'] as const;
export type EntryKind = (typeof entryKinds)[number];

/** A URL someone wants in the frontier. Already normalised and in scope; the frontier decides known or new. */
export interface Offer {
  url: Url;
  kind: EntryKind;
  /** Links followed from a seed. A redirect target keeps the depth of its source. */
  depth: number;
  /** Cost by the policy's URL rules; seeds cost 0. */
  cost: number;
  label?: string;
  /** Redirects in a row that led here. */
  hops: number;
}

/** One queued URL as a lease hands it out. */
export interface Entry extends Offer {
  /** Tries already charged to this URL. */
  attempt: number;
  /** The page on which it was first found; absent for seeds. */
  referrer?: Url;
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
