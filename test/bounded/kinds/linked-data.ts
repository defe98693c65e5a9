import { answerOf, type Bomb, filled, maker, numbered } from '../bomb.ts';

const page = maker('linked-data', 'data');
const script = (text: string) => `<script type="application/ld+json">${text}</script>`;
const most = 990_000;

/** JSON-LD, microdata and Open Graph: what a page says about itself. */
export const linkedDataBombs: readonly Bomb[] = [
  page('open', () => script(filled('['))),
  page('many', () => script(`[${filled('{"@type":"A"},', most).slice(0, -1)}]`)),
  page('nested', () => script(`${filled('{"a":', most / 2)}1${filled('}', most / 10)}`)),
  page('graphs', () => script(`${filled('{"@graph":', most)}0`)),
  page('comments', () => script(filled('/**/', most))),
  page('quotes', () => script(`{"a":${filled(String.raw`"\'`, most)}`)),
  page('commas', () => script(`[${filled('1,,', most)}`)),
  page('values', () => script(filled('{}', most))),
  page('keys', () => script(`{${numbered(60_000, (at) => `"k${at}":0,`)}"x":0}`)),
  page('same-key', () => script(`{${filled('"offers":{"price":1},', most).slice(0, -1)}}`)),
  page('scripts', () => filled(script('{"@type":"Product"}'), most)),
  page('types', () =>
    script(
      `[${filled(`{"@type":[${'"Product",'.repeat(100)}"Article"],"author":{"@id":"x"}},`, most).slice(0, -1)}]`,
    ),
  ),
  page('authors', () =>
    script(
      `[${numbered(9_000, (at) => `{"@id":"${at}","@type":"Article","author":{"@id":"${at + 1}"}},`)}{}]`,
    ),
  ),
  page('dates', () =>
    script(`[${filled('{"@type":"Article","datePublished":"1 1 1 1 1 1 1 1"},', most).slice(0, -1)}]`),
  ),
  page('alone', () => '', {
    answer: answerOf('application/ld+json', () => `[${filled('{"@type":"Product"},', most).slice(0, -1)}]`),
  }),
  page('microdata', () => filled('<div itemscope itemprop=a itemtype=http://schema.org/X>x', 4_000_000)),
  page('microdata-references', () =>
    numbered(
      2_000,
      (at) =>
        `<div itemscope id=i${at} itemref="${numbered(40, (to) => `i${(at + to) % 2_000} `)}"><p itemprop=a>x`,
    ),
  ),
  page(
    'microdata-words',
    () => `<div itemscope>${filled(`<p itemprop="${numbered(500, (at) => `a${at} `)}">x`, 1_500_000)}`,
  ),
  page('open-graph', () =>
    filled('<meta property=og:image content=a><meta property=og:image:width content=1>', 5_000_000),
  ),
  page('prefixes', () => `<html prefix="${numbered(150_000, (at) => `a${at}: b `)}">`),
];
