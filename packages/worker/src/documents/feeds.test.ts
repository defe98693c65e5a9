import type { Url } from '@webfarer/protocol';
import { expect, test } from 'vitest';
import { toMarkdown } from '../markdown/to-markdown.ts';
import type { Tree } from '../tree/nodes.ts';
import { openAccount } from '../shares/account.ts';
import { readDocument } from './document-tree.ts';

async function treeOf(mime: string, source: string): Promise<Tree> {
  const { tree } = await readDocument({
    url: 'https://feeds.example/news/feed' as Url,
    account: openAccount(),
    mime,
    body: () => Buffer.from(source),
    source: () => source,
    tree: () => {
      throw new Error('this is no page');
    },
  });
  return tree;
}

async function markdownOf(mime: string, source: string): Promise<string> {
  const { children } = await treeOf(mime, source);
  return toMarkdown(children, { base: 'https://feeds.example/news/feed' });
}

const read = [
  '# [Tides & winds](https://site.example/)',
  'What the sea does',
  '## [High < low](https://site.example/high)',
  '2026-11-16T10:00:00Z, Ann',
  'Water **rises** [here](https://site.example/here).',
].join('\n\n');

const html = 'Water <b>rises</b> <a href="here">here</a>.';
const escaped = html.replaceAll('<', '&lt;').replaceAll('"', '&quot;');

test('RSS 2.0, its text escaped or in CDATA', async () => {
  const feed = (content: string) => `<?xml version="1.0"?>
    <rss version="2.0"><channel><title>Tides &amp; winds</title><link>https://site.example/</link>
    <description>What the sea does</description>
    <item><title>High &lt; low</title><guid>https://site.example/high</guid>
    <pubDate>Mon, 16 Nov 2026 10:00:00 GMT</pubDate><dc:creator>Ann</dc:creator>${content}</item></channel></rss>`;
  expect(await markdownOf('application/rss+xml', feed(`<description>${escaped}</description>`))).toBe(read);
  const both = `<description>Short</description><content:encoded><![CDATA[${html}]]></content:encoded>`;
  expect(await markdownOf('text/xml', feed(both))).toBe(read);
});

test('RSS 1.0, its items beside the channel', async () => {
  const feed = `<rdf:RDF><channel rdf:about="https://site.example/"><title>Tides &amp; winds</title>
    <link>https://site.example/</link><description>What the sea does</description></channel>
    <item rdf:about="https://site.example/high"><title>High &lt; low</title><dc:date>2026-11-16T10:00:00Z</dc:date>
    <dc:creator>Ann</dc:creator><description>${escaped}</description></item></rdf:RDF>`;
  expect(await markdownOf('application/rdf+xml', feed)).toBe(read);
});

test('Atom, its text as HTML or as elements, with bases of its own', async () => {
  const feed = (
    content: string,
  ) => `<feed xmlns="http://www.w3.org/2005/Atom" xml:base="https://site.example/">
    <title>Tides &amp; winds</title><link rel="self" href="/feed"/><link href="/"/><subtitle>What the sea does</subtitle>
    <entry><title type="html">High &amp;lt; low</title><link rel="alternate" href="high"/>
    <published>2026-11-16T10:00:00Z</published><author><name>Ann</name></author>${content}</entry></feed>`;
  expect(await markdownOf('application/atom+xml', feed(`<content type="html">${escaped}</content>`))).toBe(
    read,
  );
  expect(
    await markdownOf('', feed(`<content type="xhtml"><div>${html.replaceAll('"', "'")}</div></content>`)),
  ).toBe(read);
});

test('JSON Feed', async () => {
  const feed = {
    version: 'https://jsonfeed.org/version/1.1',
    title: 'Tides & winds',
    home_page_url: 'https://site.example/',
    description: 'What the sea does',
    items: [
      {
        title: 'High < low',
        url: 'https://site.example/high',
        date_published: '2026-11-16T10:00:00Z',
        authors: [{ name: 'Ann' }],
        content_html: html,
      },
    ],
  };
  expect(await markdownOf('application/feed+json', JSON.stringify(feed))).toBe(read);
  expect(await markdownOf('application/json', '{"version":1}')).toBe('```json\n{\n  "version": 1\n}\n```');
});

test('XML that is no feed stays as it is', async () => {
  expect(await markdownOf('application/xml', '<a>b</a>')).toBe('```\n<a>b</a>\n```');
});

test('the parts of a feed share one budget, and what is cut is said', async () => {
  const item = `<item><description>${'&lt;p&gt;'.repeat(2_000)}</description></item>`;
  const feed = (items: number) => `<rss><channel>${item.repeat(items)}</channel></rss>`;
  expect((await treeOf('application/rss+xml', feed(2))).cut).toBeUndefined();
  expect((await treeOf('application/rss+xml', feed(30))).cut).toBe('elements');
});

test('a JSON feed has as many entries and paragraphs as a page may have elements', async () => {
  const version = '"version":"https://jsonfeed.org/version/1"';
  const entries = await treeOf('application/json', `{${version},"items":[${'{},'.repeat(20_000)}{}]}`);
  expect([entries.cut, entries.children.length < 20_000]).toEqual(['elements', true]);
  const text = `{${version},"items":[{"content_text":"${'a\\n\\n'.repeat(60_000)}"}]}`;
  expect((await treeOf('application/json', text)).cut).toBe('elements');
});

test('JSON that is far longer when indented stays as it is written', async () => {
  const nested = `[${`${'['.repeat(2_000)}${']'.repeat(2_000)},`.repeat(20)}1]`;
  expect(await markdownOf('application/json', nested)).toBe(`\`\`\`json\n${nested}\n\`\`\``);
});

test('a plain text is cut like any other document', async () => {
  const { cut, children } = await treeOf('text/plain', 'a\n'.repeat(1_500_000));
  expect([cut, children.length]).toEqual(['text', 1]);
});
