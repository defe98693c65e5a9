import type { JobInput, PageRecord } from '@webfarer/protocol';
import { docxOf, rawPdf, zipOf } from '../../packages/worker/src/documents/documents.fixture.ts';

/** A page, or a rule of a job, that was made to cost much. */
export interface Bomb {
  name: string;
  /** Which of the crawls meets it. */
  crawl: keyof typeof bombJobs;
  type: string;
  body: () => Buffer;
  /** What its record says, and no more is expected of the others. */
  says?: Partial<Record<'cut' | 'reason' | 'verdict', string>>;
}

const bytes = 9_900_000;
const filled = (part: string, most = bytes): string => part.repeat(Math.floor(most / part.length));
const word = 'application/vnd.openxmlformats-officedocument.wordprocessingml.document';

/** Each of these runs on every link of the pages that they are for. */
const expressions: { regex: string; flags?: 'i' }[] = [
  { regex: '(a+)+$' },
  { regex: '(a+)+$', flags: 'i' },
  { regex: '(a|aa)+$', flags: 'i' },
  { regex: '(a|a?)+$' },
  { regex: '(.*a){12}x$' },
  { regex: '(.*a){60}x$', flags: 'i' },
  { regex: '(?:a?){16}a{16}$', flags: 'i' },
  { regex: `(?:${'a|'.repeat(900)}a)+$` },
  { regex: `(?:${'a|'.repeat(900)}a)+$`, flags: 'i' },
  { regex: `${'[^]*'.repeat(300)}x$` },
  { regex: `${'(.*)'.repeat(300)}x$`, flags: 'i' },
  { regex: '(?:a|b|ab|aab|[^c]a){15}$' },
  { regex: 'a.{200}b', flags: 'i' },
];

/** What the crawls of the bombs have beside their seeds. */
export const bombJobs = {
  text: { save: [{ markdown: { main: true } }], fetch: { types: { save: ['*/*'] } } },
  fields: {
    save: ['none'],
    extract: [
      {
        fields: {
          far: { css: 'i:not(i ~ i ~ i ~ b) ~ b' },
          price: { jsonLd: 'Product.offers.price' },
          item: { microdata: 'Thing.name' },
          found: { regex: 'a(?:.*b)?c', list: true },
          long: { regex: '(?:x|y|xy|.x){15}z' },
        },
      },
    ],
  },
  ids: {
    save: ['none'],
    scraper: { ids: { find: '(?:a|b|ab|.a){15}z', template: 'http://127.4.0.1/{id}' } },
  },
  links: {
    save: ['none'],
    scope: { stay: 'host', exclude: expressions },
    urlRules: expressions.map((match) => ({ match, cost: 1 })),
    labels: { x: expressions },
    limits: { pages: 50 },
  },
} satisfies Record<string, Partial<JobInput>>;

const html = (name: string, body: () => string, more: Partial<Bomb> = {}): Bomb => ({
  name,
  crawl: 'text',
  type: 'text/html',
  body: () => Buffer.from(body()),
  ...more,
});
const elements = { says: { cut: 'elements' } };

