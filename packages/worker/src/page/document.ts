import type { Edge, Url } from '@webfarer/protocol';
import { addressIn } from '../bytes/headers.ts';
import { charsetOf, decodeLargeText, decodeText } from '../extract/charset.ts';
import {
  type ExtractedPage,
  extractLinks,
  extractLinksOfLarge,
  type ExtractOptions,
  type RawLink,
} from '../extract/links.ts';
import { isFeed, isHtml, isXml, parseContentType, sniffMime } from '../extract/mime.ts';
import { withQueryIn } from '../extract/query-encoding.ts';
import { readSignals, type Signals } from '../extract/signals.ts';
import { readFeed } from '../extract/sitemap.ts';
import type { PageLink } from '../scrape/scraper.ts';

/** What a page says about itself and where it leads, read once for record, scraper and link graph. */
export interface Document {
  charset: string | undefined;
  /** As the page or its header declares it. */
  language: string | undefined;
  title: string | undefined;
  looksEmpty: boolean;
  /** That run. */
  scripts: number;
  /** Characters of text that people see. */
  visible: number;
  signals: Signals;
  /** Places to go, in document order. All say nofollow when the page does. */
  links: PageLink[];
  /** What is needed to show the page. */
  requisites: Url[];
  edges: Edge[];
  /** Places to go that are no http(s) URL: `mailto:`, `javascript:`, rubbish. */
  unusable: string[];
  text: () => string;
}

export interface DocumentOptions {
  url: Url;
  headers: [string, string][];
  /** Content encodings undone. */
  body: Buffer;
  normalise: (text: string, base?: string) => Url | undefined;
  agentToken: string;
  /** Look into `<style>` elements and `style` attributes for requisites. */
  styles?: boolean;
}

/** Smaller pages are read in one go: a few milliseconds. */
const largeBytes = 262_144;

export function readDocument(options: DocumentOptions): Document {
  const reading = beginReading(options);
  const page = reading.isPage ? extractLinks(reading.text(), reading.how) : undefined;
  return documentOf(options, reading, page);
}

/** The same, but a page of megabytes is read in pieces, and everything else has its turn between them. */
export async function readDocumentInTurns(options: DocumentOptions): Promise<Document> {
  if (options.body.length < largeBytes) return readDocument(options);
  const reading = beginReading(options);
  if (!reading.isPage) return documentOf(options, reading, undefined);
  await reading.decodeInTurns();
  return documentOf(options, reading, await extractLinksOfLarge(reading.text(), reading.how));
}

/** A body whose type is known, not yet read. */
interface Reading {
  mime: string;
  isPage: boolean;
  how: ExtractOptions;
  /** Undefined until the text was asked for. */
  charset(): string | undefined;
  text(): string;
  decodeInTurns(): Promise<void>;
}

function beginReading({ url, headers, body, normalise, styles = false }: DocumentOptions): Reading {
  const type = parseContentType(valueOf(headers, 'content-type')[0]);
  const mime = type.mime || sniffMime(body);
  const xml = isXml(mime);
  let charset: string | undefined;
  let decoded: string | undefined;
  const name = () => (charset ??= charsetOf(body, { label: type.charset, xml, url }));
  const resolve = (href: string, base?: string) => normalise(withQueryIn(name(), href), base);
  return {
    mime,
    isPage: isHtml(mime),
    how: { url, resolve, linkHeaders: valueOf(headers, 'link').map(addressIn), xml, styles },
    charset: () => charset,
    text: () => (decoded ??= decodeText(body, name())),
    async decodeInTurns() {
      decoded = await decodeLargeText(body, name());
    },
  };
}

function documentOf(options: DocumentOptions, reading: Reading, page: ExtractedPage | undefined): Document {
  const signals = readSignals({
    headers: options.headers,
    metaRobots: page?.metaRobots ?? [],
    agentToken: options.agentToken,
  });
  const found = page?.links ?? (isFeed(reading.mime, options.body) ? feedLinks(options, reading.text()) : []);
  return {
    charset: reading.charset(),
    language: page && languageOf(page.lang ?? valueOf(options.headers, 'content-language')[0]),
    title: page?.title,
    looksEmpty: page?.looksEmpty ?? false,
    scripts: page?.scripts ?? 0,
    visible: page?.visible ?? 0,
    signals,
    text: reading.text,
    ...sortLinks(found, signals.nofollow),
  };
}

/** The first tag of the list that the header may hold; what is no tag at all is nothing. */
function languageOf(text: string | undefined): string | undefined {
  const tag = text?.split(',')[0]?.trim().toLowerCase().replaceAll('_', '-');
  return tag !== undefined && /^[a-z]{2,8}(?:-[a-z0-9]{1,8}){0,4}$/.test(tag) ? tag : undefined;
}

/** A feed is a page of links. */
function feedLinks({ url, normalise }: DocumentOptions, text: string): RawLink[] {
  return readFeed(text).map(({ url: href }) => ({
    href,
    url: normalise(href, url),
    rel: 'feed',
    use: 'page',
    nofollow: false,
    text: '',
  }));
}

function sortLinks(
  found: ExtractedPage['links'],
  pageNofollow: boolean,
): Pick<Document, 'links' | 'requisites' | 'edges' | 'unusable'> {
  const links: PageLink[] = [];
  const requisites: Url[] = [];
  const edges: Edge[] = [];
  const unusable: string[] = [];
  for (const link of found) {
    if (link.url === undefined) {
      if (link.use === 'page') unusable.push(link.href);
      continue;
    }
    const to = link.url as Url;
    const nofollow = link.nofollow || pageNofollow;
    // No spreads: these are the most numerous objects of a crawl.
    const edge: Edge = { to, rel: link.rel };
    if (nofollow) edge.nofollow = true;
    if (link.text) edge.text = link.text;
    edges.push(edge);
    if (link.use === 'page') links.push({ url: to, rel: link.rel, text: link.text, nofollow });
    else if (link.use === 'requisite') requisites.push(to);
  }
  return { links, requisites, edges, unusable };
}

function valueOf(headers: [string, string][], name: string): string[] {
  return headers.filter(([n]) => n.toLowerCase() === name).map(([, value]) => value);
}
