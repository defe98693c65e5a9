import type { Url } from '@webfarer/protocol';

/** Where a link stands. */
export interface FoundOn {
  page: Url;
  /** Of the link, as far as it has any. */
  text: string;
  /** `a`, `img`, `sitemap`, … */
  rel: string;
}

/** A target as pages name it, and all pages that do; none for a seed. */
interface Target {
  /** With its fragment, where that is what is wrong; as written, where it is not a URL. */
  url: string;
  on: FoundOn[];
}

export interface BrokenLink extends Target {
  /** `link`: the target does not answer as it should. `anchor`: it has no such place. `address`: it is not a URL. */
  kind: 'link' | 'anchor' | 'address';
  status?: number;
  /** A code of the table of reasons, `anchor-missing`, `redirect-loop` or `invalid`. */
  reason: string;
  detail?: string;
  /** Redirects that lead from the link to what is broken, in order. */
  via?: Url[];
}

/** Neither good nor broken: it was not requested, or what it answered says nothing about the link. */
export interface UncheckedLink extends Target {
  reason: string;
  detail?: string;
}

export interface RedirectedLink extends Target {
  /** Where it ends. */
  to: Url;
  /** Of the first redirect: 301 and 308 are permanent. */
  status: number;
}

export interface LinkReport {
  /** Pages whose links were judged. */
  pages: number;
  /** Targets that answered, by a redirect or not. */
  good: string[];
  broken: BrokenLink[];
  /** Broken, but the caller asked not to hear of them. */
  ignored: BrokenLink[];
  unchecked: UncheckedLink[];
  /** Good ones that would be better written otherwise. */
  redirected: RedirectedLink[];
  anchors: AnchorCounts;
}

export interface AnchorCounts {
  /** Links with a fragment that were looked up in the page they lead to. */
  checked: number;
  /** Pages that the crawl read but did not keep, so that neither their links with fragments nor their ids are known. */
  pagesNotKept: number;
}

/** Adds a place to a target, which is made when it is first met. The links of a page come one after the other. */
export function foundIn<T extends Target>(targets: Map<string, T>, made: T, on: FoundOn | undefined): void {
  const target = targets.get(made.url) ?? made;
  if (target === made) targets.set(made.url, made);
  if (!on) return;
  const here = target.on.slice(target.on.findLastIndex(({ page }) => page !== on.page) + 1);
  if (!here.some(({ text }) => text === on.text)) target.on.push(on);
}
