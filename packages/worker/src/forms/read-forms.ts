import { fold, rawText, textOf, walk } from '../facts/walk.ts';
import { isElement, isText, type Tree, type TreeElement, type TreeNode } from '../tree/tree.ts';

/** A control as it stands in the page, with the words around it. */
export interface Control {
  readonly element: TreeElement;
  /** Of an input its type; else `select`, `textarea`, or the type of a button. */
  readonly type: string;
  readonly name: string;
  readonly value: string;
  /** The words a visitor reads as its label. */
  label: string;
  /** The text right before it. */
  readonly before: string;
  /** The text right after it. */
  after: string;
  /** Not shown although its form may be. */
  readonly isConcealed: boolean;
  readonly isInNoscript: boolean;
}

/** A form with its controls; without an element, the controls of a page that stand in no form. */
export interface PageForm {
  readonly element: TreeElement | undefined;
  readonly controls: Control[];
  /** The text in it, without that of its controls. */
  text: string;
  /** What stands before it in the page, nearest last. */
  readonly before: string;
  /** Classes, addresses and alternative texts of what is in it. */
  marks: string;
}

export interface PageForms {
  readonly forms: PageForm[];
  /** The controls outside of forms. */
  readonly loose: PageForm;
  readonly base: string | undefined;
  readonly title: string;
}

const controlNames = new Set(['input', 'select', 'textarea', 'button']);
const skipped = new Set(['script', 'style', 'template', 'option']);
/** In these a form ends at once where it begins, yet owns what follows: so browsers read tables. */
const tableParts = new Set(['table', 'tbody', 'thead', 'tfoot', 'tr']);
const maxText = 4_000;
const maxLabel = 120;
const maxForms = 200;
const maxControls = 2_000;

/** The forms of a page in document order, each with the controls that a browser sends with it. */
export function readForms(tree: Tree): PageForms {
  const reader = new FormReader(tree);
  walk(tree, (node) => reader.visit(node));
  return reader.finish();
}

class FormReader {
  readonly #forms: PageForm[] = [];
  readonly #byElement = new Map<TreeElement, PageForm>();
  readonly #byId = new Map<string, PageForm>();
  readonly #labels = new Map<string, string>();
  readonly #loose = newForm(undefined, '');
  readonly #concealing: Concealing;
  #last: Control | undefined;
  #between = '';
  #base: string | undefined;
  #title = '';
  #controls = 0;
  /** Controls that name a form by its id, which may come after them. */
  readonly #named: { id: string; control: Control; fallback: PageForm }[] = [];

  constructor(tree: Tree) {
    this.#concealing = concealingStyles(tree);
  }

