/** Kinds of pages that show their own words and links only after their scripts have run. */
export const needingKinds = ['router', 'api', 'shadow', 'frame', 'gallery', 'scroll', 'later'] as const;
export type NeedingKind = (typeof needingKinds)[number];
/** Kinds that are whole as they come; all but the first two have scripts nonetheless. */
export type WholeKind = 'plain' | 'framed' | 'article' | 'product' | 'menu' | 'consent';
export type PageKind = NeedingKind | WholeKind;
/** Whole kinds that `auto` has to try before it knows. */
export const scriptedKinds: readonly WholeKind[] = ['article', 'product', 'menu', 'consent'];

/** A page, and what a reader who sees everything finds on it. */
export interface TruePage {
  site: number;
  /** Among those of its site. */
  number: number;
  kind: PageKind;
  path: string;
  /** Paths that only this page links to. */
  links: string[];
  /** Sentences that stand nowhere else. */
  texts: string[];
}

/** Three of ten need a browser. */
const slots = [
  'plain',
  'need',
  'article',
  'product',
  'need',
  'article',
  'need',
  'product',
  'plain',
  'aside',
] as const;

export function isNeeding(kind: PageKind): kind is NeedingKind {
  return (needingKinds as readonly PageKind[]).includes(kind);
}

function kindAt(site: number, number: number): PageKind {
  const slot = slots[number % slots.length] as (typeof slots)[number];
  const block = Math.floor(number / slots.length);
  if (slot === 'aside') return (block + site) % 2 === 0 ? 'menu' : 'consent';
  if (slot !== 'need') return slot;
  const nth = block * 3 + [1, 4, 6].indexOf(number % slots.length);
  return needingKinds[(nth + site) % needingKinds.length] as PageKind;
}

const folders: Record<PageKind, string> = {
  plain: '/text',
  framed: '/frame',
  article: '/2026',
  product: '/p',
  menu: '/help',
  consent: '/guide',
  router: '/app',
  api: '/catalog',
  shadow: '/cards',
  frame: '/embed',
  gallery: '/gallery',
  scroll: '/stream',
  later: '/ticker',
};

function pathOf(site: number, number: number, kind: PageKind): string {
  if (number === 0) return '/';
  // As weblogs do it: every page is a folder of its own.
  if (kind === 'article')
    return `/2026/${pick(months, site, number)}/${pick(nouns, site, number * 3)}-${number}/`;
  return `${folders[kind]}/${number}`;
}

/** All pages of a site: each leads to four others, so that what is not read on one is missing below it. */
export function pagesOfSite(site: number, count: number): TruePage[] {
  const pathAt = (number: number) => pathOf(site, number, kindAt(site, number));
  return Array.from({ length: count }, (_, number) => {
    const kind = kindAt(site, number);
    const below = [1, 2, 3, 4].map((n) => number * 4 + n).filter((n) => n < count);
    const texts = [0, 1, 2].map((n) => sentence(site, number, n));
    const page = { site, number, kind, path: pathAt(number), links: below.map(pathAt), texts };
    if (kind === 'product') return [{ ...page, texts: texts.slice(0, 1) }];
    if (kind !== 'frame') return [page];
    const framed = { ...page, kind: 'framed' as const, path: `/frame/${number}`, texts: texts.slice(1) };
    return [{ ...page, texts: texts.slice(0, 1), links: [framed.path] }, framed];
  }).flat();
}

const months = ['january', 'march', 'may', 'june', 'august', 'october'];
const nouns = 'kiln|harbour|lantern|orchard|ledger|anvil|compass|granary|quarry|steeple|sluice|tannery'.split(
  '|',
);
const colours = 'amber|slate|crimson|ivory|teal|ochre|violet|russet|pewter|olive|scarlet'.split('|');
const verbs = 'borders|outlasts|overlooks|supplies|shelters|predates|mirrors'.split('|');

function pick(from: readonly string[], site: number, number: number): string {
  return from[(site * 7 + number * 13 + Math.floor(number / from.length)) % from.length] as string;
}

/** No two are the same, with or without their numbers in sight. */
function sentence(site: number, number: number, nth: number): string {
  const [colour, noun] = [pick(colours, site, number + nth), pick(nouns, site, number * 5 + nth)];
  const [verb, other] = [pick(verbs, site, number + nth * 3), pick(nouns, site, number * 11 + nth + 1)];
  const name = [...`${site}x${number}`].map((c) => (c === 'x' ? 'x' : 'abcdefghij'[Number(c)])).join('');
  return `The ${colour} ${noun} of ${name} ${verb} every ${other} that stands in part ${nth} of plot ${number}.`;
}
