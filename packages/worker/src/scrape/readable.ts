import { type DocumentBody, readDocument } from '../documents/document-tree.ts';
import { type MainContent, mainContent } from '../main-content/main-content.ts';
import { linkBase } from '../markdown/links.ts';
import { headingsOf, tablesOf } from '../markdown/outline.ts';
import { toMarkdown } from '../markdown/to-markdown.ts';
import { toText } from '../markdown/to-text.ts';
import type { Cut } from '../tree/budget.ts';
import type { TreeNode } from '../tree/tree.ts';
import type { Page } from './scraper.ts';

/** What can be read on a page, each worked out when it is asked for and all from one tree. */
export type Readable = {
  [Name in 'text' | 'markdown' | 'tables' | 'headings']: () => Awaited<ReturnType<Page[Name]>>;
} & {
  main(): ReturnType<Page['main']>;
  /** Why the end of the document is missing; undefined: it is there. */
  cut: Cut | undefined;
};

export interface ReadableOptions extends DocumentBody {
  /** Gives others their turn where the document is large. */
  turn(): Promise<void>;
}

export async function openReadable(document: ReadableOptions): Promise<Readable> {
  const { kind, tree } = await readDocument(document);
  const nodes = tree.children;
  const base = linkBase(nodes, document.url);
  return {
    cut: tree.cut,
    text: () => toText(nodes),
    markdown: () => toMarkdown(nodes, { base }),
    async main() {
      const content = kind === 'html' ? headed(mainContent(tree)) : nodes;
      await document.turn();
      return {
        get text() {
          return toText(content);
        },
        get markdown() {
          return toMarkdown(content, { base });
        },
      };
    },
    tables: () => tablesOf(nodes),
    headings: () => headingsOf(nodes),
  };
}

function headed({ headline, body }: MainContent): TreeNode[] {
  return headline ? [headline, ...body] : body;
}
