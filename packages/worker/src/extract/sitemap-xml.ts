import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

export interface SitemapLink {
  /** As written, white space dropped. */
  url: string;
  /** `sitemap`: another sitemap, named by an index. */
  kind: 'page' | 'sitemap';
  lastmod?: string;
}

/** The limits of the sitemap protocol. */
export const maxUrls = 50_000;
export const maxUrlLength = 2_083;

/** Reads XML slice by slice; what it found so far may be taken between two. */
export interface XmlReader {
  write(slice: string): void;
  end(): void;
  /** What was found since the last call. */
  take(): SitemapLink[];
  /** There is no use in reading on. */
  readonly done: boolean;
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

/** Names are at most this long; more of one is of no interest. */
const maxName = 100;
/** What is kept of earlier slices: a name, a CDATA section or a reference may begin in one of them. */
const carry = 8_192;
/** Longer text is no URL, even with white space around it; it is dropped, never cut. */
const maxText = maxUrlLength * 2;

const noAttributes: Readonly<Record<string, string>> = Object.freeze({});

export function createXmlReader(): XmlReader {
  let links: SitemapLink[] = [];
  let count = 0;
  const known = new Set<string>();
  /** The last of what was written, and where that stands in the whole. */
  let source = '';
  let sourceStart = 0;
  let done = false;
  let root: Root;
  let rootSeen = false;
  /** Namespace prefix of the root, with its colon: `image:loc` is not ours, `sm:loc` in `sm:urlset` is. */
  let prefix = '';
  let name = '';
  let attributes = noAttributes;
  let attribute = '';
  let value = '';
  let reading: Reading | undefined;
  let text = '';
  /** The text, or the value, was longer than any URL. */
  let textTooLong = false;
  let valueTooLong = false;
  let current: SitemapLink | undefined;

  /** Nothing where it began too long ago: then it is too long to be of use. */
  function slice(start: number, end: number, most: number): string {
    const from = start - sourceStart;
    return from < 0 ? '' : source.slice(from, Math.min(end - sourceStart, from + most));
  }

  function stop(): void {
    done = true;
    tokenizer.pause();
  }

  function add(written: string): void {
    const url = written.trim();
    if (url === '' || url.length > maxUrlLength || known.has(url)) return;
    known.add(url);
    current = { url, kind: root === 'sitemapindex' ? 'sitemap' : 'page' };
    links.push(current);
    count += 1;
    if (count >= maxUrls) stop();
  }

  function beginRoot(): void {
    rootSeen = true;
    const colon = name.indexOf(':');
    prefix = colon < 0 ? '' : name.slice(0, colon + 1);
    root = roots[name.slice(prefix.length)];
    // RSS 1.0 wraps plain elements in rdf:RDF.
    if (root === 'feed') prefix = '';
    if (!root) stop();
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
    } else if (attributes.href !== undefined && attributes.rel === 'alternate' && name.endsWith(':link')) {
      const own = current;
      add(attributes.href);
      current = own;
    }
  }

  function read(what: Reading): void {
    reading = what;
    text = '';
    textTooLong = false;
  }

  function closed(): void {
    if (textTooLong) reading = undefined;
    else if (reading === 'url' || (reading === 'bare' && /^\s*https?:/i.test(text))) add(text);
    else if (reading === 'lastmod' && current) current.lastmod = text.trim().slice(0, 40);
    reading = undefined;
  }

  const collect = (start: number, end: number): void => {
    if (!reading || textTooLong) return;
    const whole = slice(start, end, end - start);
    const piece = text === '' ? whole.trimStart() : whole;
    if (whole === '' || text.length + piece.length > maxText) textTooLong = true;
    else text += piece;
  };
  const callbacks: TokenizerCallbacks = {
    onopentagname(start, end) {
      reading = undefined;
      name = slice(start, end, maxName).toLowerCase();
      attributes = noAttributes;
    },
    onattribname(start, end) {
      // Only these two are asked for.
      attribute = end - start <= 4 ? slice(start, end, maxName).toLowerCase() : '';
      value = '';
      valueTooLong = false;
    },
    onattribdata(start, end) {
      if (attribute === '' || valueTooLong) return;
      value += slice(start, end, maxText + 1);
      valueTooLong = value.length > maxText;
    },
    onattribentity(codePoint) {
      if (attribute !== '' && !valueTooLong) value += String.fromCodePoint(codePoint);
    },
    onattribend() {
      if (valueTooLong) return;
      if (attribute === 'href' || attribute === 'rel') attributes = { [attribute]: value, ...attributes };
    },
    onopentagend: () => opened(false),
    onselfclosingtag: () => opened(true),
    onclosetag: closed,
    ontext: collect,
    ontextentity(codePoint) {
      if (reading && !textTooLong) text += String.fromCodePoint(codePoint);
    },
    oncdata: (start, end, offset) => collect(start, end - offset),
    oncomment() {},
    ondeclaration() {},
    onprocessinginstruction() {},
    onend() {},
  };
  const tokenizer = new Tokenizer({ xmlMode: true, decodeEntities: true }, callbacks);

  return {
    get done() {
      return done;
    },
    write(next) {
      if (done) return;
      const kept = source.slice(-carry);
      sourceStart += source.length - kept.length;
      source = kept + next;
      tokenizer.write(next);
    },
    end() {
      if (!done) tokenizer.end();
      done = true;
    },
    take() {
      const taken = links;
      // The last one may still be told its lastmod.
      const open = !done && taken.at(-1) === current ? taken.pop() : undefined;
      links = open ? [open] : [];
      return taken;
    },
  };
}
