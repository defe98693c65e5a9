import { isElement, type Tree, type TreeElement, type TreeNode } from '../tree/nodes.ts';
import { absolute, type Feed, type FeedEntry, htmlNodes, plainText, webAddress } from './feed-tree.ts';
import { childNamed, childrenNamed, rawTextOf, trimmedText } from '../tree/xml.ts';

/** RSS 2.0 and its elders, RSS 1.0 and Atom. Undefined for XML that is no feed. */
export function readXmlFeed(tree: Tree, url: string): Feed | undefined {
  const root = tree.children.find(isElement);
  const name = root?.name.toLowerCase();
  if (!root) return undefined;
  if (name === 'rss') return rss(childNamed(root, 'channel') ?? root, undefined, url);
  if (name === 'rdf:rdf') return rss(childNamed(root, 'channel') ?? root, root, url);
  return name === 'feed' || name === 'atom:feed' ? atom(root, url) : undefined;
}

/** `around`: where RSS 1.0 has its items, beside the channel. */
function rss(channel: TreeElement, around: TreeElement | undefined, url: string): Feed {
  const link = webAddress(trimmedText(childNamed(channel, 'link')), url);
  const base = link ?? url;
  return {
    title: titleNodes(trimmedText(childNamed(channel, 'title')), base),
    link,
    about: htmlNodes(trimmedText(childNamed(channel, 'description')), base),
    entries: [...(around ? childrenNamed(around, 'item') : []), ...childrenNamed(channel, 'item')].map(
      (item) => rssItem(item, base),
    ),
  };
}

function rssItem(item: TreeElement, base: string): FeedEntry {
  const guid = childNamed(item, 'guid');
  const permanent = guid?.attribs['isPermaLink'] === 'false' ? '' : trimmedText(guid);
  const written = trimmedText(childNamed(item, 'link')) || (/^https?:/.test(permanent) ? permanent : '');
  const link = webAddress(written || (item.attribs['rdf:about'] ?? ''), base);
  const names = [...childrenNamed(item, 'dc:creator'), ...childrenNamed(item, 'author')];
  const content =
    trimmedText(childNamed(item, 'content:encoded')) || trimmedText(childNamed(item, 'description'));
  return {
    title: titleNodes(trimmedText(childNamed(item, 'title')), base),
    link,
    date: trimmedText(childNamed(item, 'pubDate')) || trimmedText(childNamed(item, 'dc:date')),
    authors: names.map(trimmedText),
    content: htmlNodes(content, link ?? base),
  };
}

function atom(feed: TreeElement, url: string): Feed {
  const prefix = feed.name.includes(':') ? 'atom:' : '';
  const base = baseOf(feed, url);
  return {
    title: atomText(childNamed(feed, `${prefix}title`), base),
    link: atomLink(feed, prefix, base),
    about: atomText(childNamed(feed, `${prefix}subtitle`), base),
    entries: childrenNamed(feed, `${prefix}entry`).map((entry) => atomEntry(entry, prefix, base)),
  };
}

function atomEntry(entry: TreeElement, prefix: string, around: string): FeedEntry {
  const base = baseOf(entry, around);
  const named = (name: string) => childNamed(entry, `${prefix}${name}`);
  return {
    title: atomText(named('title'), base),
    link: atomLink(entry, prefix, base),
    date: trimmedText(named('published')) || trimmedText(named('updated')),
    authors: childrenNamed(entry, `${prefix}author`).map((author) =>
      trimmedText(childNamed(author, `${prefix}name`)),
    ),
    content: atomText(named('content') ?? named('summary'), base),
  };
}

/** A text construct: plain, HTML as text, or elements. */
function atomText(text: TreeElement | undefined, around: string): TreeNode[] {
  if (!text) return [];
  const base = baseOf(text, around);
  const type = text.attribs['type'] ?? 'text';
  if (type === 'xhtml') {
    const nodes = [...text.children];
    absolute(nodes, base);
    return nodes;
  }
  return /html/.test(type) ? htmlNodes(rawTextOf(text), base) : plainText(rawTextOf(text));
}

/** The page that a feed or an entry stands for. */
function atomLink(parent: TreeElement, prefix: string, base: string): string | undefined {
  const links = childrenNamed(parent, `${prefix}link`);
  const link = links.find(({ attribs }) => (attribs['rel'] ?? 'alternate') === 'alternate') ?? undefined;
  return webAddress(link?.attribs['href'] ?? '', base);
}

function baseOf({ attribs }: TreeElement, around: string): string {
  return webAddress(attribs['xml:base'] ?? '', around) ?? around;
}

/** Many titles of RSS have HTML in them, many others a `<` that is none. */
function titleNodes(title: string, base: string): TreeNode[] {
  return /&#?\w+;|<\/?\w+[^>]*>/.test(title) ? htmlNodes(title, base) : plainText(title);
}
