import { nextTurn } from '../extract/turns.ts';
import { type Cut, createBudget, spendText, withinBudget } from '../tree/budget.ts';
import { readTreeInTurns, type Tree } from '../tree/tree.ts';
import { element, treeOfNodes } from '../tree/build.ts';
import { hostOf } from '@webfarer/protocol/url';
import type { Url } from '@webfarer/protocol';
import type { Account } from '../shares/account.ts';
import { type DocumentKind, documentKind } from './document-kind.ts';

export interface DocumentBody {
  url: Url;
  /** Pays where a reader needs a thread. */
  account: Account;
  /** Content type without parameters, lower case, as served. */
  mime: string;
  body: () => Buffer;
  /** The body as text. */
  source: () => string;
  /** The body as HTML, or as XML where it is XHTML; a large one is read in turns. */
  tree: () => Tree | Promise<Tree>;
}

export interface ReadDocument {
  kind: DocumentKind;
  tree: Tree;
}

/**
 * Any document as the tree of a page, so that all that reads pages reads it as well. Throws where the body is not what
 * its type says, or is of a type without text.
 */
export async function readDocument(document: DocumentBody): Promise<ReadDocument> {
  const kind = documentKind(document.mime, document.body());
  if (kind === undefined)
    throw new Error(`there is no text to read in a document of type ${document.mime || 'unknown'}`);
  return { kind, tree: await readers[kind](document) };
}

/** Of the HTML in a feed, which is read twice: as text of the feed, and as HTML. */
const maxFeedNodes = 50_000;
/** Longer JSON, as it is or indented, stays as it is written. */
const maxJsonCharacters = 1_000_000;

const readers: Record<DocumentKind, (document: DocumentBody) => Tree | Promise<Tree>> = {
  html: ({ tree }) => tree(),
  plain: ({ source }) => preformatted(source()),
  async pdf({ body, url, account }) {
    const { pdfTree } = await import('./pdf/pdf.ts');
    return await pdfTree(body(), { account, host: hostOf(url) });
  },
  async docx({ body }) {
    const { docxTree } = await import('./docx/docx.ts');
    return await docxTree(body());
  },
  async feed({ source, url }) {
    const [{ readXmlFeed }, { feedTree }] = await Promise.all([
      import('./xml-feed.ts'),
      import('./feed-tree.ts'),
    ]);
    const tree = await readTreeInTurns(source(), { xml: true });
    const budget = createBudget(maxFeedNodes);
    const feed = readXmlFeed(tree, { base: url, budget });
    await nextTurn();
    return feed ? marked(feedTree(feed), tree.cut ?? budget.cut) : preformatted(source());
  },
  async json({ source, url }) {
    const value = source().length > maxJsonCharacters ? undefined : parsed(source());
    if (!value) return preformatted(source(), 'json');
    const [{ readJsonFeed }, { feedTree }] = await Promise.all([
      import('./json-feed.ts'),
      import('./feed-tree.ts'),
    ]);
    const budget = createBudget(maxFeedNodes);
    const feed = readJsonFeed(value.value, { base: url, budget });
    if (feed) return marked(feedTree(feed), budget.cut);
    const isLong = isLongWhenIndented(source());
    return preformatted(isLong ? source() : JSON.stringify(value.value, undefined, 2), 'json');
  },
};

function marked(tree: Tree, cut: Cut | undefined): Tree {
  if (cut !== undefined) tree.cut = cut;
  return tree;
}

function preformatted(text: string, language?: string): Tree {
  const budget = createBudget();
  let kept = '';
  withinBudget(() =>
    spendText(budget, text.length, (length) => {
      kept = text.slice(0, length);
    }),
  );
  const attributes = language === undefined ? {} : { class: `language-${language}` };
  return marked(treeOfNodes([element('pre', attributes, [kept])]), budget.cut);
}

/** Each level indents all lines below it, so that a megabyte of brackets becomes gigabytes. */
function isLongWhenIndented(text: string): boolean {
  let length = text.length;
  let depth = 0;
  for (let at = 0; at < text.length && length <= maxJsonCharacters; at++) {
    const sign = text[at];
    if (sign === '[' || sign === '{') depth++;
    else if (sign === ']' || sign === '}') depth--;
    else if (sign !== ',') continue;
    length += 2 * Math.max(0, depth) + 1;
  }
  return length > maxJsonCharacters;
}

/** What is no JSON stays as it is. */
function parsed(text: string): { value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
}
