import { elementPath, type FieldSource } from '@webfarer/protocol/job';
import { type Expression, parseUrl } from '@webfarer/protocol/url';
import type { CheerioAPI } from 'cheerio/slim';
import { textOf } from '../facts/walk.ts';
import { treeOf } from '../scrape/page.ts';
import type { Page } from '../scrape/scraper.ts';
import { isElement, type TreeElement, type TreeNode } from '../tree/tree.ts';
import { asNodes, textsAt } from './node-path.ts';

/** Values of one field of one page. */
const maxValues = 10_000;
const maxTextChars = 1_000_000;

/** The texts that a page has for a source. */
export interface PageValues {
  /** What relative URLs are relative to. */
  readonly base: string;
  elements(selector: string): TreeElement[];
  /** `within`: the element that css is looked up in. */
  read(from: FieldSource, how: { html: boolean; within: TreeElement | undefined }): string[];
}

/** By their source. */
export type Expressions = ReadonlyMap<string, Expression>;

/** Loads the selector engine; the rest takes no other code and can be bounded in time. */
export async function loadValues(expressions: Expressions): Promise<(page: Page) => PageValues> {
  const { load } = await import('cheerio/slim');
  return (page) => openValues(page, expressions, load);
}

function openValues(
  page: Page,
  expressions: Expressions,
  load: typeof import('cheerio/slim').load,
): PageValues {
  const tree = treeOf(page);
  // On a page that was cut no selector finds anything: the time of some grows with the square of the number of elements.
  // The selector engine reads the tree that all readers of the page share; nothing here changes it.
  const $: CheerioAPI | undefined =
    tree && tree.cut === undefined ? load(tree as unknown as Parameters<typeof load>[0]) : undefined;
  const select = (selector: string, within: TreeElement | undefined): TreeElement[] => {
    if (selector === '') return within ? [within] : [];
    const found = within ? $?.(selector, within as never) : $?.(selector);
    const nodes = (found?.toArray() ?? []) as unknown as TreeNode[];
    return nodes.filter(isElement).slice(0, maxValues);
  };
  const css = (path: string, { html, within }: { html: boolean; within: TreeElement | undefined }) => {
    const { selector, attribute } = elementPath(path);
    const found = select(selector, within);
    if (attribute !== undefined) return found.flatMap(({ attribs }) => attribs[attribute] ?? []);
    if (html) return found.map((element) => $?.(element as never).html() ?? '');
    return found.map((element) => textOf(element, maxTextChars));
  };
  /** The same for every item of the page. */
  const known = new Map<string, string[]>();
  const matchesOf = (regex: string): string[] => {
    const found = known.get(regex) ?? firstGroups(page.source(), expressions.get(regex));
    known.set(regex, found);
    return found;
  };
  return {
    base: baseOf($, page.url),
    elements: (selector) => select(selector, undefined),
    read(from, how) {
      if ('css' in from) return css(from.css, how);
      if ('jsonLd' in from) return textsAt(page.jsonLd, from.jsonLd).slice(0, maxValues);
      if ('microdata' in from) return textsAt(asNodes(page.microdata), from.microdata).slice(0, maxValues);
      if ('openGraph' in from) {
        const { properties } = page.openGraph;
        return [...(properties[from.openGraph] ?? properties[`og:${from.openGraph}`] ?? [])];
      }
      if ('regex' in from) return matchesOf(from.regex);
      return [page[from.page] ?? []].flat();
    },
  };
}

/** `<base href>` counts where it is http(s). */
function baseOf($: CheerioAPI | undefined, url: string): string {
  const written = $?.('base[href]').first().attr('href');
  const base = written === undefined ? undefined : parseUrl(written, url)?.href;
  return base !== undefined && /^https?:/.test(base) ? base : url;
}

function firstGroups(source: string, expression: Expression | undefined): string[] {
  const found: string[] = [];
  for (const [whole = '', first = whole] of expression?.matches(source) ?? []) {
    found.push(first);
    if (found.length >= maxValues) break;
  }
  return found;
}
