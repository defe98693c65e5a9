import { type Budget, spendNode } from './budget.ts';
import { append, newElement, newText, newTree, type Tree, type TreeElement } from './nodes.ts';

/** Elements within elements, as in browsers. What is nested deeper stands beside its parent. */
export const maxDepth = 512;

/** Puts elements and texts into a tree in the order of the document. */
export class TreeBuilder {
  readonly #budget: Budget;
  readonly tree: Tree = newTree();
  /** The open elements, outermost first. */
  readonly #open: TreeElement[] = [];
  #top: TreeElement | Tree = this.tree;
  /** Names that were looked for and are not open: a page may end what it never began as often as it likes. */
  readonly #absent = new Set<string>();

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  /** Of the innermost open element. */
  get top(): string | undefined {
    return this.#top.type === 'root' ? undefined : this.#top.name;
  }

  isOpen(name: string): boolean {
    if (this.top === name) return true;
    if (this.#absent.has(name)) return false;
    if (this.#open.some((element) => element.name === name)) return true;
    this.#absent.add(name);
    return false;
  }

  /** An element without content. */
  add(name: string, attribs: Record<string, string>): void {
    spendNode(this.#budget);
    append(this.#top, newElement(name, attribs));
  }

  open(name: string, attribs: Record<string, string>): void {
    spendNode(this.#budget);
    if (this.#open.length >= maxDepth) this.pop();
    const element = newElement(name, attribs);
    append(this.#top, element);
    this.#open.push(element);
    this.#top = element;
    if (this.#absent.size > 0) this.#absent.delete(name);
  }

  /** Ends the innermost element. */
  pop(): void {
    this.#open.pop();
    this.#top = this.#open.at(-1) ?? this.tree;
  }

  /** Ends the innermost element of this name with all that is open in it; answers whether there is one. */
  close(name: string): boolean {
    if (!this.isOpen(name)) return false;
    while (this.top !== name) this.pop();
    this.pop();
    return true;
  }

  /** Its characters are counted where they are written: a reference may stand for one. */
  text(data: string): void {
    const last = this.#top.children.at(-1);
    if (last?.type === 'text') {
      last.data += data;
      return;
    }
    spendNode(this.#budget);
    append(this.#top, newText(data));
  }
}
