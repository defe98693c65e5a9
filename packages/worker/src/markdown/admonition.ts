import { isElement, type TreeElement } from '../tree/tree.ts';
import { textOf } from './to-text.ts';

/** The five that GitHub, Obsidian and their like draw as boxes. */
export type AdmonitionKind = 'NOTE' | 'TIP' | 'IMPORTANT' | 'WARNING' | 'CAUTION';

export interface Admonition {
  /** Undefined where its class names none of the five. */
  kind: AdmonitionKind | undefined;
  title: TreeElement | undefined;
}

const places = new Set(['div', 'aside', 'section', 'blockquote', 'details', 'p', 'dl']);

/** Classes by which generators of documentation mark a box; another class or part of one says which. */
const carriers = new Set(
  (
    'admonition admonitionblock alert callout custom-block hint markdown-alert notecard theme-admonition ' +
    'md-alert'
  ).split(' '),
);
/** These mark one also where its kind is unknown. */
const sureCarriers = new Set(['admonition', 'admonitionblock', 'callout', 'theme-admonition']);

const kinds = new Map<string, AdmonitionKind>([
  ...named('NOTE', 'note info information seealso notice primary secondary'),
  ...named('TIP', 'tip hint success'),
  ...named('IMPORTANT', 'important'),
  ...named('WARNING', 'warning warn attention'),
  ...named('CAUTION', 'caution danger error bug failure critical'),
]);
/** The ones that are enough as a class of their own. */
const plainKinds = new Set('note tip important warning caution danger attention seealso'.split(' '));

function named(kind: AdmonitionKind, words: string): [string, AdmonitionKind][] {
  return words.split(' ').map((word) => [word, kind]);
}

// Most classes have none of these words: one test spares the rest.
const mayBe =
  /admonition|alert|callout|custom-block|hint|note|tip|important|warning|caution|danger|attention|seealso/;

/** A box set into the text that notes, warns and the like; undefined for all else. */
export function admonitionOf(element: TreeElement): Admonition | undefined {
  const { name, attribs } = element;
  const names = attribs.class;
  if (names === undefined || !mayBe.test(names) || !places.has(name)) return undefined;
  const classes = names.split(/\s+/);
  const carrier = classes.find((one) => carriers.has(one));
  if (carrier === undefined) {
    const plain = name === 'p' ? undefined : classes.find((one) => plainKinds.has(one));
    if (plain === undefined || !element.children.some(isElement)) return undefined;
    return { kind: kinds.get(plain), title: titleOf(element) };
  }
  const kind = kindAmong(classes.filter((one) => one !== carrier)) ?? kinds.get(carrier);
  if (kind === undefined && !sureCarriers.has(carrier)) return undefined;
  return { kind, title: titleOf(element) };
}

function kindAmong(classes: readonly string[]): AdmonitionKind | undefined {
  for (const one of classes)
    for (const word of one.split(/[-_]+/)) {
      const kind = kinds.get(word);
      if (kind !== undefined) return kind;
    }
  return undefined;
}

const titleNames = /(?:^|[-_\s])(?:title|heading)(?:$|[-_\s])/;
/** How far inside it the title stands: asciidoctor has a table around it. */
const maxLevels = 5;

function titleOf(element: TreeElement, level = 0): TreeElement | undefined {
  const first = element.children.find(isElement);
  if (!first) return undefined;
  if (first.name === 'summary' || titleNames.test(first.attribs.class ?? '')) return first;
  return level < maxLevels ? titleOf(first, level + 1) : undefined;
}

/** Whether a title says more than the kind it stands over. */
export function saysMore(title: TreeElement, kind: AdmonitionKind | undefined): boolean {
  const word = textOf(title)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '');
  return word !== '' && (kind === undefined || kinds.get(word) !== kind);
}
