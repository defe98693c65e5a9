import type { Edge, Url } from '@webfarer/protocol';
import { charsetOf, decodeText } from './extract/charset.ts';
import { extractLinks, type ExtractedPage } from './extract/links.ts';
import { isHtml, isXml, parseContentType, sniffMime } from './extract/mime.ts';
import { readSignals, type Signals } from './extract/signals.ts';
import type { PageLink } from './scrape/scraper.ts';

/** What a page says about itself and where it leads, read once for record, scraper and link graph. */
export interface Document {
  charset: string | undefined;
  title: string | undefined;
  looksEmpty: boolean;
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
}

export function readDocument(options: DocumentOptions): Document {
  const { url, headers, body } = options;
  const type = parseContentType(valueOf(headers, 'content-type')[0]);
  const mime = type.mime || sniffMime(body);
  const xml = isXml(mime);
  let charset: string | undefined;
  let decoded: string | undefined;
  const text = () => {
    charset ??= charsetOf(body, { label: type.charset, xml });
    decoded ??= decodeText(body, charset);
    return decoded;
  };
  const page = isHtml(mime)
    ? extractLinks(text(), { url, resolve: options.normalise, linkHeaders: valueOf(headers, 'link'), xml })
    : undefined;
  const signals = readSignals({
    headers,
    metaRobots: page?.metaRobots ?? [],
    agentToken: options.agentToken,
  });
  return {
    charset,
    title: page?.title,
    looksEmpty: page?.looksEmpty ?? false,
    signals,
    text,
    ...sortLinks(page?.links ?? [], signals.nofollow),
  };
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
    edges.push({
      to,
      rel: link.rel,
      ...(nofollow ? { nofollow } : {}),
      ...(link.text ? { text: link.text } : {}),
    });
    if (link.use === 'page') links.push({ url: to, rel: link.rel, text: link.text, nofollow });
    else if (link.use === 'requisite') requisites.push(to);
  }
  return { links, requisites, edges, unusable };
}

function valueOf(headers: [string, string][], name: string): string[] {
  return headers.filter(([n]) => n.toLowerCase() === name).map(([, value]) => value);
}
