import { describe, expect, test } from 'vitest';
import { isElement, isText, readTree } from './tree.ts';

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
});
