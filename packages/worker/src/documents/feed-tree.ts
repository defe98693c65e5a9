import { parseUrl } from '@webfarer/protocol/url';
import { isText, newText, type Tree, type TreeNode } from '../tree/nodes.ts';
import { type Budget, spendNode, withinBudget } from '../tree/budget.ts';
import { readTree } from '../tree/tree.ts';
import { readDate } from '../facts/date.ts';
import { element, treeOfNodes } from '../tree/build.ts';

/** What is read of a feed, whichever format it has. */
export interface Feed {
  title: TreeNode[];
  /** Absolute, as all addresses here. */
  link: string | undefined;
  about: TreeNode[];
  entries: FeedEntry[];
}

export interface FeedEntry {
  title: TreeNode[];
  link: string | undefined;
  /** As written. */
  date: string;
  authors: string[];
  content: TreeNode[];
}

/** Where a part of a feed stands. */
export interface FeedPlace {
  /** What addresses in it are relative to. */
  base: string;
  /** Of the whole feed. */
  budget: Budget;
}

/** A feed as a page: its title, then each entry under a heading that leads to it. */
export function feedTree(feed: Feed): Tree {
  return treeOfNodes([
    element('h1', {}, [linked(feed.title, feed.link)]),
    element('div', {}, feed.about),
    ...feed.entries.map(entryNode),
  ]);
}

function entryNode({ title, link, date, authors, content }: FeedEntry): TreeNode {
  const day = date === '' ? '' : (readDate(date) ?? date);
  const byline = [day, ...authors].filter((part) => part !== '').join(', ');
  const heading = title.length > 0 ? title : plainText(link ?? '');
  return element('article', {}, [
    element('h2', {}, [linked(heading, link)]),
    byline === '' ? undefined : element('p', {}, [byline]),
    element('div', {}, content),
  ]);
}

function linked(title: readonly TreeNode[], link: string | undefined): TreeNode {
  return link === undefined ? element('span', {}, title) : element('a', { href: link }, title);
}

/** HTML of a feed, its addresses made absolute: each entry may have a base of its own. */
export function htmlNodes(html: string, { base, budget }: FeedPlace): TreeNode[] {
  if (budget.cut !== undefined) return [];
  const { children } = readTree(html, { xml: false, budget });
  absolute(children, base);
  return children;
}

/** The same for elements that stand in the feed itself. */
export function absolute(nodes: readonly TreeNode[], base: string): void {
  for (const node of nodes) {
    if (isText(node)) continue;
    for (const name of ['href', 'src']) {
      const address = node.attribs[name];
      const url = address === undefined ? undefined : parseUrl(address.trim(), base)?.href;
      if (url !== undefined) node.attribs[name] = url;
    }
    absolute(node.children, base);
  }
}

/** An absolute address on the web; undefined for others. */
export function webAddress(address: string, base: string): string | undefined {
  const url = address === '' ? undefined : parseUrl(address, base)?.href;
  return url !== undefined && /^https?:/.test(url) ? url : undefined;
}

export const plainText = (text: string): TreeNode[] => (text === '' ? [] : [newText(text)]);

/** Paragraphs of plain text, as many as there is a budget for. */
export function plainNodes(text: string, budget: Budget): TreeNode[] {
  const nodes: TreeNode[] = [];
  withinBudget(() => {
    for (const part of text.split(/\n\s*\n/)) {
      if (part.trim() === '') continue;
      spendNode(budget);
      spendNode(budget);
      nodes.push(element('p', {}, [part]));
    }
  });
  return nodes;
}
