import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Url } from '../base/brands.ts';
import type { Edge } from '../base/entry.ts';
import { packEdges } from './edge-codec.ts';
import { LinkReader, textOf } from './link-reader.ts';

const from = 'https://a.example/dir/page' as Url;

/** What a reader finds; what it calls unchanged must be so. */
function read(reader: LinkReader, edges: Edge[]): { to: string; rel: string }[] {
  const found: { to: string; rel: string }[] = [];
  const before = new Map<unknown, string>();
  reader.open(from, packEdges(from, edges));
  while (reader.next()) {
    const { url } = reader;
    const last = before.get(url);
    if (last !== undefined) expect(textOf(url, url.shared)).toBe(last.slice(0, url.shared));
    before.set(url, reader.text());
    found.push({ to: reader.text(), rel: reader.rel });
  }
  return found;
}

describe('a reader of packed links', () => {
  const url = fc
    .tuple(
      fc.constantFrom('https://a.example', 'https://b.example', 'https://a.example.org', 'https://ü.example'),
      fc.oneof(fc.webPath(), fc.string({ minLength: 250, maxLength: 600, unit: fc.constantFrom('a', 'b') })),
    )
    .map(([origin, path]) => `${origin}/${path}` as Url);
  const odd = fc.string({ unit: fc.constantFrom('a', ' ', '\t', '\n', '!', '\ud800', 'é') });
  const edge = fc.record(
    { to: url, rel: fc.oneof(fc.constantFrom('a', 'img'), odd), nofollow: fc.constant(true), text: odd },
    { requiredKeys: ['to', 'rel'] },
  );

  it('finds the links that were packed, page after page', () => {
    const reader = new LinkReader();
    fc.assert(
      fc.property(fc.array(edge), (edges) => {
        expect(read(reader, edges as Edge[])).toEqual(edges.map(({ to, rel }) => ({ to, rel })));
      }),
    );
  });

  it('knows links to the own origin, and reads URLs of any length', () => {
    const long = `https://b.example/${'x'.repeat(9_000)}`;
    const edges = ['https://a.example/x', long, 'https://a.example/y'].map((to) => ({
      to: to as Url,
      rel: 'a',
    }));
    const reader = new LinkReader();
    expect(read(reader, edges).map(({ to }) => to)).toEqual(edges.map(({ to }) => to));
    reader.open(from, packEdges(from, edges));
    const own = edges.map(() => reader.next() && reader.isOwn);
    expect(own).toEqual([true, false, true]);
  });
});
