import { type Bomb, elements, filled, maker, numbered, text } from '../bomb.ts';

const rss = maker('feeds', 'text', 'application/rss+xml');
const atom = maker('feeds', 'text', 'application/atom+xml');
const json = maker('feeds', 'text', 'application/json');
const channel = (content: string) => `<rss><channel>${content}</channel></rss>`;
const feed = (content: string) => `<feed xmlns="http://www.w3.org/2005/Atom">${content}</feed>`;
const jsonFeed = (items: string) => `{"version":"https://jsonfeed.org/version/1.1","items":[${items}]}`;

export const feedBombs: readonly Bomb[] = [
  rss('entries', () => channel(filled('<item><title>a</title></item>')), { says: elements }),
  rss(
    'escaped',
    () => channel(`<item><description>${'&lt;p&gt;'.repeat(5_000)}</description></item>`.repeat(200)),
    {
      says: text,
    },
  ),
  rss(
    'sections',
    () => channel(`<item><description><![CDATA[${filled('<p>a', 1_900_000)}]]></description></item>`),
    {
      says: elements,
    },
  ),
  rss('nested', () => channel(filled('<item>')), { says: elements }),
  rss('links', () => channel(numbered(100_000, (at) => `<item><link>http://a.test/${at}</link></item>`)), {
    says: elements,
  }),
  rss('titles', () => channel(filled('<item><title>&lt;b&gt;&amp;amp;</title></item>', 4_000_000)), {
    says: elements,
  }),
  rss('authors', () => channel(`<item>${filled('<author>a</author>', 4_000_000)}</item>`), {
    says: elements,
  }),
  rss('dates', () => channel(filled('<item><pubDate>1 1 1 1 1 1 1 1</pubDate></item>', 4_000_000)), {
    says: elements,
  }),
  atom('bases', () => feed(filled('<entry xml:base="a/"><content type="html">&lt;a href=b&gt;', 3_000_000)), {
    says: elements,
  }),
  atom(
    'elements',
    () => feed(`<entry><content type="xhtml">${filled('<div><a href="x">a</a>', 5_000_000)}`),
    {
      says: elements,
    },
  ),
  atom('alternates', () => feed(filled('<entry><link rel="self" href="a"/></entry>', 5_000_000)), {
    says: elements,
  }),
  json('json-nested', () => `${'['.repeat(450_000)}${']'.repeat(450_000)}`),
  json('json-items', () => jsonFeed(filled('{"title":"a"},', 990_000).slice(0, -1)), { says: elements }),
  json('json-html', () => jsonFeed(`{"content_html":"${'<p>a'.repeat(240_000)}"}`), { says: elements }),
  json('json-text', () => jsonFeed(`{"content_text":"${String.raw`a\n\n`.repeat(190_000)}"}`), {
    says: elements,
  }),
  json('json-keys', () => `{${numbered(80_000, (at) => `"${at}":0,`)}"x":0}`),
];
