import { describe, expect, test } from 'vitest';
import { maxNodes } from './budget.ts';
import { packTree, unpackTree } from './packed-tree.ts';
import { isElement, isText, maxDepth, readTree, readTreeInTurns, type TreeNode } from './tree.ts';

const count = (nodes: readonly TreeNode[]): number =>
  nodes.reduce((sum, node) => sum + 1 + (isElement(node) ? count(node.children) : 0), 0);

describe('readTree', () => {
  test('closes what HTML leaves open, and decodes entities', () => {
    const [list] = readTree('<ul><li>a &amp; b<li>c</ul>', { xml: false }).children;
    const items = list && isElement(list) ? list.children.filter(isElement) : [];
    expect(items.map(({ name }) => name)).toEqual(['li', 'li']);
    const [first] = items[0]?.children ?? [];
    expect(first && isText(first) ? first.data : undefined).toBe('a & b');
  });

  test('keeps the case of XML', () => {
    const [root] = readTree('<a:Feed/>', { xml: true }).children;
    expect(root && isElement(root) ? root.name : undefined).toBe('a:Feed');
  });

  test('ends lines in one way', () => {
    const [text] = readTree('a\r\nb\rc', { xml: false }).children;
    expect(text && isText(text) ? text.data : undefined).toBe('a\nb\nc');
  });

  test('leaves SVG where an element cannot stand in it, closed or not', () => {
    const [, after] = readTree('<svg><path/><title>a<b>c</title><g><p>text', { xml: false }).children;
    expect(after && isElement(after) ? after.name : undefined).toBe('p');
  });

  test('a header cell ends the cell before it', () => {
    const [row] = readTree('<tr><td>a<th>b', { xml: false }).children;
    expect(row && isElement(row) ? row.children.length : 0).toBe(2);
  });

  test('as many ends of what never began as fit into a page', () => {
    const html = `${'<b>'.repeat(600)}${'</i>'.repeat(500_000)}text`;
    let node: TreeNode | undefined = readTree(html, { xml: false }).children[0];
    while (node && isElement(node)) node = node.children.at(-1);
    expect(node?.data).toBe('text');
  });

  test('nesting without end becomes a long row, with the text where it was', () => {
    const tree = readTree(`${'<div>'.repeat(20_000)}end</div></div><p>after`, { xml: false });
    let depth = 0;
    let node: TreeNode | undefined = tree.children[0];
    let last: TreeNode | undefined;
    for (; node && isElement(node); node = node.children.at(-1)) {
      depth++;
      last = node;
    }
    expect(depth).toBeLessThanOrEqual(maxDepth);
    expect(last && isElement(last) ? last.name : undefined).toBe('p');
  });

  test.each([
    ['elements', '<p>a'.repeat(1_000_000)],
    ['elements', '<b><p>'.repeat(200_000)],
    ['text', `<p>${'a'.repeat(5_000_000)}`],
    ['text', `<p ${Array.from({ length: 900 }, (_, at) => `a${at}=""`).join(' ')}/>`.repeat(800)],
  ] as const)('is cut where a page has more %s than are worked on', (cut, source) => {
    for (const xml of [false, true]) {
      const tree = readTree(`<r>${source}`, { xml });
      expect(tree.cut).toBe(cut);
      expect(count(tree.children)).toBeLessThanOrEqual(maxNodes);
      expect(count(tree.children)).toBeGreaterThan(1);
    }
  });

  test.each([
    ['XML', `<r>${'<a>text</a>'.repeat(40_000)}</r>`, true],
    ['HTML', `<p>${'<a>text</a>'.repeat(40_000)}`, false],
    ['many line ends', `<p>${'\r'.repeat(1_900_000)}`, false],
  ])('gives others their turn while it reads %s of megabytes', async (_, source, xml) => {
    let turns = 0;
    let isOver = false;
    const count = () => {
      turns++;
      if (!isOver) setImmediate(count);
    };
    setImmediate(count);
    const tree = await readTreeInTurns(source, { xml });
    isOver = true;
    expect(tree.cut).toBeUndefined();
    expect(turns).toBeGreaterThan(3);
  });

  test('in turns gives the same tree, wherever a piece ends', async () => {
    const piece = '<ul><li>a\r\nb<li title="c > d">&amp;</ul><!-- e --><script>if (a < b) {}</script>';
    const html = piece.repeat(30_000 / piece.length) + '\r'.repeat(999_000) + piece.repeat(2_000);
    const inTurns = await readTreeInTurns(html, { xml: false });
    expect(await packTree(inTurns.children)).toEqual(await packTree(readTree(html, { xml: false }).children));
  });

  test('XML without end too', () => {
    let depth = 0;
    const tree = readTree(`<r>${'<a>'.repeat(100_000)}<![CDATA[end]]>`, { xml: true });
    for (let node: TreeNode | undefined = tree.children[0]; node && isElement(node); depth++)
      node = node.children.at(-1);
    expect(depth).toBe(maxDepth);
  });
});

describe('a packed tree', () => {
  test('is the same tree elsewhere, however deep and wide', async () => {
    const html = `<p class=a>text<b>bold</b>${'<i>x</i>'.repeat(9_000)}</p>${'<div>'.repeat(400)}deep`;
    const { children } = readTree(html, { xml: false });
    const parts = await packTree(children);
    expect(parts.length).toBeGreaterThan(1);
    const again = unpackTree(structuredClone(parts));
    expect(count(again.children)).toBe(count(children));
    expect(await packTree(again.children)).toEqual(parts);
    const [paragraph] = again.children;
    const last = paragraph && isElement(paragraph) ? paragraph.children.at(-1) : undefined;
    expect([last?.parent === paragraph, last?.prev?.next === last]).toEqual([true, true]);
  });
});
