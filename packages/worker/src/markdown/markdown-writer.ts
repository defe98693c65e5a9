import {
  collapse,
  firstCharacter,
  isSpace,
  lastCharacter,
  mayBePunctuation,
  mayBeWord,
  reference,
} from './characters.ts';
import {
  codeFence,
  type EscapeContext,
  escapeLineStart,
  escapeText,
  inlineCode,
  type LineState,
} from './escape.ts';

/** What surrounds inline text. A mark is written with the first character inside it; one around nothing never is. */
interface Mark {
  kind: MarkKind;
  open: string;
  close: string;
  written: boolean;
}
export type MarkKind = 'strong' | 'emphasis' | 'deleted' | 'sub' | 'sup' | 'link';
const signs = { strong: '**', emphasis: '_', deleted: '~~', sub: '<sub>', sup: '<sup>' } as const;
/** Brackets and tags end where they end, whatever stands beside them; Markdown has no signs for what is set low or high. */
const standsAlone = ({ kind }: Mark): boolean => kind === 'link' || kind === 'sub' || kind === 'sup';

/** A quote or a list item: what stands before its first line, and before each other. */
interface Container {
  first: string;
  rest: string;
}

/** Deeper quotes and items are flattened: each level costs characters on each of its lines. */
const maxContainers = 16;

/** What follows a mark is a word to every reader; a space there becomes a reference, which is punctuation. */
const isPlainWord = (char: string): boolean => !mayBePunctuation(char) && !isSpace(char);

/** Writes Markdown from front to back, in one pass: blocks, lines and marks in the order of the page. */
export class MarkdownWriter {
  readonly #parts: string[] = [];
  readonly #containers: Container[] = [];
  /** What each line begins with, by the number of containers around it. */
  readonly #prefixes: string[] = [''];
  /** Containers from here on have not been written to. */
  #written = 0;
  /** Line ends that separate the next text from the last: 0 within a line, 1 a new line, 2 a new paragraph. */
  #gap = 2;
  #space: 'none' | 'space' | 'break' = 'none';
  #line: LineState = 'start';
  #lineMark = '';
  /** What ended just before the place that is written to next. */
  #closers: string[] = [];
  /** Code within a line, and the neighbours that become one with it. */
  #lastCode: { at: number; pieces: string[] } | undefined;
  readonly #marks: Mark[] = [];
  readonly #context: EscapeContext;
  /** A cell or a heading: everything goes to one line. */
  #oneLine: boolean;
  /** After a table the next line needs a blank one before it, or it would be a row. */
  #ends = false;

  constructor({ cell }: { cell: boolean }) {
    this.#oneLine = cell;
    this.#context = { inLink: false, inHeading: false, inCell: cell };
  }

  get isOneLine(): boolean {
    return this.#oneLine;
  }

  get isHeading(): boolean {
    return this.#context.inHeading;
  }

  /** How many quotes and items are around the place that is written to next. */
  get depth(): number {
    return this.#containers.length;
  }

  /** Whether the innermost quote or item is still empty. */
  get isFresh(): boolean {
    return this.#written < this.#containers.length;
  }

  /** How much was written: two places with the same number have nothing between them. */
  get position(): number {
    return this.#parts.length;
  }

