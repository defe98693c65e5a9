import { isElement, isText, type Tree, type TreeElement } from './nodes.ts';

/** The children of an element with this name, prefix included. */
export function childrenNamed(parent: TreeElement | Tree, name: string): TreeElement[] {
  return parent.children.filter((node): node is TreeElement => isElement(node) && node.name === name);
}

export function childNamed(parent: TreeElement | Tree | undefined, name: string): TreeElement | undefined {
  return parent?.children.find((node): node is TreeElement => isElement(node) && node.name === name);
}

/** All text in an element, as it is written. */
export function rawTextOf(element: TreeElement | undefined): string {
  if (!element) return '';
  return element.children.map((node) => (isText(node) ? node.data : rawTextOf(node))).join('');
}

export const trimmedText = (element: TreeElement | undefined): string => rawTextOf(element).trim();
