import { parse, type Selector } from 'css-what';

/** `h1`, `a.next@href`, `@href`: a CSS selector, and the attribute that is wanted in place of the text. */
export interface ElementPath {
  /** Empty: the element at hand. */
  selector: string;
  attribute?: string;
}

export function elementPath(text: string): ElementPath {
  const [, selector = '', attribute] = /^(.*?)(?:@([\w:.-]+))?$/s.exec(text.trim()) ?? [];
  return { selector: selector.trim(), ...(attribute === undefined ? {} : { attribute }) };
}

/** What the selector engine knows; others would fail on the first page. */
const pseudos = new Set(
  'any-link checked contains disabled empty enabled eq even first first-child first-of-type gt has header icontains is last last-child last-of-type link lt matches not nth-child nth-last-child nth-last-of-type nth-of-type odd only-child only-of-type optional parent required root scope selected where'.split(
    ' ',
  ),
);

/** What is wrong with it, or undefined. */
export function elementPathTrouble(text: string): string | undefined {
  const { selector, attribute } = elementPath(text);
  if (selector === '') return attribute === undefined ? 'must not be empty' : undefined;
  try {
    const unknown = parse(selector).map(unknownIn).find(Boolean);
    return unknown === undefined ? undefined : `not a supported CSS selector (${unknown})`;
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : undefined;
    return `not a valid CSS selector${why === undefined ? '' : ` (${why.toLowerCase()})`}`;
  }
}

function unknownIn(selectors: readonly Selector[]): string | undefined {
  for (const each of selectors) {
    if (each.type === 'pseudo-element') return `::${each.name}`;
    if (each.type !== 'pseudo') continue;
    if (!pseudos.has(each.name)) return `:${each.name}`;
    const inner = Array.isArray(each.data) ? each.data.map(unknownIn).find(Boolean) : undefined;
    if (inner !== undefined) return inner;
  }
  return undefined;
}

/** How an element of a shown page may be named besides CSS: as the Recorder of Chrome's DevTools writes it. */
const otherWays = /^(?:text|aria|xpath|pierce)\//;

/** What is wrong with the name of an element that a step is for, or undefined. A browser knows all pseudo-classes. */
export function targetTrouble(text: string): string | undefined {
  const way = otherWays.exec(text)?.[0];
  const rest = text.slice(way?.length ?? 0).trim();
  if (rest === '') return 'must not be empty';
  if (way !== undefined && way !== 'pierce/') return undefined;
  try {
    const [first] = parse(rest)
      .flat()
      .filter(({ type }) => type === 'pseudo-element');
    return first === undefined ? undefined : 'a pseudo-element cannot be acted on';
  } catch (error) {
    const why = error instanceof Error ? error.message.split('\n')[0] : undefined;
    return `not a valid CSS selector${why === undefined ? '' : ` (${why.toLowerCase()})`}`;
  }
}
