import { type Bomb, elements, filled, maker, numbered, text } from '../bomb.ts';

const page = maker('html', 'text');

const shapes: Record<string, () => string> = {
  paragraphs: () => `<body>${filled('<p>a')}`,
  nested: () => `<body>${filled('<div>')}`,
  rows: () => `<table>${filled('<tr><td>a')}`,
  'tables-in-tables': () => `<body>${filled('<table><tr><td>', 3_000_000)}`,
  'bold-paragraphs': () => `<body>${filled('<b><p>', 600_000)}`,
  'lists-in-lists': () => `<body>${filled('<ul><li>', 2_000_000)}`,
  'numbered-lists': () => `<body>${filled('<ol start=999999998><li>a</ol>', 3_000_000)}`,
  'links-in-links': () => `<body>${filled('<a href=x>', 3_000_000)}`,
  headings: () => `<body>${filled('<h1>a</h1>')}`,
  quotes: () => `<body>${filled('<blockquote>', 2_000_000)}x`,
  classes: () => `<body>${filled('<p class="a b c">x')}`,
  definitions: () => `<dl>${filled('<dt>a<dd>b')}`,
  code: () => `<body>${filled('<pre>a\nb</pre>', 3_000_000)}`,
  'code-beside-code': () => `<p>${filled('<code>`</code>', 2_000_000)}`,
  pictures: () => `<body>${filled('<img src=a alt=b>', 3_000_000)}`,
  'spans-of-cells': () => `<table>${filled('<tr><td colspan=1000 rowspan=1000>a', 4_000_000)}`,
  shapes: () => `<svg>${filled('<g><path d="M0 0"/>')}`,
  formulas: () => `<math>${filled('<mi><mtext><p>', 3_000_000)}`,
  forms: () => `<body>${filled('<form><input name=user><input type=password>', 5_000_000)}`,
  choices: () => `<select>${filled('<optgroup><option>a', 3_000_000)}`,
  breaks: () => `<p>${filled('a<br>')}`,
  'marks-in-marks': () => `<p>${filled('<b>a<i>b<s>c', 2_000_000)}`,
  teasers: () => `<body>${filled('<div><a href=x><img src=y></a><h2>a</h2><p>b</p></div>', 6_000_000)}`,
  articles: () => `<body>${filled('<article itemprop=articleBody><p>Words, and more words.', 5_000_000)}`,
};

/** What is one text, or none. */
const texts: readonly Bomb[] = [
  page('signs', () => `<p>${filled('*_[]`')}`, { says: text }),
  page('references', () => `<p>${filled('&amp;')}`, { says: text }),
  page('long-references', () => `<p>${filled('&CounterClockwiseContourIntegral;')}`, { says: text }),
  page('one-text', () => `<p>${filled('a')}`, { says: text }),
  page('white-space', () => `<p>a${filled(' \n\t')}`, { says: text }),
  page('line-ends', () => `<p>${filled('\r')}`, { says: text }),
  page('attributes', () => `<body>${filled(`<p ${'a=b '.repeat(10)}>`)}`),
  page('attributes-of-one', () => `<body><p ${numbered(900_000, (at) => `a${at}=b `)}>x`),
  page('ends-without-begin', () => `<body>${filled('</p></x></br>')}`, { says: elements }),
  page('comments-without-end', () => `<body>${filled('<!--')}`),
  page('scripts-in-scripts', () => `<body><script><!--${filled('<script></script')}`),
  page('names-without-end', () => `<body><${filled('a')}`),
  page('title-without-end', () => `<title>${filled('</titl>')}`),
  page('code-in-lists', () => `<body>${filled('<ul><li><pre>```\n~~~\n', 4_000_000)}`, { says: elements }),
  page('pages-in-pages', () => `<body>${filled('<iframe srcdoc="&lt;a href=x&gt;">', 5_000_000)}`),
  page('picture-sets', () => `<img srcset="${filled('a 1x, ', 4_000_000)}">`),
  page(
    'base',
    () => `<base href="http://a.test/${'a'.repeat(2_000)}">${filled('<a href=b>c</a>', 2_000_000)}`,
    {
      says: elements,
    },
  ),
];

export const htmlBombs: readonly Bomb[] = [
  ...Object.entries(shapes).map(([name, body]) => page(name, body, { says: elements })),
  ...texts,
];
