import { parseUrl } from '@webfarer/protocol/url';
import { isElement, type Tree, type TreeElement } from '../tree/tree.ts';
import { costOf, type Effort, textOf, walk } from './walk.ts';

/** An item in the JSON form of the HTML standard. */
export interface MicrodataItem {
  /** The words of `itemtype`. */
  readonly type: readonly string[];
  readonly id?: string;
  readonly properties: Readonly<Record<string, readonly MicrodataValue[]>>;
}

/** The value of a property: text, a URL or a date as text, or an item within the item. */
export type MicrodataValue = string | MicrodataItem;

/** Elements visited on one page, and text kept: `itemref` lets a small page ask for very much. */
const maxEffort = 1_000_000;
/** Items within items. */
const maxDepth = 50;
/** What an item costs, besides its properties. */
const itemEffort = 20;
const maxTextChars = 100_000;

interface Places {
  byId: Map<string, TreeElement>;
  /** Where each property stands in the document. */
  order: Map<TreeElement, number>;
}

interface Reading {
  tree: Tree;
  base: string;
  /** Made when the first `itemref` is met. */
  places: Places | undefined;
  effort: Effort;
}

/**
 * The top-level items of a page, by the algorithm of the HTML standard, with two differences that real pages ask for: a
 * `content` attribute counts on every element, and texts have their white space folded. Stops at its limits; never throws.
 */
export function readMicrodata(tree: Tree, items: readonly TreeElement[], base: string): MicrodataItem[] {
  const reading: Reading = { tree, base, places: undefined, effort: { left: maxEffort } };
  return items.map((element) => readItem(element, reading, [element]));
}

/** `within`: the item and those around it. One that holds itself is left out there, by which reading ends. */
function readItem(element: TreeElement, reading: Reading, within: readonly TreeElement[]): MicrodataItem {
  reading.effort.left -= itemEffort;
  const { itemtype, itemid } = element.attribs;
  const properties = Object.create(null) as Record<string, MicrodataValue[]>;
  for (const property of propertiesOf(element, reading)) {
    if (reading.effort.left < 0) break;
    const value = valueOf(property, reading, within);
    if (value === undefined) continue;
    for (const name of new Set(words(property.attribs.itemprop))) {
      if (name === '__proto__') continue;
      reading.effort.left -= typeof value === 'string' ? costOf(value) : 1;
      (properties[name] ??= []).push(value);
    }
  }
  return {
    type: words(itemtype),
    ...(itemid === undefined ? {} : { id: absolute(itemid, reading.base) || itemid.trim() }),
    properties,
  };
}

/** The elements that are properties of an item: below it and below what `itemref` names, in document order. */
function propertiesOf(item: TreeElement, reading: Reading): TreeElement[] {
  const found: TreeElement[] = [];
  const take = (element: TreeElement) => {
    if (words(element.attribs.itemprop).length > 0) found.push(element);
    return element.attribs.itemscope === undefined;
  };
  const gather = (root: TreeElement) =>
    walk(root, (node) => {
      if (--reading.effort.left < 0) return 'stop';
      return !isElement(node) || take(node) ? 'into' : 'past';
    });
  gather(item);
  const refs = words(item.attribs.itemref);
  if (refs.length === 0) return found;
  const { byId, order } = (reading.places ??= placesIn(reading.tree));
  for (const id of new Set(refs)) {
    const element = byId.get(id);
    if (element !== undefined && element !== item && take(element)) gather(element);
  }
  return [...new Set(found)].toSorted((a, b) => (order.get(a) ?? 0) - (order.get(b) ?? 0));
}

function placesIn(tree: Tree): Places {
  const places: Places = { byId: new Map(), order: new Map() };
  walk(tree, (node) => {
    if (!isElement(node)) return 'into';
    const { id, itemprop } = node.attribs;
    if (id !== undefined && !places.byId.has(id)) places.byId.set(id, node);
    if (itemprop !== undefined) places.order.set(node, places.order.size);
    return node.name === 'template' ? 'past' : 'into';
  });
  return places;
}

/** Where the value of a property stands, by the element that has it. */
const urlAttributes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    a: 'href',
    area: 'href',
    link: 'href',
    audio: 'src',
    embed: 'src',
    iframe: 'src',
    img: 'src',
    source: 'src',
    track: 'src',
    video: 'src',
    object: 'data',
  }),
);

function valueOf(
  element: TreeElement,
  reading: Reading,
  within: readonly TreeElement[],
): MicrodataValue | undefined {
  const { name, attribs } = element;
  if (attribs.itemscope !== undefined) {
    if (within.includes(element) || within.length >= maxDepth) return undefined;
    return readItem(element, reading, [...within, element]);
  }
  if (name === 'meta') return attribs.content ?? '';
  const attribute = urlAttributes.get(name);
  if (attribute !== undefined) return absolute(attribs[attribute] ?? '', reading.base);
  if (name === 'data' || name === 'meter') return attribs.value ?? '';
  if (name === 'time' && attribs.datetime !== undefined) return attribs.datetime;
  if (attribs.content) return attribs.content;
  return textOf(element, maxTextChars, reading.effort);
}

/** Empty where it is no URL, as the standard says. */
function absolute(text: string, base: string): string {
  return text.trim() === '' ? '' : (parseUrl(text, base)?.href ?? '');
}

function words(text: string | undefined): string[] {
  return text?.split(/\s+/).filter(Boolean) ?? [];
}
