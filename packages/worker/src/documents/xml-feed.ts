import { isElement, type Tree, type TreeElement, type TreeNode } from '../tree/nodes.ts';
import {
  absolute,
  type Feed,
  type FeedEntry,
  type FeedPlace,
  htmlNodes,
  plainText,
  webAddress,
} from './feed-tree.ts';
import { childNamed, childrenNamed, rawTextOf, trimmedText } from '../tree/xml.ts';

/** RSS 2.0 and its elders, RSS 1.0 and Atom. Undefined for XML that is no feed. */
export function readXmlFeed(tree: Tree, place: FeedPlace): Feed | undefined {
  const root = tree.children.find(isElement);
  const name = root?.name.toLowerCase();
  if (!root) return undefined;
  if (name === 'rss') return rss(childNamed(root, 'channel') ?? root, undefined, place);
  if (name === 'rdf:rdf') return rss(childNamed(root, 'channel') ?? root, root, place);
  return name === 'feed' || name === 'atom:feed' ? atom(root, place) : undefined;
}

/** `around`: where RSS 1.0 has its items, beside the channel. */
function rss(channel: TreeElement, around: TreeElement | undefined, place: FeedPlace): Feed {
  const link = webAddress(trimmedText(childNamed(channel, 'link')), place.base);
  const inside = { ...place, base: link ?? place.base };
  return {
    title: titleNodes(trimmedText(childNamed(channel, 'title')), inside),
    link,
    about: htmlNodes(trimmedText(childNamed(channel, 'description')), inside),
    entries: [...(around ? childrenNamed(around, 'item') : []), ...childrenNamed(channel, 'item')].map(
      (item) => rssItem(item, inside),
    ),
  };
}

function rssItem(item: TreeElement, place: FeedPlace): FeedEntry {
  const guid = childNamed(item, 'guid');
  const permanent = guid?.attribs['isPermaLink'] === 'false' ? '' : trimmedText(guid);
  const written = trimmedText(childNamed(item, 'link')) || (/^https?:/.test(permanent) ? permanent : '');
  const link = webAddress(written || (item.attribs['rdf:about'] ?? ''), place.base);
  const names = [...childrenNamed(item, 'dc:creator'), ...childrenNamed(item, 'author')];
  const content =
    trimmedText(childNamed(item, 'content:encoded')) || trimmedText(childNamed(item, 'description'));
  return {
    title: titleNodes(trimmedText(childNamed(item, 'title')), place),
    link,
    date: trimmedText(childNamed(item, 'pubDate')) || trimmedText(childNamed(item, 'dc:date')),
    authors: names.map(trimmedText),
    content: htmlNodes(content, { ...place, base: link ?? place.base }),
  };
}

function atom(feed: TreeElement, around: FeedPlace): Feed {
  const prefix = feed.name.includes(':') ? 'atom:' : '';
  const place = placeOf(feed, around);
  return {
    title: atomText(childNamed(feed, `${prefix}title`), place),
    link: atomLink(feed, prefix, place),
    about: atomText(childNamed(feed, `${prefix}subtitle`), place),
    entries: childrenNamed(feed, `${prefix}entry`).map((entry) => atomEntry(entry, prefix, place)),
  };
}

function atomEntry(entry: TreeElement, prefix: string, around: FeedPlace): FeedEntry {
  const place = placeOf(entry, around);
  const named = (name: string) => childNamed(entry, `${prefix}${name}`);
  return {
    title: atomText(named('title'), place),
    link: atomLink(entry, prefix, place),
    date: trimmedText(named('published')) || trimmedText(named('updated')),
    authors: childrenNamed(entry, `${prefix}author`).map((author) =>
      trimmedText(childNamed(author, `${prefix}name`)),
    ),
    content: atomText(named('content') ?? named('summary'), place),
  };
}

/** A text construct: plain, HTML as text, or elements. */
function atomText(text: TreeElement | undefined, around: FeedPlace): TreeNode[] {
  if (!text) return [];
  const place = placeOf(text, around);
  const type = text.attribs['type'] ?? 'text';
  if (type === 'xhtml') {
    const nodes = [...text.children];
    absolute(nodes, place.base);
    return nodes;
  }
  return /html/.test(type) ? htmlNodes(rawTextOf(text), place) : plainText(rawTextOf(text));
}

/** The page that a feed or an entry stands for. */
function atomLink(parent: TreeElement, prefix: string, { base }: FeedPlace): string | undefined {
  const links = childrenNamed(parent, `${prefix}link`);
  const link = links.find(({ attribs }) => (attribs['rel'] ?? 'alternate') === 'alternate') ?? undefined;
  return webAddress(link?.attribs['href'] ?? '', base);
}

function placeOf({ attribs }: TreeElement, around: FeedPlace): FeedPlace {
  const base = webAddress(attribs['xml:base'] ?? '', around.base);
  return base === undefined ? around : { ...around, base };
}

/** Many titles of RSS have HTML in them, many others a `<` that is none. */
function titleNodes(title: string, place: FeedPlace): TreeNode[] {
  return /&#?\w+;|<\/?\w+[^>]*>/.test(title) ? htmlNodes(title, place) : plainText(title);
}
