import type { Entry } from '@webfarer/protocol';
import { targetOf } from '@webfarer/protocol/url';
import type { Exchange, PictureReader } from '../fetch/fetch.ts';
import { lastingBytes } from '../bytes/growing-bytes.ts';
import { createFacts, type PageFacts } from '../facts/page-facts.ts';
import { nextTurn } from '../extract/turns.ts';
import { isHtml, isXml, sniffMime } from '../extract/mime.ts';
import type { Cut } from '../tree/budget.ts';
import { readTree, readTreeInTurns, type Tree } from '../tree/tree.ts';
import type { Account } from '../shares/account.ts';
import type { Handling } from '../shares/handling.ts';
import { mainThread } from '../shares/main-thread.ts';
import { linkList } from './link-list.ts';
import type { Readable, ReadableOptions } from './readable.ts';
import type { Page, PageLink } from './scraper.ts';

export interface PageParts {
  entry: Entry;
  /** Of the crawl. */
  account: Account;
  fetched: Exchange;
  mime: string;
  body: Buffer;
  source: () => string;
  links: PageLink[];
  /** As the reader of links found them. */
  title: string | undefined;
  language: string | undefined;
  /** What was made of it when it was shown; undefined: nothing. */
  picture: PictureReader | undefined;
}

/** For readers inside the worker: user code must not change what all of them share. */
const treeKey = Symbol('tree of a page');

/** The tree of a page that was made here; undefined where it is not HTML. */
export function treeOf(page: Page): Tree | undefined {
  return (page as { [treeKey]?: () => Tree | undefined })[treeKey]?.();
}

const treeInTurnsKey = Symbol('tree of a page, read in turns');

/** The same; a large page is read in turns, and `treeOf` has its tree at once from then on. */
export async function treeInTurns(page: Page): Promise<Tree | undefined> {
  return await (page as { [treeInTurnsKey]?: () => Promise<Tree | undefined> })[treeInTurnsKey]?.();
}

const cutKey = Symbol('why a page was not read to its end');

/** Why something that was read of a page so far lacks its end; undefined: nothing does. */
export function cutOf(page: Page): Cut | undefined {
  return (page as { [cutKey]?: () => Cut | undefined })[cutKey]?.();
}

interface Hidden {
  [treeKey]: () => Tree | undefined;
  [treeInTurnsKey]: () => Promise<Tree | undefined>;
  [cutKey]: () => Cut | undefined;
}

/** To read a larger page takes so long that others have their turn in between. */
const largeBytes = 262_144;

/** A page as user code sees it. What costs time (text, a document) is made on first use. */
export function createPage(parts: PageParts): Page {
  const { entry, fetched, mime, body } = parts;
  let headers: Record<string, string> | undefined;
  let source: string | undefined;
  let lasting: Buffer | undefined;
  const { length } = body;
  const target = targetOf(entry.url);
  const readBody = () => {
    if (body.length !== length)
      throw new Error(
        'the body of this large page was released: use its body or source before the handler returns',
      );
    return body;
  };
  const readSource = () => {
    if (source === undefined) readBody();
    source ??= parts.source();
    return source;
  };
  /** As served, or by what the body looks like. */
  const type = () => mime || sniffMime(body);
  const tree = treeReader(() => ({ source: readSource(), xml: isXml(type()) }), length > largeBytes);
  const hasTree = () => isHtml(type());
  let facts: PageFacts | undefined;
  const readFacts = () =>
    (facts ??= createFacts({
      url: target,
      title: parts.title,
      language: parts.language,
      canonical: parts.links.find(({ rel }) => rel === 'link:canonical')?.url,
      jsonLd: mime === 'application/ld+json' ? readSource() : undefined,
      tree: hasTree() ? tree.now : undefined,
    }));
  const turn = async () => {
    if (length > largeBytes) await nextTurn();
  };
  const handling: Handling = { account: parts.account, url: target, stage: 'read' };
  const compute = <T>(work: () => T): T => mainThread.run(handling, work);
  const readable = onFirstUse({
    url: target,
    account: parts.account,
    mime,
    body: readBody,
    source: readSource,
    tree: tree.inTurns,
    turn,
    compute,
  });
  const { read } = readable;
  const page: Page & Hidden = {
    [treeKey]: () => (hasTree() ? tree.now() : undefined),
    [treeInTurnsKey]: async () => (hasTree() ? await tree.inTurns() : undefined),
    [cutKey]: () => tree.cut() ?? readable.cut(),
    url: target,
    finalUrl: target,
    status: fetched.status,
    get headers() {
      headers ??= joinHeaders(fetched.headers);
      return headers;
    },
    label: entry.label,
    method: entry.request?.method ?? 'GET',
    data: entry.request?.data,
    depth: entry.depth,
    referrer: entry.referrer,
    mime,
    get body() {
      lasting ??= lastingBytes(readBody());
      return lasting;
    },
    links: linkList(parts.links),
    get title() {
      return readFacts().title;
    },
    get language() {
      return readFacts().language;
    },
    get description() {
      return readFacts().description;
    },
    get canonical() {
      return readFacts().canonical;
    },
    get published() {
      return readFacts().published;
    },
    get authors() {
      return readFacts().authors;
    },
    get openGraph() {
      return readFacts().openGraph;
    },
    get jsonLd() {
      return readFacts().jsonLd;
    },
    get microdata() {
      return readFacts().microdata;
    },
    source: readSource,
    json: () => JSON.parse(readSource()) as unknown,
    text: () => read((readable) => readable.text()),
    markdown: () => read((readable) => readable.markdown()),
    main: () => read((readable) => readable.main()),
    tables: () => read((readable) => readable.tables()),
    headings: () => read((readable) => readable.headings()),
    screenshot: async (kind = 'view') => await parts.picture?.(kind),
    pdf: async () => await parts.picture?.('pdf'),
    async $() {
      const [{ load }, { readDocument }] = await Promise.all([
        import('cheerio/slim'),
        import('../tree/document.ts'),
      ]);
      return load(readDocument(readSource()));
    },
  };
  return page;
}

/** The tree of a page, which all its readers share. */
function treeReader(page: () => { source: string; xml: boolean }, isLarge: boolean) {
  let tree: Tree | undefined;
  let reading: Promise<Tree> | undefined;
  const now = (): Tree => {
    const { source, xml } = page();
    return (tree ??= readTree(source, { xml }));
  };
  const ofLarge = async (): Promise<Tree> => {
    const { source, xml } = page();
    const read = await readTreeInTurns(source, { xml });
    return (tree ??= read);
  };
  return {
    now: () => tree ?? now(),
    /** Nearly all pages are small, and are read without a turn for others. */
    inTurns: () => tree ?? (isLarge ? (reading ??= ofLarge()) : now()),
    cut: () => tree?.cut,
  };
}

/** What can be read of a document, opened when it is asked for. */
function onFirstUse(document: ReadableOptions) {
  let opened: Readable | undefined;
  let opening: Promise<Readable> | undefined;
  const open = async (): Promise<Readable> => {
    const { openReadable } = await import('./readable.ts');
    opened = await document.compute(() => openReadable(document));
    return opened;
  };
  return {
    async read<T>(work: (readable: Readable) => T | Promise<T>): Promise<T> {
      const readable = await (opening ??= open());
      await document.turn();
      return await document.compute(() => work(readable));
    },
    cut: () => opened?.cut,
  };
}

function joinHeaders(raw: [string, string][]): Record<string, string> {
  const joined: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const [name, value] of raw) {
    const key = name.toLowerCase();
    joined[key] = key in joined ? `${joined[key]}, ${value}` : value;
  }
  return joined;
}
