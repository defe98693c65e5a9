import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { linkRelation, linkTable, parseUrl } from '@webfarer/protocol/url';
import { type DefaultTreeAdapterMap, parse } from 'parse5';
import { charsetOf, decodeText } from './charset.ts';
import { extractLinks } from './links.ts';
import { parseSrcset } from './srcset.ts';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

/** The same links by the reference parser and a plain walk over its tree: `rel href`. */
export function referenceLinks(html: string, base: string): Set<string> {
  const found: [string, string][] = [];
  let hasBase = false;
  const add = (rel: string, href: string): void => {
    if (!/^\s*data:/i.test(href)) found.push([rel, href.trim()]);
  };
  const visit = (element: Element): void => {
    const attributes = new Map(
      element.attrs.map((a) => [(a.prefix ? `${a.prefix}:${a.name}` : a.name).toLowerCase(), a.value]),
    );
    const name = element.tagName.toLowerCase();
    if (name === 'base' && attributes.has('href')) hasBase = true;
    if (name === 'link') {
      const meaning = linkRelation(attributes.get('rel') ?? '');
      if (meaning && attributes.get('href')?.trim()) add(meaning.rel, attributes.get('href') as string);
    }
    const table = linkTable.get(name);
    for (const [attribute, meaning] of table ?? []) {
      const value = attributes.get(attribute);
      if (value === undefined) continue;
      if (meaning.srcset) for (const href of parseSrcset(value)) add(meaning.rel, href);
      else if (name === 'a' || name === 'area' || value.trim() !== '') add(meaning.rel, value);
    }
  };
  const walk = (node: Node): void => {
    if ('attrs' in node) visit(node);
    if ('childNodes' in node) for (const child of node.childNodes) walk(child);
  };
  walk(parse(html, { scriptingEnabled: false }));
  const links = found.filter(([, href]) => hasBase || !href.startsWith('#'));
  return new Set(links.map(([rel, href]) => `${rel} ${parseUrl(href, base)?.href ?? href}`));
}

export interface LinkAgreement {
  pages: number;
  /** Links the reference parser finds. */
  links: number;
  recall: number;
  precision: number;
  /** `PAGE missed|extra REL URL`, all of them. */
  differences: string[];
}

const pageUrl = 'https://page.example/dir/page.html';

export interface AgreementOptions {
  extract?: typeof extractLinks;
  /** Pages to look at; all of them by default. */
  pages?: number;
}

/** How far an extractor agrees with the reference parser on the pages of a folder. */
export function agreementOn(folder: string, options: AgreementOptions = {}): LinkAgreement {
  const { extract = extractLinks, pages } = options;
  let both = 0;
  let missed = 0;
  let extra = 0;
  const differences: string[] = [];
  const files = readdirSync(folder)
    .filter((name) => name.endsWith('.html'))
    .slice(0, pages);
  for (const file of files) {
    const body = readFileSync(join(folder, file));
    const html = decodeText(body, charsetOf(body));
    const page = extract(html, { url: pageUrl, maxLinks: 100_000 });
    // Only what the table of links names: the walk above knows nothing of meta refresh.
    const counted = page.links.filter((link) => link.rel !== 'meta:refresh');
    const ours = new Set(counted.map((link) => `${link.rel} ${link.url ?? link.href}`));
    const theirs = referenceLinks(html, page.base);
    const missing = [...theirs].filter((link) => !ours.has(link));
    const added = [...ours].filter((link) => !theirs.has(link));
    both += theirs.size - missing.length;
    missed += missing.length;
    extra += added.length;
    const name = file.slice(0, 8);
    differences.push(...missing.map((link) => `${name} missed ${link}`));
    differences.push(...added.map((link) => `${name} extra ${link}`));
  }
  return {
    pages: files.length,
    links: both + missed,
    recall: both / Math.max(1, both + missed),
    precision: both / Math.max(1, both + extra),
    differences,
  };
}
