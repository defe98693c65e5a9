import { constants, gunzipSync } from 'node:zlib';
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';
import { charsetOf, decodeText } from './charset.ts';

export interface SitemapLink {
  /** As written, white space dropped. */
  url: string;
  /** `sitemap`: another sitemap, named by an index. */
  kind: 'page' | 'sitemap';
  lastmod?: string;
}

/** The limits of the sitemap protocol. */
const maxBytes = 50 * 1024 * 1024;
const maxUrls = 50_000;
const maxUrlLength = 2_083;

/**
 * The URLs of a sitemap, an index of sitemaps, an RSS or Atom feed, or a plain list; gzip is undone. What is
 * none of these gives none. Never throws; the tokenizer keeps no stack, so nesting costs nothing.
 */
export function readSitemap(body: Buffer): SitemapLink[] {
  const bytes = unzip(body).subarray(0, maxBytes);
  const text = decodeText(bytes, charsetOf(bytes, { xml: true }));
  return /^[\s\ufeff]*</.test(text.slice(0, 1_000)) ? readXml(text) : readLines(text);
}

function unzip(body: Buffer): Buffer {
  if (body[0] !== 0x1f || body[1] !== 0x8b) return body;
  // Deflate shrinks at most 1,032-fold, so the smallest part always fits; the larger ones keep more.
  const parts = [body.length, body.length >> 1, body.length >> 3, Math.floor(maxBytes / 1_032)];
  for (const part of parts) {
    try {
      // A missing end is no error: what came before it counts.
      const options = { maxOutputLength: maxBytes, finishFlush: constants.Z_SYNC_FLUSH };
      return gunzipSync(body.subarray(0, part), options);
    } catch (error) {
      if ((error as { code?: string }).code !== 'ERR_BUFFER_TOO_LARGE') return Buffer.alloc(0);
    }
  }
  return Buffer.alloc(0);
}

function readLines(text: string): SitemapLink[] {
  const links: SitemapLink[] = [];
  for (const match of text.matchAll(/[^\r\n]+/g)) {
    const url = match[0].replace(/^\ufeff/, '').trim();
    if (/^https?:\/\/\S+$/i.test(url) && url.length <= maxUrlLength) links.push({ url, kind: 'page' });
    if (links.length >= maxUrls) break;
  }
  return links;
}

/** The text being read: of a `loc` or `link`, of a `lastmod`, or of an entry that forgot its `loc`. */
type Reading = 'url' | 'lastmod' | 'bare';

type Root = 'urlset' | 'sitemapindex' | 'feed' | undefined;

const roots: Readonly<Record<string, Root>> = {
  urlset: 'urlset',
  sitemapindex: 'sitemapindex',
  rss: 'feed',
  feed: 'feed',
  rdf: 'feed',
};

function readXml(text: string): SitemapLink[] {
  const reader = createReader(text);
  const tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, reader.callbacks);
  reader.stop = () => tokenizer.pause();
  tokenizer.write(text);
  tokenizer.end();
  return reader.links;
}

interface Reader {
  callbacks: TokenizerCallbacks;
  links: SitemapLink[];
  /** Called when there is no use in reading on. */
  stop: () => void;
}

function createReader(source: string): Reader {
  const links: SitemapLink[] = [];
  const known = new Set<string>();
  let root: Root;
  let rootSeen = false;
  /** Namespace prefix of the root, with its colon: `image:loc` is not ours, `sm:loc` in `sm:urlset` is. */
  let prefix = '';
  let name = '';
  let attributes: Record<string, string> = {};
  let attribute = '';
  let value = '';
  let reading: Reading | undefined;
  let text = '';
  let current: SitemapLink | undefined;

  function add(written: string): void {
    const url = written.trim();
    if (url === '' || url.length > maxUrlLength || known.has(url)) return;
    known.add(url);
    current = { url, kind: root === 'sitemapindex' ? 'sitemap' : 'page' };
    links.push(current);
    if (links.length >= maxUrls) reader.stop();
  }

  function beginRoot(): void {
    rootSeen = true;
    const colon = name.indexOf(':');
    prefix = colon < 0 ? '' : name.slice(0, colon + 1);
    root = roots[name.slice(prefix.length)];
    // RSS 1.0 wraps plain elements in rdf:RDF.
    if (root === 'feed') prefix = '';
    if (!root) reader.stop();
  }

  function opened(selfClosing: boolean): void {
    if (!rootSeen) return beginRoot();
    const local = name.startsWith(prefix) ? name.slice(prefix.length) : name;
    if (root === 'feed') {
      const { href, rel = 'alternate' } = attributes;
      if (local === 'link' && href !== undefined && /^(?:alternate|next|self)$/.test(rel)) {
        if (rel !== 'self') add(href);
      } else if (local === 'link' && !selfClosing) read('url');
    } else if (local === 'loc') read('url');
    else if (local === 'lastmod') read('lastmod');
    else if (local === 'url' || local === 'sitemap') {
      current = undefined;
      read('bare');
    } else if (name.endsWith(':link') && attributes.rel === 'alternate' && attributes.href !== undefined) {
      const own = current;
      add(attributes.href);
      current = own;
    }
  }

  function read(what: Reading): void {
    reading = what;
    text = '';
  }

  function closed(): void {
    if (reading === 'url' || (reading === 'bare' && /^\s*https?:/i.test(text))) add(text);
    else if (reading === 'lastmod' && current) current.lastmod = text.trim().slice(0, 40);
    reading = undefined;
  }

  const collect = (start: number, end: number): void => {
    if (reading && text.length <= maxUrlLength)
      text += source.slice(start, Math.min(end, start + maxUrlLength + 1));
  };
  const callbacks: TokenizerCallbacks = {
    onopentagname(start, end) {
      reading = undefined;
      name = source.slice(start, Math.min(end, start + 100)).toLowerCase();
      attributes = {};
    },
    onattribname(start, end) {
      attribute = source.slice(start, Math.min(end, start + 100)).toLowerCase();
      value = '';
    },
    onattribdata(start, end) {
      if (value.length <= maxUrlLength) value += source.slice(start, Math.min(end, start + maxUrlLength + 1));
    },
    onattribentity(codePoint) {
      value += String.fromCodePoint(codePoint);
    },
    onattribend() {
      if (attribute === 'href' || attribute === 'rel') attributes[attribute] ??= value;
    },
    onopentagend: () => opened(false),
    onselfclosingtag: () => opened(true),
    onclosetag: closed,
    ontext: collect,
    ontextentity(codePoint) {
      if (reading && text.length <= maxUrlLength) text += String.fromCodePoint(codePoint);
    },
    oncdata: (start, end, offset) => collect(start, end - offset),
    oncomment() {},
    ondeclaration() {},
    onprocessinginstruction() {},
    onend() {},
  };
  const reader: Reader = { callbacks, links, stop: () => {} };
  return reader;
}
