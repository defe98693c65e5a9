import { linkRelation, maxUrlBytes, parseUrl } from '@webfarer/protocol/url';
import { parseLinkHeader } from './link-header.ts';
import { type PageRead, type RawLink, readLargePage, readPage, type ReadPageOptions } from './page-reader.ts';
import type { MetaRobots } from './signals.ts';

export type { RawLink } from './page-reader.ts';

export interface ExtractedPage {
  /** Each (URL, rel) once, in document order. */
  links: RawLink[];
  /** What relative links are relative to. */
  base: string;
  title: string | undefined;
  /** The language the page declares for itself. */
  lang: string | undefined;
  metaRobots: MetaRobots[];
  /** Almost no text or links of its own, but scripts: a page made in the browser. */
  looksEmpty: boolean;
  scripts: number;
  visible: number;
  /** Links beyond the limit, or longer than any URL: not in the list. A large page is not read on to count them all. */
  skipped: number;
}

export interface ExtractOptions {
  /** The page's own URL. */
  url: string;
  /** Turns an href and its base into the URL to keep; by default plain WHATWG resolution. */
  resolve?: (href: string, base: string) => string | undefined;
  /** Values of the answer's `Link:` headers. */
  linkHeaders?: readonly string[];
  /** Well-formed XHTML: `<script/>` is closed. */
  xml?: boolean;
  maxLinks?: number;
  /** Count what `<style>` elements and `style` attributes refer to as well. */
  styles?: boolean;
}

const plainResolve = (href: string, base: string): string | undefined => parseUrl(href, base)?.href;

/** Reads links, title and meta robots off a page in one pass without building a tree. Never throws. */
export function extractLinks(html: string, options: ExtractOptions): ExtractedPage {
  return linksOf(readPage(html, readingOf(options)), options);
}

/** The same for a page of megabytes, with turns for others in between. */
export async function extractLinksOfLarge(html: string, options: ExtractOptions): Promise<ExtractedPage> {
  return linksOf(await readLargePage(html, readingOf(options)), options);
}

function readingOf({ xml = false, maxLinks = 5_000, styles = false }: ExtractOptions): ReadPageOptions {
  return { xml, maxLinks, styles };
}

function linksOf(read: PageRead, options: ExtractOptions): ExtractedPage {
  const { url, resolve = plainResolve } = options;
  const base = baseOf(read.base, url);
  const links: RawLink[] = [];
  /** What was found under each rel: few, so that no key has to be made for every link. */
  const seen = new Map<string, Set<string>>();
  const add = (link: RawLink): void => {
    link.url = resolve(link.href, base);
    let found = seen.get(link.rel);
    if (!found) seen.set(link.rel, (found = new Set()));
    const before = found.size;
    if (found.add(link.url ?? link.href).size > before) links.push(link);
  };
  for (const { href, rel } of (options.linkHeaders ?? []).flatMap(parseLinkHeader)) {
    const meaning = linkRelation(rel);
    if (meaning) add({ href, url: undefined, rel: meaning.rel, use: meaning.use, nofollow: false, text: '' });
  }
  // Without a base of its own, a bare fragment is a place on this very page.
  for (const link of read.links) if (read.base !== undefined || !link.href.startsWith('#')) add(link);
  const { links: _, base: _base, ...rest } = read;
  return { ...rest, links, base };
}

/**
 * Only http(s) can be a base; anything else would hide every relative link of the page. One that is longer than any URL of a
 * crawl would be gone through again for each of them.
 */
function baseOf(written: string | undefined, url: string): string {
  const base = written === undefined ? undefined : parseUrl(written, url)?.href;
  return base !== undefined && /^https?:/.test(base) && base.length <= maxUrlBytes ? base : url;
}
