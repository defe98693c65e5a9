import type { TreeElement, TreeNode } from '../tree/tree.ts';
import { collapse } from './characters.ts';
import { codeOf } from './code.ts';
import { isBlock, isUnseen } from './elements.ts';
import { type Visitor, walk } from './walk.ts';

/** Blocks with a blank line around them; all others only begin a line. */
const spaced = new Set('p h1 h2 h3 h4 h5 h6 blockquote pre table figure'.split(' '));

/** The text of nodes as a browser shows it: one line for each block, a blank one around paragraphs, tabs between cells. */
export function toText(nodes: readonly TreeNode[]): string {
  const visitor = new TextVisitor();
  walk(nodes, visitor);
  return visitor.result();
}

/** The text of one element, in one line. */
export function textOf(element: TreeElement): string {
  return collapse(toText(element.children)).trim();
}

class TextVisitor implements Visitor {
  readonly #parts: string[] = [];
  #gap: '' | ' ' | '\t' | '\n' | '\n\n' = '';

  text(data: string): void {
    const text = collapse(data);
    const from = text.startsWith(' ') ? 1 : 0;
    if (from === 1) this.#separate(' ');
    const to = text.endsWith(' ') ? text.length - 1 : text.length;
    if (from >= to) return;
    this.#put(from === 0 && to === text.length ? text : text.slice(from, to));
    if (to < text.length) this.#separate(' ');
  }

  enter(element: TreeElement): boolean {
    if (isUnseen(element)) return false;
    const { name } = element;
    if (name === 'br') {
      if (this.#parts.length > 0) this.#lineBreak();
      return false;
    }
    if (name === 'pre') {
      this.#separate('\n\n');
      const code = codeOf(element);
      if (code !== '') this.#put(code);
      this.#separate('\n\n');
      return false;
    }
    this.#boundary(name);
    return true;
  }

  leave({ name }: TreeElement): void {
    this.#boundary(name);
  }

  result(): string {
    return this.#parts.join('');
  }

  #boundary(name: string): void {
    if (name === 'td' || name === 'th') this.#separate('\t');
    else if (isBlock(name)) this.#separate(spaced.has(name) ? '\n\n' : '\n');
  }

  #lineBreak(): void {
    this.#gap = this.#gap === '\n' || this.#gap === '\n\n' ? '\n\n' : '\n';
  }

  #separate(gap: ' ' | '\t' | '\n' | '\n\n'): void {
    if (strength[gap] > strength[this.#gap]) this.#gap = gap;
  }

  #put(text: string): void {
    if (this.#parts.length > 0 && this.#gap !== '') this.#parts.push(this.#gap);
    this.#gap = '';
    this.#parts.push(text);
  }
}

const strength = { '': 0, ' ': 1, '\t': 2, '\n': 3, '\n\n': 4 };
