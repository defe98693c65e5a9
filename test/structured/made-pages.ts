import type { MicrodataItem, MicrodataValue } from '../../packages/worker/src/facts/microdata.ts';
import type { TestPage } from '../corpora/real-pages.ts';

type Random = () => number;

/** A page, and what is on it by the way it was made. */
export interface MadePage extends TestPage {
  jsonLd: object[];
  openGraph: Record<string, string[]>;
  microdata: MicrodataItem[];
}

const words = [
  'lamp',
  'Ä & Ö',
  'a "quoted" word',
  "it's",
  '10 < 12',
  '日本',
  'x/y',
  '//no comment',
  'end */',
];

/** Pages with JSON-LD in every layout that is repaired, Open Graph with repeats, and items within items and by reference. */
export function madePage(number: number, random: Random): MadePage {
  const upTo = (most: number) => Math.floor(random() * (most + 1));
  const one = <T>(all: readonly T[]): T => all[upTo(all.length - 1)] as T;
  const url = 'https://made.example/dir/page';
  const jsonLd: object[] = [];
  const openGraph: Record<string, string[]> = {};
  const head: string[] = [];
  for (let n = upTo(3); n > 0; n--) {
    const nodes = Array.from({ length: 1 + upTo(2) }, () => node(one, upTo));
    jsonLd.push(...nodes);
    head.push(`<script type="application/ld+json">${script(nodes, one)}</script>`);
  }
  for (let n = upTo(6); n > 0; n--) {
    const name = one(['og:title', 'og:image', 'og:image:width', 'article:tag', 'product:price:amount']);
    const content = one(words);
    (openGraph[name] ??= []).push(content);
    head.push(`<meta property="${name}" content="${escaped(content)}">`);
  }
  const microdata: MicrodataItem[] = [];
  const body: string[] = [];
  const ids = { next: 0 };
  for (let n = upTo(3); n > 0; n--) {
    const { item, html, elsewhere } = madeItem({ one, upTo, ids }, 0);
    microdata.push(item);
    body.push(html, ...elsewhere);
  }
  const html = `<!doctype html><html><head>${head.join('\n')}</head><body>${body.join('<hr>')}</body></html>`;
  return { name: `made ${number}`, url, html, jsonLd, openGraph, microdata };
}

type One = <T>(all: readonly T[]) => T;
type UpTo = (most: number) => number;

function node(one: One, upTo: UpTo): object {
  return {
    '@type': one(['Product', 'NewsArticle', 'Person']),
    name: one(words),
    list: Array.from({ length: upTo(3) }, () => one(words)),
    inner: { price: upTo(1000) / 10, isGood: upTo(1) === 1, nothing: null },
  };
}

/** The nodes as text, with one of the faults that are repaired. */
function script(nodes: object[], one: One): string {
  const list = JSON.stringify(nodes);
  const first = JSON.stringify(nodes[0]);
  const rest = nodes.slice(1).map((each) => JSON.stringify(each));
  return one([
    () => list,
    () => JSON.stringify({ '@context': 'https://schema.org', '@graph': nodes }, null, 2),
    () => `\n//<![CDATA[\n${list}\n//]]>\n`,
    () => `/* <![CDATA[ */${list}/* ]]> */`,
    () => `<!-- words only -->\n${list}`,
    () => `${list.slice(0, -1)},]`,
    () => `${list.slice(0, -1)} // the end\n]`,
    () => [first, ...rest].join('\n'),
    () => `${[first, ...rest].join(',')};`,
    () => list.replaceAll('&', '&amp;').replaceAll('"', '&quot;'),
  ])();
}

interface Making {
  one: One;
  upTo: UpTo;
  ids: { next: number };
}

/** An item of random elements. What it refers to stands behind it, so that its properties come last. */
function madeItem(
  { one, upTo, ids }: Making,
  depth: number,
): { item: MicrodataItem; html: string; elsewhere: string[] } {
  const properties: Record<string, MicrodataValue[]> = {};
  const elsewhere: string[] = [];
  const add = (name: string, value: MicrodataValue) => (properties[name] ??= []).push(value);
  const parts: string[] = [];
  for (let n = upTo(4); n > 0; n--) {
    const name = one(['name', 'price', 'image', 'author']);
    if (depth < 3 && upTo(3) === 0) {
      const inner = madeItem({ one, upTo, ids }, depth + 1);
      add(name, inner.item);
      parts.push(inner.html.replace('<div', `<div itemprop="${name}"`));
      elsewhere.push(...inner.elsewhere);
    } else {
      const { html, value } = madeValue(name, one);
      add(name, value);
      parts.push(html);
    }
  }
  let ref = '';
  if (depth === 0 && upTo(1) === 1) {
    const id = `r${ids.next++}`;
    const { html, value } = madeValue('referred', one);
    add('referred', value);
    elsewhere.push(`<p id="${id}">${html}</p>`);
    ref = ` itemref="${id}"`;
  }
  const type = `https://schema.org/${one(['Product', 'Person'])}`;
  return {
    item: { type: [type], properties },
    html: `<div itemscope itemtype="${type}"${ref}>${parts.join('<br>')}</div>`,
    elsewhere,
  };
}

function madeValue(name: string, one: One): { html: string; value: string } {
  const text = one(words);
  const shown = escaped(text);
  return one([
    () => ({ html: `<span itemprop="${name}">\n ${shown} </span>`, value: text }),
    () => ({ html: `<meta itemprop="${name}" content="${shown}">`, value: text }),
    () => ({ html: `<span itemprop="${name}" content="${shown}">other</span>`, value: text }),
    () => ({ html: `<data itemprop="${name}" value="${shown}">other</data>`, value: text }),
    () => ({ html: `<time itemprop="${name}" datetime="2026-03-01">then</time>`, value: '2026-03-01' }),
    () => ({
      html: `<a itemprop="${name}" href="../up?q=1#f">other</a>`,
      value: 'https://made.example/up?q=1#f',
    }),
    () => ({ html: `<img itemprop="${name}" src="i.png">`, value: 'https://made.example/dir/i.png' }),
  ])();
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
