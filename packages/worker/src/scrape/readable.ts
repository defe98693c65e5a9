import { type DocumentBody, documentTree } from '../documents/document-tree.ts';
import { mainContent } from '../main-content/main-content.ts';
import { linkBase } from '../markdown/links.ts';
import { headingsOf, tablesOf } from '../markdown/outline.ts';
import { toMarkdown } from '../markdown/to-markdown.ts';
import { toText } from '../markdown/to-text.ts';
import type { Page } from './scraper.ts';

/** What can be read on a page, each worked out when it is asked for and all from one tree. */
export type Readable = {
  [Name in 'text' | 'markdown' | 'main' | 'tables' | 'headings']: () => Awaited<ReturnType<Page[Name]>>;
};

export async function openReadable(page: Pick<Page, 'url'> & DocumentBody): Promise<Readable> {
  const { url } = page;
  const tree = await documentTree(page);
  const nodes = tree.children;
  const base = linkBase(nodes, url);
  return {
    text: () => toText(nodes),
    markdown: () => toMarkdown(nodes, { base }),
    main() {
      const main = mainContent(tree);
      return { text: main.text, markdown: toMarkdown(main.nodes, { base }) };
    },
    tables: () => tablesOf(nodes),
    headings: () => headingsOf(nodes),
  };
}
