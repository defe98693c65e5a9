import { walk } from '../facts/walk.ts';
import { isElement, type Tree, type TreeElement } from '../tree/tree.ts';
import type { ElementPlace } from './form.ts';

const wanted = new Set(['form', 'input', 'select', 'textarea', 'button']);

/** Names forms and controls of a page for a browser: by id, else by name, else by their tag. */
export function placesOf(tree: Tree): (element: TreeElement) => ElementPlace {
  const all = new Map<string, TreeElement[]>();
  walk(tree, (node) => {
    // A browser that runs scripts does not read what stands in these.
    if (!isElement(node)) return 'into';
    if (node.name === 'noscript' || node.name === 'template') return 'past';
    if (wanted.has(node.name))
      for (const selector of selectorsOf(node)) {
        const same = all.get(selector);
        if (same) same.push(node);
        else all.set(selector, [node]);
      }
    return 'into';
  });
  return (element) => {
    const selectors = selectorsOf(element);
    const places = selectors.map((selector) => ({
      selector,
      nth: Math.max(0, all.get(selector)?.indexOf(element) ?? 0),
      count: all.get(selector)?.length ?? 0,
    }));
    const { selector, nth } = places.find(({ count }) => count === 1) ??
      places[0] ?? { selector: '*', nth: 0 };
    return { selector, nth };
  };
}

function selectorsOf({ name: tag, attribs }: TreeElement): string[] {
  const { id = '', name = '' } = attribs;
  return [
    ...(id === '' ? [] : [`${tag}[id=${quoted(id)}]`]),
    ...(name === '' ? [] : [`${tag}[name=${quoted(name)}]`]),
    tag,
  ];
}

/** As a string of CSS. */
function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&').replace(/[\n\r\f\0]/g, (at) => `\\${at.charCodeAt(0).toString(16)} `)}"`;
}
