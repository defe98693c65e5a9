import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseUrl } from '@webfarer/protocol';
import { type DefaultTreeAdapterMap, parse } from 'parse5';
import { expect, it } from 'vitest';
import { charsetOf, decodeText } from './charset.ts';
import { linkRelation, linkTable } from './link-table.ts';
import { extractLinks } from './links.ts';
import { parseSrcset } from './srcset.ts';

const corpora = process.env.WEBFARER_CORPORA;
const url = 'https://page.example/dir/page.html';

type Node = DefaultTreeAdapterMap['node'];
type Element = DefaultTreeAdapterMap['element'];

/** The same links by the reference parser and a plain walk over its tree: `rel href`. */
function reference(html: string, base: string): Set<string> {
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
    for (const [attribute, meaning] of Object.entries(table ?? {})) {
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

it.skipIf(corpora === undefined)('finds the links the reference parser finds on real pages', () => {
  const folder = join(corpora as string, 'html-pages');
  let both = 0;
  let missed = 0;
  let extra = 0;
  const differences: string[] = [];
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.html'))) {
    const body = readFileSync(join(folder, file));
    const html = decodeText(body, charsetOf(body));
    const page = extractLinks(html, { url, maxLinks: 100_000 });
    const ours = new Set(
      page.links
        .filter((link) => link.rel !== 'meta:refresh')
        .map((link) => `${link.rel} ${link.url ?? link.href}`),
    );
    const theirs = reference(html, page.base);
    for (const link of theirs) {
      if (ours.has(link)) both += 1;
      else {
        missed += 1;
        differences.push(`${file.slice(0, 8)} missed ${link}`);
      }
    }
    for (const link of ours) {
      if (theirs.has(link)) continue;
      extra += 1;
      differences.push(`${file.slice(0, 8)} extra ${link}`);
    }
  }
  const recall = both / (both + missed);
  const precision = both / (both + extra);
  console.log(`links ${both + missed}  recall ${recall.toFixed(5)}  precision ${precision.toFixed(5)}`);
  if (differences.length > 0) console.log(differences.slice(0, 10).join('\n'));
  expect(recall).toBeGreaterThanOrEqual(0.999);
  expect(precision).toBeGreaterThanOrEqual(0.999);
});

// The last piece is a space.
const pieces = (
  '<a href=1>|<a href="2">|<a\nhref=\'3\'/>|<a href=4/>|<a href=&amp;5>|</a>|<img src=6>|<iframe src=7>|</iframe>|' +
  '<div>|</div>|<p>|<p title="|<table>|</table>|<td>|<span>|<b>|<br/>|text|<title>|</title>|<style>|</style>|' +
  '<script>|</script>|<script><!--<script>|<textarea>|</textarea>|<xmp>|</xmp>|<noframes>|</noframes>|<noscript>|' +
  '</noscript>|<template>|</template>|<svg>|</svg>|<math>|</math>|<foreignObject>|</foreignObject>|<desc>|</desc>|' +
  '<mi>|</mi>|<path/>|<![CDATA[|]]>|<!--|-->|<!-->|--!>|<|>|"|\'|=|/| '
).split('|');

it('agrees with the reference parser on nearly all rubbish', () => {
  let seed = 12_345;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((seed / 2 ** 32) * below);
  };
  const sizes = 5_000;
  let equal = 0;
  for (let i = 0; i < sizes; i += 1) {
    let html = '<body>';
    for (let left = random(14) + 2; left > 0; left -= 1) html += pieces[random(pieces.length)];
    const ours = extractLinks(html, { url }).links.map((link) => `${link.rel} ${link.url}`);
    const theirs = [...reference(html, url)];
    if (ours.toSorted().join('|') === theirs.toSorted().join('|')) equal += 1;
  }
  // What differs needs the whole stack of open elements: SVG that is closed by something else.
  expect(equal / sizes).toBeGreaterThan(0.995);
});
