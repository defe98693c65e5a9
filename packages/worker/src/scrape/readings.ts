import { mainContent } from '../main-content/main-content.ts';
import { headingsOf, tablesOf } from '../markdown/outline.ts';
import { toMarkdown } from '../markdown/to-markdown.ts';
import { toText } from '../markdown/to-text.ts';
import type { Tree, TreeNode } from '../tree/nodes.ts';

/** A document that was read into a tree. */
export interface ReadTree {
  tree: Tree;
  /** What relative links are relative to. */
  base: string;
  /** It is a page, and not all of it need be content. */
  isPage: boolean;
}

/** What can be read of a document, each in one go. */
export const readings = {
  text: ({ tree }: ReadTree) => toText(tree.children),
  markdown: ({ tree, base }: ReadTree) => toMarkdown(tree.children, { base }),
  main(read: ReadTree) {
    const content = contentOf(read);
    return { text: toText(content), markdown: toMarkdown(content, read) };
  },
  tables: ({ tree }: ReadTree) => tablesOf(tree.children),
  headings: ({ tree }: ReadTree) => headingsOf(tree.children),
};

/** The part that a reader came for, under its headline. */
export function contentOf({ tree, isPage }: ReadTree): TreeNode[] {
  if (!isPage) return tree.children;
  const { headline, lead, body } = mainContent(tree);
  return [...(headline ? [headline] : []), ...lead, ...body];
}
