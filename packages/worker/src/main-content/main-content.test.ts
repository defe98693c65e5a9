import { describe, expect, test } from 'vitest';
import { readTree } from '../tree/tree.ts';
import { mainContent } from './main-content.ts';

const url = 'https://example.com/';
const main = (html: string) => mainContent(readTree(html, { xml: false }), { url });
const prose = (topic: string, count = 3) =>
  Array.from(
    { length: count },
    (_, at) =>
      `<p>Paragraph ${at + 1} about ${topic} says a good deal, in whole sentences, that a reader came for.</p>`,
  ).join('');

describe('main content', () => {
  test('is the article, without navigation, comments and related links', () => {
    const { text } = main(`
      <body><nav><a href="/">Home</a> <a href="/news">News</a></nav>
      <div class="wrap"><div class="story">${prose('tides')}
        <ul class="related"><li><a href="/a">Another story about the sea</a></li></ul></div>
      <div id="comments">${prose('my own opinion', 1)}</div></div>
      <footer>All rights reserved by the owner of this page, who lives far away.</footer></body>`);
    expect(text.split('\n')).toHaveLength(3);
    expect(text).toContain('Paragraph 3 about tides');
  });

  test('leaves the shared tree as it was and answers copies', () => {
    const tree = readTree(`<div>${prose('tides')}<div class="share">Share this</div></div>`, { xml: false });
    const { nodes } = mainContent(tree, { url });
    expect(nodes).toHaveLength(1);
    expect(nodes[0]).not.toBe(tree.children[0]);
    expect('children' in nodes[0]! ? nodes[0].children.length : 0).toBe(3);
    const [whole] = tree.children;
    expect(whole && 'children' in whole ? whole.children.length : 0).toBe(4);
  });

  test('of a page without text is empty', () => {
    expect(main('')).toEqual({ nodes: [], text: '' });
  });
});
