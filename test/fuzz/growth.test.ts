import { describe, expect, it } from 'vitest';
import { pageReaders } from './page-readers.ts';

const count = 2_500;
/** Four times the page takes about four times the time; where it grows with the square, sixteen times. */
const maxGrowth = 9;
/** Less is not told from noise. */
const leastMs = 250;
const tries = 3;

const many = (piece: string) => (n: number) => piece.repeat(n);
const each = (piece: (n: number) => string) => (n: number) =>
  Array.from({ length: n }, (_, i) => piece(i)).join('');
const jsonLd = (text: string) => `<script type="application/ld+json">${text}</script>`;

const shapes: Readonly<Record<string, (n: number) => string>> = {
  'nested elements': many('<div>'),
  'nested lists': many('<ul><li>a'),
  'nested tables': many('<table><tr><td>a'),
  'nested quotes': many('<blockquote>a'),
  'misnested elements': many('<b><i></b>'),
  'elements side by side': many('<p>A sentence.</p>'),
  'end tags': (n) => `${'<div>'.repeat(500)}${'</p></span>'.repeat(n)}`,
  'rows and cells': many('<table><tr><td>a<td>b'),
  'cells of one row': (n) => `<table><tr>${'<td>a'.repeat(n)}`,
  'spanning cells': (n) => `<table>${'<tr><td colspan=1000 rowspan=65534>a'.repeat(n / 50)}`,
  links: each((i) => `<a href="/x${i}">t</a> `),
  'special characters': (n) => `<p>${'*_`[\\'.repeat(n)}`,
  'white space': (n) => `<p>a${' '.repeat(n * 10)}b`,
  'back-ticks': (n) => `<pre>${'` ``\n'.repeat(n)}`,
  scripts: many(jsonLd('{"@type":"Article","@id":"a","author":{"@id":"a"}}')),
  'nested JSON': (n) => jsonLd('{"a":['.repeat(n)),
  'a graph': (n) => jsonLd(`{"@graph":[${each((i) => `{"@id":"${i}","author":{"@id":"${i + 1}"}},`)(n)}1]}`),
  'items that refer to all': (n) =>
    `${'<p itemscope itemref=r></p>'.repeat(n)}<p id=r>${'<b itemprop=p>v</b>'.repeat(n)}`,
  'nested items': many('<div itemscope itemprop=a>'),
  metas: each((i) => `<meta property=og:image content=a${i}><meta name=author content=b${i}>`),
  teasers: many(
    '<div class=teaser><a href=/x><h3>Title</h3></a><p>A summary of a story, told at some length.</p></div>',
  ),
  attributes: (n) => `<div ${each((i) => `a${i}=b `)(n)}>x`,
  'one attribute': (n) => `<a href="${'a'.repeat(n * 600)}" title='${'b'.repeat(n * 20)}'>x</a>`,
  'a style': (n) => `<p style="${'a:url(b);'.repeat(n)}">x<style>${'url('.repeat(n)}`,
  'a srcset': (n) => `<img srcset="${'a 1x, '.repeat(n)}"><img srcset="${', ('.repeat(n)}">`,
  'bases and refreshes': many('<base href=a><meta http-equiv=refresh content="0;url=z">'),
  'a refresh': (n) => `<meta http-equiv=refresh content="0${' '.repeat(n * 5)};${' '.repeat(n * 5)}url=x">`,
  drawings: many('<svg><style>a{b:url(c)}</style><image href=x></svg>'),
  'frames in attributes': (n) => `<iframe srcdoc="${'&lt;img src=x>'.repeat(n)}">`,
  comments: many('<!--'),
};

/** Processor time, which other work on the machine does not count to. */
async function cpuMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}

/** How many times longer a page of four times the size takes, at best; 1 where that is too little to say. */
async function growthOf(read: (html: string) => unknown, shape: (n: number) => string): Promise<number> {
  const [small, large] = [shape(count), shape(count * 4)];
  let least = Number.POSITIVE_INFINITY;
  for (let n = 0; n < tries && least > maxGrowth; n++) {
    const first = await cpuMs(() => read(small));
    const second = await cpuMs(() => read(large));
    least = Math.min(least, second < leastMs ? 1 : second / first);
  }
  return least;
}

describe('the time to read a page grows with its size', () => {
  it.each(Object.keys(shapes))(
    'of %s',
    async (name) => {
      for (const [reader, read] of Object.entries(pageReaders))
        expect(await growthOf(read, shapes[name] as (n: number) => string), reader).toBeLessThan(maxGrowth);
    },
    120_000,
  );

  it('and not with its square, which would be noticed', async () => {
    const square = (html: string) => {
      let found = 0;
      for (let at = 0; at < html.length; at += 60) found += html.indexOf('never', at);
      return found;
    };
    expect(await growthOf(square, many('some text that is searched again and again. '))).toBeGreaterThan(
      maxGrowth,
    );
  });
});
