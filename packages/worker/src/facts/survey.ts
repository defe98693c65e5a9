import { parseUrl } from '@webfarer/protocol/url';
import { isElement, type Tree, type TreeElement } from '../tree/tree.ts';
import { rawText, walk } from './walk.ts';

export interface Meta {
  /** `property` or `name`, as written. */
  name: string;
  content: string;
}

/** Where a page keeps what it says about itself, found in one pass. */
export interface Survey {
  /** What relative URLs are relative to. */
  base: string;
  metas: Meta[];
  /** The texts of JSON-LD scripts. */
  scripts: string[];
  /** Elements that begin an item of microdata and belong to no other. */
  items: TreeElement[];
  /** Namespaces that `prefix` attributes of `html` and `head` declare. */
  prefixes: Set<string>;
}

/** Beyond this no page says anything about itself. */
const maxEach = 5_000;

export function surveyPage(tree: Tree, url: string): Survey {
  const found: Survey = { base: '', metas: [], scripts: [], items: [], prefixes: new Set() };
  let base: string | undefined;
  walk(tree, (node) => {
    if (!isElement(node)) return 'into';
    const { name, attribs } = node;
    if (name === 'meta') addMeta(found.metas, attribs);
    else if (name === 'script') {
      if (isJsonLd(attribs.type) && found.scripts.length < maxEach) found.scripts.push(rawText(node));
      return 'past';
    } else if (name === 'base') base ??= attribs.href;
    else if (name === 'template') return 'past';
    else if (name === 'html' || name === 'head') addPrefixes(found.prefixes, attribs.prefix);
    if (attribs.itemscope !== undefined && attribs.itemprop === undefined && found.items.length < maxEach)
      found.items.push(node);
    return 'into';
  });
  found.base = baseOf(base, url);
  return found;
}

function isJsonLd(type: string | undefined): boolean {
  return type?.split(';', 1)[0]?.trim().toLowerCase() === 'application/ld+json';
}

function addMeta(metas: Meta[], { content, property, name }: Record<string, string>): void {
  if (content === undefined || metas.length >= maxEach) return;
  const written = (property ?? name)?.trim();
  if (written) metas.push({ name: written, content });
}

/** `og: https://ogp.me/ns# article: …` */
function addPrefixes(prefixes: Set<string>, text: string | undefined): void {
  for (const word of (text ?? '').split(/\s+/)) if (/^\w+:$/.test(word)) prefixes.add(word.slice(0, -1));
}

/** Only http(s) can be a base. */
function baseOf(written: string | undefined, url: string): string {
  const base = written === undefined ? undefined : parseUrl(written, url)?.href;
  return base !== undefined && /^https?:/.test(base) ? base : url;
}

/** The first non-empty content of the metas with this name, or of the next name that has one. */
export function metaNamed(metas: readonly Meta[], names: readonly string[]): string | undefined {
  for (const name of names) {
    const found = metas.find((meta) => meta.name.toLowerCase() === name && meta.content.trim() !== '');
    if (found !== undefined) return found.content.trim();
  }
  return undefined;
}
