import { randomNumbers } from '../../bench/random.ts';

/** What a made page must be found as in Markdown. */
export type BlockKind =
  | `heading ${1 | 2 | 3}`
  | 'paragraph'
  | 'code'
  | 'cell'
  | 'item'
  | 'term'
  | `note ${'NOTE' | 'TIP' | 'WARNING' | 'CAUTION'}`;

/** A block whose text has a word of its own. */
export interface MadeBlock {
  mark: string;
  kind: BlockKind;
  /** What its Markdown must have beside the mark. */
  says?: string;
}

const words =
  'harbour tide current vessel signal channel northern measure average report engine filter window record number ' +
  'level station storage network value option server cluster request answer timeout session handler pattern output';
const list = words.split(' ');

/** Makes content and boilerplate, and remembers which is which. */
export class Maker {
  readonly content: MadeBlock[] = [];
  readonly boilerplate: string[] = [];
  readonly #random: () => number;
  #marks = 0;

  constructor(seed: number) {
    this.#random = randomNumbers(seed);
  }

  below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }

  one<T>(options: readonly T[]): T {
    return options[this.below(options.length)] as T;
  }

  times(count: number, make: (at: number) => string): string {
    return Array.from({ length: count }, (_, at) => make(at)).join('\n');
  }

  #mark(): string {
    this.#marks += 1;
    return `zq${this.#marks.toString(36)}x`;
  }

  #kept(kind: BlockKind, says?: string): string {
    const mark = this.#mark();
    this.content.push({ mark, kind, ...(says === undefined ? {} : { says }) });
    return mark;
  }

  /** Words of a label. */
  label(count = 2): string {
    return Array.from({ length: count }, () => this.one(list)).join(' ');
  }

  sentence(): string {
    return `The ${this.label(4)} of a ${this.label(3)} keeps the ${this.label(2)} within its ${this.label(2)}.`;
  }

  heading(level: 1 | 2 | 3, wrap = (text: string) => text): string {
    return `<h${level}>${wrap(`${this.#kept(`heading ${level}`)} ${this.label()}`)}</h${level}>`;
  }

  /** As generators of documentation write them: code in it, a link to itself behind it. */
  linkedHeading(level: 2 | 3, id: string): string {
    const mark = this.#kept(`heading ${level}`, `\`${id}()\``);
    return `<h${level} id="${id}">${mark} <code>${id}()</code><a class="headerlink" href="#${id}" title="Link">¶</a></h${level}>`;
  }

  text(sentences = 2): string {
    return `${this.#kept('paragraph')} ${this.times(sentences, () => this.sentence())}`;
  }

  paragraph(sentences = 2): string {
    return `<p>${this.text(sentences)}</p>`;
  }

  /** With a link in it, and something set high and low. */
  richParagraph(): string {
    const mark = this.#kept('paragraph', '10<sup>6</sup>');
    return `<p>${mark} ${this.sentence()} It takes 10<sup>6</sup> of CO<sub>2</sub>, see <a href="/more">the ${this.label()}</a>.</p>`;
  }

  code(language = 'sh'): string {
    const mark = this.#kept('code');
    return `<div class="highlight"><pre><code class="language-${language}">${mark} --${this.one(list)}\nrun ${this.one(list)}</code></pre></div>`;
  }

  /** A command as short as a label. */
  shortCode(): string {
    return `<pre>${this.#kept('code')}</pre>`;
  }

  items(count: number): string {
    return this.times(count, () => `<li>${this.#kept('item')} ${this.label(3)}</li>`);
  }

  linkItems(count: number, words = 2): string {
    return this.times(
      count,
      (at) => `<li><a href="/p${at}">${this.#kept('item')} ${this.label(words)}</a></li>`,
    );
  }

  rows(count: number, columns = 3): string {
    const cells = () => this.times(columns, () => `<td>${this.#kept('cell')} ${this.one(list)}</td>`);
    return this.times(count, () => `<tr>${cells()}</tr>`);
  }

  table(count: number, attributes = ''): string {
    const head = this.times(3, () => `<th>${this.#kept('cell')}</th>`);
    return `<table ${attributes}><thead><tr>${head}</tr></thead><tbody>${this.rows(count)}</tbody></table>`;
  }

  definitions(count: number, attributes = ''): string {
    const pair = () => `<dt>${this.#kept('term')}</dt><dd>${this.#kept('item')} ${this.label(3)}</dd>`;
    return `<dl ${attributes}>${this.times(count, pair)}</dl>`;
  }

  note(html: (kind: string, text: string) => string): string {
    const kind = this.one(['note', 'tip', 'warning', 'danger'] as const);
    const names = { note: 'NOTE', tip: 'TIP', warning: 'WARNING', danger: 'CAUTION' } as const;
    return html(kind, `${this.#kept(`note ${names[kind]}`)} ${this.sentence()}`);
  }

  byline(): string {
    return `By ${this.#kept('paragraph')} Doe`;
  }

  /** Text that is none of the content. */
  other(count = 2): string {
    const mark = this.#mark();
    this.boilerplate.push(mark);
    return `${mark} ${this.label(count)}`;
  }

  otherLinks(count: number): string {
    return this.times(count, (at) => `<li><a href="/o${at}">${this.other(1)}</a></li>`);
  }

  otherProse(): string {
    return `<p>${this.other()} ${this.sentence()} ${this.sentence()}</p>`;
  }

  /** What stands around nearly every page. */
  header(): string {
    return `<header class="site-header"><a href="/">${this.other()}</a><nav><ul>${this.otherLinks(6)}</ul></nav></header>`;
  }

  footer(): string {
    return `<footer><ul>${this.otherLinks(5)}</ul><p>${this.other(3)} All rights reserved.</p></footer>`;
  }
}

/** The body of a page of documentation, in the order of headings, with `note` as its generator writes it. */
export function documentation(make: Maker, note: (kind: string, text: string) => string): string {
  const part = (at: number): string => {
    const blocks = [
      () => make.paragraph(),
      () => make.richParagraph(),
      () => make.code(),
      () => make.shortCode(),
      () => `<ul>${make.items(3)}</ul>`,
      () => make.table(3),
      () => make.definitions(2),
      () => make.note(note),
    ];
    // Some parts are a heading and a command, as in every guide to an installation.
    const count = make.below(4);
    const inner = count === 0 ? make.shortCode() : make.times(count, () => make.one(blocks)());
    return `${make.linkedHeading(2, `part${at}`)}${inner}`;
  };
  return make.times(3 + make.below(5), part);
}
