import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Url } from '../base/brands.ts';
import type { Edge } from '../base/entry.ts';
import { packEdges, unpackEdges } from './edge-codec.ts';

const from = 'https://a.example/dir/page' as Url;
const again = (edges: Edge[]) => unpackEdges(from, packEdges(from, edges));

describe('packed links', () => {
  it('are what they were', () => {
    const edges = [
      { to: 'https://a.example/one', rel: 'a', text: 'One & all' },
      { to: 'https://a.example/other', rel: 'a', nofollow: true },
      { to: 'https://b.example/', rel: 'link:canonical' },
      { to: 'https://a.example/', rel: 'a', nofollow: true, text: 'Ünïcode 👍' },
      { to: 'https://a.example.org/one', rel: 'img' },
      { to: 'http://a.example/one', rel: 'img' },
    ] as Edge[];
    expect(again(edges)).toEqual(edges);
    expect(again([])).toEqual([]);
  });

  it('are small where URLs begin alike', () => {
    const edges = Array.from({ length: 100 }, (_, n) => ({
      to: `https://a.example/articles/of/this/year/${n}` as Url,
      rel: 'a',
    }));
    expect(packEdges(from, edges).length).toBeLessThan(100 * 8 + 50);
  });

  it('are what they were, whatever they hold', () => {
    const url = fc
      .tuple(fc.constantFrom('https://a.example', 'https://b.example', 'https://a.example.org'), fc.webPath())
      .map(([origin, path]) => `${origin}/${path}` as Url);
    const odd = fc.string({
      unit: fc.constantFrom('a', ' ', '\t', '\n', '!', '\u0000', '\ud800', 'é', '👍'),
    });
    const edge = fc.record(
      { to: url, rel: fc.oneof(fc.constantFrom('a', 'img'), odd), nofollow: fc.constant(true), text: odd },
      { requiredKeys: ['to', 'rel'] },
    );
    fc.assert(
      fc.property(fc.array(edge), (edges) => {
        expect(again(edges as Edge[])).toEqual(edges);
      }),
    );
  });
});
