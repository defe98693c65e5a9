import { hostOf } from '@webfarer/protocol/url';
import { type DocumentBody, readDocument } from '../documents/document-tree.ts';
import { linkBase } from '../markdown/links.ts';
import { toMarkdown } from '../markdown/to-markdown.ts';
import { toText } from '../markdown/to-text.ts';
import type { Cut } from '../tree/budget.ts';
import { isCostly, readAside } from './readings-aside.ts';
import { contentOf, readings, type ReadTree } from './readings.ts';
import type { Page } from './scraper.ts';

/** What can be read on a page, each worked out when it is asked for and all from one tree. */
export type Readable = Pick<Page, 'text' | 'markdown' | 'tables' | 'headings' | 'main'> & {
  /** Why the end of the document is missing; undefined: it is there. */
  cut: Cut | undefined;
};

export interface ReadableOptions extends DocumentBody {
  /** Gives others their turn where the document is large. */
  turn(): Promise<void>;
  /** Charges what is computed to the crawl of the page. */
  compute<T>(work: () => T): T;
}

export async function openReadable(document: ReadableOptions): Promise<Readable> {
  const { kind, tree } = await readDocument(document);
  const base = linkBase(tree.children, document.url);
  const read: ReadTree = { tree, base, isPage: kind === 'html' };
  return { cut: tree.cut, ...(isCostly(tree.children) ? aside(read, document) : here(read, document)) };
}

type Readings = Omit<Readable, 'cut'>;

function here(read: ReadTree, { turn, compute }: ReadableOptions): Readings {
  return {
    text: async () => readings.text(read),
    markdown: async () => readings.markdown(read),
    tables: async () => readings.tables(read),
    headings: async () => readings.headings(read),
    async main() {
      const content = contentOf(read);
      await turn();
      return {
        get text() {
          return compute(() => toText(content));
        },
        get markdown() {
          return compute(() => toMarkdown(content, read));
        },
      };
    },
  };
}

/** What takes long, in a thread: the crawl pays for it. */
function aside(read: ReadTree, { account, url }: ReadableOptions): Readings {
  const payer = { account, host: hostOf(url) };
  return {
    text: async () => await readAside('text', read, payer),
    markdown: async () => await readAside('markdown', read, payer),
    tables: async () => await readAside('tables', read, payer),
    headings: async () => await readAside('headings', read, payer),
    main: async () => await readAside('main', read, payer),
  };
}
