import { describe, expect, test, vi } from 'vitest';
import { readTree } from '../tree/tree.ts';
import { factsOf, jsonLdScript } from './facts.fixture.ts';

const meta = (name: string, content: string) => `<meta name="${name}" content="${content}">`;
const article = (more: object) => jsonLdScript(JSON.stringify({ '@type': 'NewsArticle', ...more }));
const marked = (more: string) => `<div itemscope itemtype="https://schema.org/BlogPosting">${more}</div>`;

describe('what a page says about itself', () => {
  test('title, language and canonical come from the reader of links, and Open Graph stands in', () => {
    const html = `${meta('og:title', 'Other')}${meta('og:locale', 'pt_BR')}`;
    expect(factsOf(html, { title: 'Own', language: 'de' })).toMatchObject({ title: 'Own', language: 'de' });
    expect(factsOf(html)).toMatchObject({ title: 'Other', language: 'pt-br', canonical: undefined });
  });

  test('the description is the first that is not blank', () => {
    const html = `${meta('Description', '  ')}${meta('og:description', ' a\n b ')}${meta('twitter:description', 'c')}`;
    expect(factsOf(html).description).toBe('a b');
    expect(factsOf('').description).toBeUndefined();
  });

  test('the date is that of JSON-LD, else of a meta, else of microdata', () => {
    const ways = [
      article({ datePublished: '2026-01-01' }),
      meta('article:published_time', '2026-01-02'),
      marked('<time itemprop="datePublished" datetime="2026-01-03">'),
    ];
    for (const at of ways.keys())
      expect(factsOf(ways.slice(at).toReversed().join('')).published).toBe(`2026-01-0${at + 1}`);
  });

  test('an article comes before other nodes, and a date that cannot be read is passed over', () => {
    const page = jsonLdScript('{"@type":"WebPage","datePublished":"2026-01-05"}');
    expect(factsOf(page + article({ datePublished: '2026-01-01' })).published).toBe('2026-01-01');
    expect(factsOf(page + article({ datePublished: 'soon' })).published).toBe('2026-01-05');
    expect(factsOf(meta('dc.date', 'x') + meta('date', '1 May 2026')).published).toBe('2026-05-01');
  });

  test('authors come from one source, in the same order', () => {
    const ways = [
      article({ author: [{ name: 'Ann' }, 'Ben', { name: ['Cy'] }] }),
      meta('author', 'By Dora') + meta('author', 'https://site.example/dora'),
      marked(
        '<p itemprop="author" itemscope><i itemprop="name">Eve</i></p><i itemprop="author">Finn</i><i itemprop="author">Eve</i>',
      ),
    ];
    const expected = [['Ann', 'Ben', 'Cy'], ['Dora'], ['Eve', 'Finn']];
    for (const at of ways.keys())
      expect(factsOf(ways.slice(at).toReversed().join('')).authors).toEqual(expected[at]);
    expect(factsOf('').authors).toEqual([]);
  });

  test('an author may be a reference to another node', () => {
    const html = jsonLdScript(
      '{"@graph":[{"@type":"Article","author":{"@id":"#a"}},{"@id":"#a","@type":"Person","name":"Ann"}]}',
    );
    expect(factsOf(html).authors).toEqual(['Ann']);
  });

  test('nothing is parsed before it is asked for, and then once', () => {
    const tree = vi.fn(() => readTree(article({ author: 'Ann' }), { xml: false }));
    const facts = factsOf('', { tree, title: 't', language: 'en', canonical: 'https://site.example/' });
    expect([facts.title, facts.language, facts.canonical]).toEqual(['t', 'en', 'https://site.example/']);
    expect(tree).not.toHaveBeenCalled();
    expect(facts.authors).toEqual(['Ann']);
    expect(facts.jsonLd).toBe(facts.jsonLd);
    expect([facts.published, facts.description]).toEqual([undefined, undefined]);
    expect(tree.mock.calls.length).toBe(1);
  });

  test('a body without elements says nothing', () => {
    const { openGraph, jsonLd, microdata, authors } = factsOf('', { tree: undefined });
    expect([Object.keys(openGraph.properties), jsonLd, microdata, authors]).toEqual([[], [], [], []]);
  });

  test('a page nested without end is read', () => {
    const html = `${'<div>'.repeat(20_000)}${article({ author: 'Ann' })}`;
    expect(factsOf(html).authors).toEqual(['Ann']);
  });
});
