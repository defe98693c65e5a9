/** What a page says, as far as Markdown can say it too. Words have the marks around them. */
export type Block =
  | { kind: 'heading'; level: number; words: Word[] }
  | { kind: 'paragraph'; words: Word[] }
  | { kind: 'code'; language: string; code: string }
  | { kind: 'list'; start: number | undefined; items: Block[][] }
  | { kind: 'table'; header: Word[][]; rows: Word[][][] }
  | { kind: 'quote'; blocks: Block[] };

/** A word, its marks (`strong`, `em`, `code`) in order of the alphabet, and where it leads. */
export type Word = [text: string, marks: string, href: string];

export interface MadePage {
  html: string;
  blocks: Block[];
}

export const base = 'https://made.example/a/b';

/** Words that Markdown would take for more than words, were they not escaped. */
const awkward = [
  '*not*',
  '_so_',
  '1.',
  '-',
  '#',
  '[x]',
  '<b>',
  '&amp;',
  'a|b',
  '`t`',
  '~~no~~',
  '![i](j)',
  '\\',
];
const plain = ['tide', 'wind', 'snake_case', 'Größe', '潮汐', '3.5', 'x=1', "it's"];
const codes = ['a*b', 'x|y', 'a_b', '<i>', 'f(x)', 'a\\b'];
const hrefs = ['/p', 'q?a=1&b=2', '../up', 'https://b.example/x_(y)', '#part', 'ä b', '//c.example/*'];

/** A page with known content. Each begins with a paragraph that only escapes keep what it is. */
export function madePage(random: () => number): MadePage {
  const made = new Maker(random);
  const opening: Word[] = ['*not', 'emphasis*', 'but', '[text](x)'].map((text) => [text, '', '']);
  const blocks: Block[] = [{ kind: 'paragraph', words: opening }];
  for (let count = 4 + made.below(8); count > 0; count--) blocks.push(made.block(2));
  return { html: `<!doctype html><title>T</title><body>${blocks.map(htmlOf).join('\n')}</body>`, blocks };
}

class Maker {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  #one<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** `depth`: how many lists and quotes may be in each other. */
  block(depth: number): Block {
    switch (this.below(depth > 0 ? 7 : 3)) {
      case 0:
        return { kind: 'heading', level: 1 + this.below(6), words: this.#words(4) };
      case 1:
        return { kind: 'code', language: this.#one(['', 'js', 'c++']), code: this.#code() };
      case 2:
        return { kind: 'paragraph', words: this.#words(12) };
      case 3:
        return { kind: 'quote', blocks: [this.#paragraph(), this.#paragraph()] };
      case 4:
        return this.#table();
      default:
        return this.#list(depth);
    }
  }

  #paragraph(): Block {
    return { kind: 'paragraph', words: this.#words(8) };
  }

  #code(): string {
    const lines = [
      'if (a < b && c) {',
      '  return `x`;',
      '}',
      '```',
      '# no heading',
      '* no item',
      '',
      '<b>|</b>',
    ];
    return ['start', ...Array.from({ length: this.below(6) }, () => this.#one(lines)), 'end'].join('\n');
  }

  #list(depth: number): Block {
    const start = this.below(2) === 0 ? undefined : this.#one([1, 1, 3, 10]);
    const items = Array.from({ length: 1 + this.below(4) }, () => {
      const item: Block[] = [this.#paragraph()];
      if (depth > 0 && this.below(3) === 0) item.push(this.#list(depth - 1));
      return item;
    });
    return { kind: 'list', start, items };
  }

  #table(): Block {
    const columns = 2 + this.below(3);
    const row = () => Array.from({ length: columns }, () => this.#words(3));
    return { kind: 'table', header: row(), rows: Array.from({ length: 1 + this.below(4) }, row) };
  }

  #words(most: number): Word[] {
    const words: Word[] = [];
    for (let count = 1 + this.below(most); count > 0; count--) {
      const href = this.below(6) === 0 ? this.#one(hrefs) : '';
      const kind = this.below(10);
      if (kind === 0) words.push([this.#one(codes), 'code', href]);
      else {
        const text = this.#one(kind < 5 ? awkward : plain);
        const marks = this.#one(['', '', '', 'strong', 'em', 'em strong']);
        // A sign that links to a part of its page is a permalink, and no content.
        words.push([text, marks, text === '#' && href.startsWith('#') ? '' : href]);
      }
    }
    return words;
  }
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

function htmlOf(block: Block): string {
  switch (block.kind) {
    case 'heading':
      return `<h${block.level}>${wordsHtml(block.words)}</h${block.level}>`;
    case 'paragraph':
      return `<p>${wordsHtml(block.words)}</p>`;
    case 'code':
      return `<pre><code class="language-${block.language}">${escaped(block.code)}</code></pre>`;
    case 'quote':
      return `<blockquote>${block.blocks.map(htmlOf).join('')}</blockquote>`;
    case 'list': {
      const items = block.items.map((blocks) => `<li>${blocks.map(itemPart).join('\n')}</li>`).join('\n');
      return block.start === undefined ? `<ul>${items}</ul>` : `<ol start="${block.start}">${items}</ol>`;
    }
    case 'table':
      return `<table>${[block.header, ...block.rows].map((row, at) => rowHtml(row, at === 0 ? 'th' : 'td')).join('')}</table>`;
  }
}

/** The text of an item stands in it without an element of its own. */
const itemPart = (block: Block): string =>
  block.kind === 'paragraph' ? wordsHtml(block.words) : htmlOf(block);

const rowHtml = (row: Word[][], cell: string): string =>
  `<tr>${row.map((words) => `<${cell}>${wordsHtml(words)}</${cell}>`).join('')}</tr>`;

function wordsHtml(words: readonly Word[]): string {
  return words
    .map(([text, marks, href]) => {
      const marked = marks
        .split(' ')
        .reduce((inner, mark) => (mark === '' ? inner : `<${mark}>${inner}</${mark}>`), escaped(text));
      return href === '' ? marked : `<a href="${escaped(href)}">${marked}</a>`;
    })
    .join(' ');
}