  /** Begins a new paragraph, or with 1 a new line of a list. In one line: a space. */
  block(gap: 1 | 2 = 2): void {
    if (this.#oneLine) return this.#wantSpace();
    this.#suspendMarks();
    if (!this.isFresh) this.#gap = Math.max(this.#gap, gap);
    this.#space = 'none';
  }

  /** Begins the next line of a list, without the blank line that paragraphs leave. */
  listLine(): void {
    this.block(1);
    if (!this.isFresh && !this.#ends) this.#gap = 1;
  }

  /** False where nesting is too deep, or all is one line; then there is nothing to leave. */
  enter(container: Container): boolean {
    if (this.#oneLine || this.#containers.length >= maxContainers) return false;
    this.#prefixes.push(`${this.#prefix()}${container.rest}`);
    this.#containers.push(container);
    return true;
  }

  leave({ keepEmpty = false }: { keepEmpty?: boolean } = {}): void {
    this.#suspendMarks();
    if (keepEmpty && this.isFresh) this.#startLine();
    this.#containers.pop();
    this.#prefixes.pop();
    this.#written = Math.min(this.#written, this.#containers.length);
    this.#space = 'none';
    this.#gap = Math.max(this.#gap, 1);
  }

  startHeading(level: number): boolean {
    if (this.#oneLine) return false;
    this.block();
    this.#lineMark = `${'#'.repeat(level)} `;
    this.#oneLine = true;
    this.#context.inHeading = true;
    return true;
  }

  endHeading(): void {
    this.#oneLine = false;
    this.#context.inHeading = false;
    this.#lineMark = '';
    this.block();
  }

  lineBreak(): void {
    if (this.#oneLine) return this.#wantSpace();
    if (this.#gap > 0) return;
    // Two in a row is how pages without paragraphs separate them.
    if (this.#space === 'break') return this.block();
    this.#space = 'break';
  }

  text(raw: string): void {
    const text = collapse(raw);
    const from = text.startsWith(' ') ? 1 : 0;
    if (from === 1) this.#wantSpace();
    const to = text.endsWith(' ') ? text.length - 1 : text.length;
    if (from >= to) return;
    this.#put(from === 0 && to === text.length ? text : text.slice(from, to));
    if (to < text.length) this.#wantSpace();
  }

  #put(text: string): void {
    const first = firstCharacter(text);
    if (this.#begin(first)) {
      this.#push(reference(first) + escapeText(text.slice(first.length), this.#context));
      this.#line = 'begun';
      return;
    }
    const line = escapeLineStart(escapeText(text, this.#context), this.#line);
    this.#line = line.state;
    this.#push(line.text);
  }

  code(text: string): void {
    const code = collapse(text).trim();
    if (code === '') return this.#wantSpace();
    // Backticks of two neighbours would run together.
    if (this.#lastCode?.at === this.#parts.length && this.#adjoins()) {
      this.#lastCode.pieces.push(code);
      return;
    }
    this.#writeCode();
    this.#begin('`');
    this.#push('`');
    this.#line = 'begun';
    this.#lastCode = { at: this.#parts.length, pieces: [code] };
  }

  /** In place of the sign that stood for it: only now it is known which neighbours it has. */
  #writeCode(): void {
    if (!this.#lastCode) return;
    const { at, pieces } = this.#lastCode;
    this.#parts[at - 1] = inlineCode(pieces.join(''), this.#context);
    this.#lastCode = undefined;
  }

  image(alt: string, source: string): void {
    this.#begin('!');
    const context = { ...this.#context, inLink: true };
    this.#push(`![${escapeText(collapse(alt).trim(), context)}](${source})`);
    this.#line = 'begun';
  }

  /** The box of a task; false where no item begins. */
  taskBox(checked: boolean): boolean {
    if (!this.isFresh) return false;
    this.#begin('[');
    this.#push(checked ? '[x]' : '[ ]');
    this.#line = 'begun';
    this.#space = 'space';
    return true;
  }

  rule(): void {
    if (this.#oneLine) return this.#wantSpace();
    this.block();
    const mark = this.isFresh ? '___' : '---';
    this.#startLine();
    this.#push(mark);
    this.block();
  }

  codeBlock(code: string, language: string): void {
    if (this.#oneLine) return this.code(code);
    const fence = codeFence(code);
    this.lines([`${fence}${language}`, ...code.split('\n'), fence]);
  }

  /** Lines as they are, a block of their own. */
  lines(lines: readonly string[], { ends = false }: { ends?: boolean } = {}): void {
    this.block();
    const [first = '', ...rest] = lines;
    this.#startLine(first === '');
    if (first !== '') this.#push(first);
    const prefix = this.#prefix();
    const blank = prefix.trimEnd();
    if (rest.length > 0)
      this.#push(rest.map((line) => (line === '' ? `\n${blank}` : `\n${prefix}${line}`)).join(''));
    this.#gap = 1;
    this.#ends = ends;
    this.block();
  }

  /** False where such a mark is open already. */
  openMark(kind: Exclude<MarkKind, 'link'>): boolean {
    if (this.#marks.some((mark) => mark.kind === kind)) return false;
    const sign = signs[kind];
    const mark = { kind, open: sign, close: sign.replace('<', '</'), written: false };
    // `**a****b**` would be read otherwise: the two become one.
    if (this.#closers.at(-1) === sign && this.#adjoins()) {
      this.#closers.pop();
      this.#parts.pop();
      mark.written = true;
    }
    this.#marks.push(mark);
    return true;
  }

  openLink(destination: string): boolean {
    if (this.#context.inLink) return false;
    this.#context.inLink = true;
    this.#marks.push({ kind: 'link', open: '[', close: `](${destination})`, written: false });
    return true;
  }

  closeMark(): void {
    const mark = this.#marks.pop();
    if (!mark) return;
    if (mark.kind === 'link') this.#context.inLink = false;
    if (mark.written) this.#writeClose(mark);
  }

  toString(): string {
    this.#suspendMarks();
    this.#writeCode();
    return this.#parts.join('');
  }

  /** At the end of a block all marks end; what follows within them opens them again. */
  #suspendMarks(): void {
    for (const mark of this.#marks.toReversed()) {
      if (mark.written) this.#writeClose(mark);
      mark.written = false;
    }
  }

  #writeClose(mark: Mark): void {
    if (standsAlone(mark)) return this.#push(mark.close);
    const last = this.#last();
    if (isSpace(last)) this.#replaceLast(last, reference(last));
    const closers = [...this.#closers, mark.close];
    this.#push(mark.close);
    this.#closers = closers;
  }

  /** Whether what comes next follows the last character, with nothing to be written between them. */
  #adjoins(): boolean {
    return this.#gap === 0 && this.#space === 'none' && this.#marks.every(({ written }) => written);
  }

  #wantSpace(): void {
    if (this.#gap === 0 && this.#space === 'none') this.#space = 'space';
  }

  /** All that stands before the next character. Answers whether that must be written as a reference. */
  #begin(next: string): boolean {
    if (this.#gap > 0) this.#startLine();
    let asReference = false;
    if (this.#space === 'space') this.#push(' ');
    else if (this.#space === 'break') {
      this.#push(`\\\n${this.#prefix()}`);
      this.#line = 'start';
    } else asReference = this.#closersNeedReference(next);
    this.#space = 'none';
    if (this.#marks.length === 0) return asReference;
    return this.#openMarks(next) || asReference;
  }

  /** A mark can end before a word only where it follows a word; `_` not even there. */
  #closersNeedReference(next: string): boolean {
    const closer = this.#closers.at(-1);
    if (closer === undefined || !mayBeWord(next)) return false;
    if (closer === '_' || this.#closers.length > 1) return true;
    return mayBePunctuation(lastCharacter(this.#parts.at(-2) ?? ''));
  }

  #openMarks(next: string): boolean {
    const waiting = this.#marks.filter(({ written }) => !written);
    for (const [at, mark] of waiting.entries()) {
      const last = this.#last();
      const following = waiting[at + 1]?.open.charAt(0) ?? next;
      if (standsAlone(mark)) {
        // `![` would begin an image.
        if (last === '!') this.#replaceLast('!', '\\!');
      } else if (mayBeWord(last) && (mark.kind === 'emphasis' || !isPlainWord(following)))
        this.#replaceLast(last, reference(last));
      this.#push(mark.open);
      mark.written = true;
      this.#line = 'begun';
    }
    return waiting.length > 0 && isSpace(next);
  }

  #startLine(isBlank = false): void {
    const lines = this.#parts.length === 0 ? 0 : this.#gap;
    if (lines > 1) this.#push(`\n${(this.#prefixes[this.#written] ?? '').trimEnd()}`);
    const fresh = this.#containers.slice(this.#written).map(({ first }) => first);
    const start = `${this.#prefixes[this.#written] ?? ''}${fresh.join('')}${this.#lineMark}`;
    const text = `${lines > 0 ? '\n' : ''}${isBlank ? start.trimEnd() : start}`;
    if (text !== '') this.#push(text);
    this.#written = this.#containers.length;
    this.#line = this.#oneLine ? 'begun' : 'start';
    this.#lineMark = '';
    this.#gap = 0;
    this.#space = 'none';
    this.#ends = false;
  }

  #prefix(): string {
    return this.#prefixes.at(-1) ?? '';
  }

  #push(text: string): void {
    this.#parts.push(text);
    if (this.#closers.length > 0) this.#closers = [];
  }

  #last(): string {
    return lastCharacter(this.#parts.at(-1) ?? '');
  }

  #replaceLast(char: string, text: string): void {
    const part = (this.#parts.pop() ?? '').slice(0, -char.length);
    // A `_` is plain between letters only, and one of them is going to be none.
    this.#parts.push((part.endsWith('_') ? part.replace(/([^\\])_$/, '$1\\_') : part) + text);
  }
}
