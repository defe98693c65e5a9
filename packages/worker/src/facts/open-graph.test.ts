import { describe, expect, test } from 'vitest';
import { factsOf } from './facts.fixture.ts';

const meta = (property: string, content: string) => `<meta property="${property}" content="${content}">`;

describe('Open Graph', () => {
  test('single properties are fields, all of them are in properties', () => {
    const { openGraph } = factsOf(
      `<head>${meta('og:title', ' A &amp; B ')}${meta('og:site_name', 'S')}${meta('article:tag', 'x')}${meta('article:tag', 'y')}</head>`,
    );
    expect(openGraph).toMatchObject({ title: 'A & B', siteName: 'S', images: [] });
    expect(openGraph.properties['article:tag']).toEqual(['x', 'y']);
    expect('type' in openGraph).toBe(false);
  });

  test('structured properties belong to the image before them', () => {
    const { openGraph } = factsOf(
      meta('og:image', '/a.png') +
        meta('og:image:secure_url', 'https://s.example/a.png') +
        meta('og:image:width', '300') +
        meta('og:image', 'b.png') +
        meta('og:image:url', 'c.png') +
        meta('og:image:alt', 'C') +
        meta('og:video:secure_url', '/v.mp4') +
        meta('og:video:type', 'video/mp4'),
    );
    expect(openGraph.images).toEqual([
      {
        url: 'https://site.example/a.png',
        secureUrl: 'https://s.example/a.png',
        width: '300',
      },
      { url: 'https://site.example/docs/b.png' },
      { url: 'https://site.example/docs/c.png', alt: 'C' },
    ]);
    expect(openGraph.videos).toEqual([
      {
        url: 'https://site.example/v.mp4',
        secureUrl: 'https://site.example/v.mp4',
        type: 'video/mp4',
      },
    ]);
  });

  test('other namespaces count where the page declares them', () => {
    const metas = meta('my:price', '1') + meta('other:price', '2') + meta('product:price:amount', '3');
    const { properties } = factsOf(`<html prefix="my: https://my.example/ns#">${metas}`).openGraph;
    expect({ ...properties }).toEqual({ 'my:price': ['1'], 'product:price:amount': ['3'] });
  });

  test('metas with name in place of property, and those in the body, count', () => {
    const html = `<body><meta name="og:type" content="article">${meta('og:image:constructor', 'x')}</body>`;
    expect(factsOf(html).openGraph).toMatchObject({ type: 'article', images: [] });
  });
});