const pages: Bomb[] = [
  html('paragraphs', () => `<body>${filled('<p>a')}`, elements),
  html('nested', () => `<body>${filled('<div>')}`, elements),
  html('rows', () => `<table>${filled('<tr><td>a')}`, elements),
  html('tables-in-tables', () => `<body>${filled('<table><tr><td>', 3_000_000)}`, elements),
  html('bold-paragraphs', () => `<body>${filled('<b><p>', 600_000)}`, elements),
  html('lists-in-lists', () => `<body>${filled('<ul><li>', 2_000_000)}`, elements),
  html('links-in-links', () => `<body>${filled('<a href=x>', 3_000_000)}`, elements),
  html('headings', () => `<body>${filled('<h1>a</h1>')}`, elements),
  html('quotes', () => `<body>${filled('<blockquote>', 2_000_000)}x`, elements),
  html('classes', () => `<body>${filled('<p class="a b c">x')}`, elements),
  html('definitions', () => `<dl>${filled('<dt>a<dd>b')}`, elements),
  html('code', () => `<body>${filled('<pre>a\nb</pre>', 3_000_000)}`, elements),
  html('pictures', () => `<body>${filled('<img src=a alt=b>', 3_000_000)}`, elements),
  html(
    'spans-of-cells',
    () => `<table>${filled('<tr><td colspan=1000 rowspan=1000>a', 4_000_000)}`,
    elements,
  ),
  html('shapes', () => `<svg>${filled('<g><path d="M0 0"/>')}`, elements),
  html('forms', () => `<body>${filled('<form><input name=user><input type=password>', 5_000_000)}`, elements),
  html('signs', () => `<p>${filled('*_[]`')}`, { says: { cut: 'text' } }),
  html('references', () => `<p>${filled('&amp;')}`, { says: { cut: 'text' } }),
  html('attributes', () => `<body>${filled(`<p ${'a=b '.repeat(10)}>`)}`),
  html('one-text', () => `<p>${filled('a')}`, { says: { cut: 'text' } }),
];

const documents: Bomb[] = [
  ...Object.entries({
    elements: '<w:p/>',
    runs: '<w:p><w:r><w:t>a</w:t></w:r></w:p>',
    tables: '<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>',
    nested: '<w:tbl><w:tr><w:tc>',
    controls: '<w:sdt>',
  }).map(
    ([name, part]): Bomb => ({
      name: `word-${name}`,
      crawl: 'text',
      type: word,
      body: () => docxOf(filled(part, 19_000_000)),
      says: { cut: 'elements' },
    }),
  ),
  {
    name: 'word-lists',
    crawl: 'text',
    type: word,
    body: () =>
      zipOf([
        { name: 'word/document.xml', content: '<w:document><w:body><w:p/></w:body></w:document>' },
        {
          name: 'word/numbering.xml',
          content: `<w:numbering><w:abstractNum w:abstractNumId="0">${'<w:lvl/>'.repeat(20_000)}</w:abstractNum>${'<w:num><w:abstractNumId w:val="0"/></w:num>'.repeat(10_000)}</w:numbering>`,
        },
      ]),
  },
  {
    name: 'pdf-operators',
    crawl: 'text',
    type: 'application/pdf',
    body: () => rawPdf([Buffer.alloc(8_000_000, 'q Q ')]),
  },
  {
    name: 'feed-entries',
    crawl: 'text',
    type: 'application/rss+xml',
    body: () => Buffer.from(`<rss><channel>${filled('<item><title>a</title></item>')}</channel></rss>`),
    says: { cut: 'elements' },
  },
  {
    name: 'feed-escaped',
    crawl: 'text',
    type: 'application/rss+xml',
    body: () =>
      Buffer.from(
        `<rss><channel>${`<item><description>${'&lt;p&gt;'.repeat(5_000)}</description></item>`.repeat(200)}</channel></rss>`,
      ),
    says: { cut: 'text' },
  },
  {
    name: 'json-nested',
    crawl: 'text',
    type: 'application/json',
    body: () => Buffer.from(`${'['.repeat(450_000)}${']'.repeat(450_000)}`),
  },
];

const rules: Bomb[] = [
  html('far-siblings', () => '<i></i>'.repeat(45_000), {
    crawl: 'fields',
    says: { reason: 'item-invalid' },
  }),
  html('matches', () => `<p>${'a'.repeat(1_500_000)}`, { crawl: 'fields' }),
  html('long-search', () => `<p>${'xy'.repeat(750_000)}`, { crawl: 'fields' }),
  html('linked-data-open', () => `<script type="application/ld+json">${filled('[')}</script>`, {
    crawl: 'fields',
  }),
  html(
    'linked-data-many',
    () => `<script type="application/ld+json">[${filled('{"@type":"A"},', 1_900_000).slice(0, -1)}]</script>`,
    { crawl: 'fields' },
  ),
  html('properties', () => filled('<div itemscope itemprop=a itemtype=http://schema.org/X>x', 4_000_000), {
    crawl: 'fields',
  }),
  html('ids', () => 'ab'.repeat(1_000_000), { crawl: 'ids' }),
  ...Array.from({ length: 4 }, (_, page) =>
    html(
      `links-${page}`,
      () =>
        Array.from(
          { length: 400 },
          (_each, link) => `<a href="/x/${'ab'[link % 2]}${'a'.repeat(100 * page + link * 4)}!${link}">x</a>`,
        ).join(''),
      { crawl: 'links' },
    ),
  ),
];

export const bombs: readonly Bomb[] = [...pages, ...documents, ...rules];

/** What is wrong with the end of a bomb; undefined: nothing. */
export function faultOf({ name, says = {} }: Bomb, record: PageRecord | undefined): string | undefined {
  if (record === undefined) return `${name}: not recorded`;
  const differs = Object.entries(says).find(([field, value]) => record[field as keyof PageRecord] !== value);
  return differs && `${name}: ${differs[0]} is ${JSON.stringify(record[differs[0] as keyof PageRecord])}`;
}
