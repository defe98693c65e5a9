/** The aside of the explorer, and the small helpers both views build their pictures with. */
export const details = byId('details');

const mostChoices = 100;

export function byId(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (!found) throw new Error(`the page has no element ${id}`);
  return found;
}

export function svg<Name extends keyof SVGElementTagNameMap>(
  name: Name,
  attributes: Record<string, string | number>,
  parent: Element,
): SVGElementTagNameMap[Name] {
  const made = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, String(value));
  parent.append(made);
  return made;
}

export function element<Name extends keyof HTMLElementTagNameMap>(
  name: Name,
  text: string,
  parent: Element,
): HTMLElementTagNameMap[Name] {
  const made = document.createElement(name);
  made.textContent = text;
  parent.append(made);
  return made;
}

export function count(n: number): string {
  return n.toLocaleString('en-US');
}

export function counted(n: number, one: string): string {
  return `${count(n)} ${n === 1 ? one : `${one}s`}`;
}

/** A paragraph in a quiet color. */
export function note(text: string): void {
  element('p', text, details).className = 'soft';
}

export function facts(rows: [string, string][]): void {
  const list = element('dl', '', details);
  for (const [name, value] of rows) {
    element('dt', name, list);
    element('dd', value, list);
  }
}

export interface Choices {
  title: string;
  items: number[];
  label(item: number): string;
  choose(item: number): void;
  /** Numbered, where the order means something. */
  ordered?: boolean;
}

export function choices({ title, items, label, choose, ordered = false }: Choices): void {
  if (items.length === 0) return;
  element('h3', title, details);
  const list = element(ordered ? 'ol' : 'ul', '', details);
  for (const item of items.slice(0, mostChoices)) {
    const button = element('button', label(item), element('li', '', list));
    button.type = 'button';
    button.addEventListener('click', () => choose(item));
  }
  const left = items.length - mostChoices;
  if (left > 0) element('li', `… and ${count(left)} more`, list).className = 'soft';
}

/** Acts on a click, and on the keys that press a button. */
export function onPress(node: SVGElement, act: () => void): void {
  node.addEventListener('click', act);
  node.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    act();
  });
}

/** One of the explorer's tabs. Items are numbers: places in its list of pages or hosts. */
export interface View {
  all(): number[];
  label(item: number): string;
  choose(item: number): void;
  /** What the aside says before anything is chosen, or about what is chosen. */
  intro(): void;
}
