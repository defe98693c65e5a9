import fc from 'fast-check';
import { parseDocument } from 'htmlparser2';
import { expect, test } from 'vitest';
import { isElement, readTree, type TreeNode } from './tree.ts';

/** Pieces of pages; put together at random they make what no author would write on purpose. */
const names = 'p div ul li table tr td th b a h2 form option select dd dt span br img svg path'.split(' ');
const piece = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...names).map((name) => `<${name}>`) },
  { weight: 4, arbitrary: fc.constantFrom(...names).map((name) => `</${name}>`) },
  fc.constantFrom(
    'text',
    ' a &amp; b &copy; &#x41; ',
    '<a href=x&amp;y CLASS="c d" class=e>',
    "<input value='<b>'>",
    '<script>if (a < b) "</p>"</script>',
    '<style>p > a {}</style>',
    '<textarea><b>&lt;</textarea>',
    '<title>a</b>&amp;</title>',
    '<!-- <p> -->',
    '<path/>',
    '<p/>',
    'a < b',
  ),
);

function shapeOf(nodes: readonly { type: string }[]): unknown[] {
  const shape: unknown[] = [];
  for (const node of nodes as readonly TreeNode[]) {
    if (!['text', 'tag', 'script', 'style'].includes(node.type)) continue;
    const last = shape.at(-1);
    if (isElement(node)) shape.push([node.name, node.attribs, shapeOf(node.children)]);
    // Beside a comment there are two texts, or one.
    else if (typeof last === 'string') shape[shape.length - 1] = last + node.data;
    else shape.push(node.data);
  }
  return shape;
}

test('tag soup becomes the tree that another parser makes of it', () => {
  // Elements that end SVG, and header cells that end other cells, are read as the HTML standard says; htmlparser2 does not.
  const differs = /<svg>(?:(?!<\/svg>).)*<(?!path|svg|\/)|<td>.*<th>|<svg>.*<\/(?!svg|path)/s;
  let compared = 0;
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const html = pieces.join('');
      if (differs.test(html)) return;
      compared++;
      expect(shapeOf(readTree(html, { xml: false }).children), html).toEqual(
        shapeOf(parseDocument(html, { decodeEntities: true }).children),
      );
    }),
    { numRuns: 3_000, seed: 14 },
  );
  expect(compared).toBeGreaterThan(500);
});