  visit(node: TreeNode): 'into' | 'past' {
    if (isText(node)) {
      this.#text(node.data, node.parent);
      return 'into';
    }
    if (!isElement(node)) return 'into';
    const { name, attribs } = node;
    if (name === 'title' && this.#title === '') this.#title = textOf(node, maxLabel);
    if (name === 'base') this.#base ??= attribs.href;
    if (skipped.has(name)) {
      if (name === 'script') this.#mark(node, attribs.src);
      return 'past';
    }
    if (name === 'form') this.#form(node);
    else if (controlNames.has(name)) {
      this.#control(node);
      return 'past';
    } else if (name === 'label' && attribs.for !== undefined)
      this.#labels.set(attribs.for, textOf(node, maxLabel));
    else if (name === 'img' || name === 'iframe' || name === 'a')
      this.#mark(node, attribs.src ?? attribs.href, attribs.alt);
    else if (attribs.class !== undefined || attribs.id !== undefined) this.#mark(node);
    this.#between += ' ';
    return 'into';
  }

  finish(): PageForms {
    this.#endControl();
    for (const { id, control, fallback } of this.#named)
      (this.#byId.get(id) ?? fallback).controls.push(control);
    for (const form of [...this.#forms, this.#loose]) {
      form.text = fold(form.text);
      for (const control of form.controls) {
        const named = control.element.attribs.id;
        control.label ||= (named === undefined ? undefined : this.#labels.get(named)) ?? '';
      }
    }
    return { forms: this.#forms, loose: this.#loose, base: this.#base, title: this.#title };
  }

  #text(data: string, parent: TreeNode | Tree | null): void {
    const form = this.#ownerOf(parent);
    if (form && form.text.length < maxText) form.text += data.slice(0, maxText);
    this.#between = (this.#between + data).slice(-4 * maxLabel);
    if (this.#last && this.#last.after.length < maxLabel) this.#last.after += data.slice(0, maxLabel);
  }

  #form(element: TreeElement): void {
    if (this.#forms.length >= maxForms) return;
    this.#endControl();
    const form = newForm(element, fold(this.#between).slice(-maxLabel));
    this.#between = '';
    this.#forms.push(form);
    this.#byElement.set(element, form);
    const { id } = element.attribs;
    if (id !== undefined && !this.#byId.has(id)) this.#byId.set(id, form);
  }

  #control(element: TreeElement): void {
    if ((this.#controls += 1) > maxControls) return;
    this.#endControl();
    const { attribs, name } = element;
    const owner = this.#ownerOf(element.parent);
    const { isConcealed, isInNoscript, label } = this.#surroundings(element);
    const control: Control = {
      element,
      type: typeOf(element),
      name: attribs.name ?? '',
      value: valueOf(element),
      label: name === 'button' ? textOf(element, maxLabel) : label,
      before: fold(this.#between).slice(-maxLabel),
      after: '',
      isConcealed,
      isInNoscript,
    };
    this.#between = '';
    this.#last = control;
    const form = owner ?? this.#loose;
    if (attribs.form === undefined) form.controls.push(control);
    else this.#named.push({ id: attribs.form, control, fallback: form });
  }

  #endControl(): void {
    if (this.#last) this.#last.after = fold(this.#last.after).slice(0, maxLabel);
    this.#last = undefined;
  }

  /** The form around a node, or the one that a table cut off before it. */
  #ownerOf(node: TreeNode | Tree | null): PageForm | undefined {
    for (let at = node; at !== null && at.type !== 'root' && isElement(at); at = at.parent)
      if (at.name === 'form') return this.#byElement.get(at);
    const latest = this.#forms.at(-1);
    const parent = latest?.element?.parent;
    if (!latest || !parent || parent.type === 'root') return undefined;
    if (!tableParts.has(parent.name)) return undefined;
    const table = closest(parent, 'table');
    for (let at = node; at !== null && at.type !== 'root'; at = at.parent) if (at === table) return latest;
    return undefined;
  }

  /** What the elements around a control, up to its form, say about it. */
  #surroundings(element: TreeElement): { isConcealed: boolean; isInNoscript: boolean; label: string } {
    let isConcealed = false;
    let isInNoscript = false;
    let label = '';
    let inForm = true;
    for (let at: TreeNode | Tree | null = element; at !== null && at.type !== 'root'; at = at.parent) {
      if (!isElement(at)) break;
      if (at.name === 'form') inForm = false;
      if (inForm && this.#concealing(at)) isConcealed = true;
      if (at.name === 'label') label ||= textOf(at, maxLabel);
      if (at.name === 'noscript') isInNoscript = true;
    }
    return { isConcealed, isInNoscript, label };
  }

  #mark(node: TreeElement, ...more: (string | undefined)[]): void {
    const form = this.#ownerOf(node.parent);
    if (!form || form.marks.length > maxText) return;
    for (const text of [node.attribs.class, node.attribs.id, ...more])
      if (text !== undefined) form.marks += ` ${text.slice(0, maxLabel)}`;
  }
}

function newForm(element: TreeElement | undefined, before: string): PageForm {
  return { element, controls: [], text: '', before, marks: '' };
}

function closest(node: TreeElement, name: string): TreeElement | undefined {
  for (let at: TreeElement | Tree | null = node; at !== null && at.type !== 'root'; at = at.parent)
    if (at.name === name) return at;
  return undefined;
}

function typeOf({ name, attribs }: TreeElement): string {
  const type = (attribs.type ?? '').trim().toLowerCase();
  if (name === 'input') return type === '' ? 'text' : type;
  if (name === 'button') return type === 'button' || type === 'reset' ? type : 'submit';
  return name;
}

function valueOf(element: TreeElement): string {
  const { name, attribs } = element;
  if (name === 'textarea') return rawText(element);
  if (name === 'select') return chosenOption(element);
  const isBox = name === 'input' && /^(?:checkbox|radio)$/i.test(attribs.type ?? '');
  return attribs.value ?? (isBox ? 'on' : '');
}

/** The option that is chosen, else the first. */
function chosenOption(select: TreeElement): string {
  let first: TreeElement | undefined;
  let chosen: TreeElement | undefined;
  walk(select, (node) => {
    if (isElement(node) && node.name === 'option') {
      first ??= node;
      if (node.attribs.selected !== undefined) chosen = node;
    }
    return 'into';
  });
  const option = chosen ?? first;
  return option === undefined ? '' : (option.attribs.value ?? textOf(option, maxText));
}

type Concealing = (element: TreeElement) => boolean;

const offScreen = /(?:left|top|right|bottom|text-indent)\s*:\s*-\d{3,}|clip\s*:\s*rect\(\s*0/i;
const notShown = /display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(?![.\d])/i;
const rule = /([^{}]{1,400})\{([^{}]{1,400})\}/g;
const simple = /^[.#][\w-]+$/;
const maxStyle = 60_000;

/** Whether an element is kept from being seen by its attributes or by the style sheet within the page. */
function concealingStyles(tree: Tree): Concealing {
  const selectors = new Set<string>();
  walk(tree, (node) => {
    if (isElement(node) && node.name === 'style')
      for (const [, names = '', body = ''] of rawText(node).slice(0, maxStyle).matchAll(rule))
        if (notShown.test(body) || offScreen.test(body))
          for (const name of names.split(',')) if (simple.test(name.trim())) selectors.add(name.trim());
    return 'into';
  });
  return ({ attribs }) => {
    const { style, hidden, id } = attribs;
    if (hidden !== undefined && hidden !== 'until-found') return true;
    if (style !== undefined && (notShown.test(style) || offScreen.test(style))) return true;
    if (selectors.size === 0) return false;
    if (id !== undefined && selectors.has(`#${id}`)) return true;
    return (attribs.class ?? '').split(/\s+/).some((name) => selectors.has(`.${name}`));
  };
}
