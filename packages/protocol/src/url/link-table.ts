/** `page`: a place to go. `requisite`: needed to show this page. `edge`: worth knowing, never fetched. */
export type LinkUse = 'page' | 'requisite' | 'edge';

export interface LinkAttribute {
  /** How the link is named: `a`, `img`, `video:poster`. */
  rel: string;
  use: LinkUse;
  srcset?: true;
}

type TagTable = ReadonlyMap<string, LinkAttribute>;

const page = (rel: string): LinkAttribute => ({ rel, use: 'page' });
const requisite = (rel: string): LinkAttribute => ({ rel, use: 'requisite' });
const set = (rel: string): LinkAttribute => ({ rel, use: 'requisite', srcset: true });
const edge = (rel: string): LinkAttribute => ({ rel, use: 'edge' });

const attributes: Readonly<Record<string, Readonly<Record<string, LinkAttribute>>>> = {
  a: { href: page('a'), 'xlink:href': page('a') },
  area: { href: page('area') },
  iframe: { src: page('iframe') },
  frame: { src: page('frame') },
  img: { src: requisite('img'), srcset: set('img'), longdesc: edge('img:longdesc') },
  image: { src: requisite('img'), href: requisite('svg:image'), 'xlink:href': requisite('svg:image') },
  use: { href: requisite('svg:use'), 'xlink:href': requisite('svg:use') },
  feimage: { href: requisite('svg:image'), 'xlink:href': requisite('svg:image') },
  source: { src: requisite('source'), srcset: set('source') },
  script: { src: requisite('script'), href: requisite('script'), 'xlink:href': requisite('script') },
  video: { src: requisite('video'), poster: requisite('video:poster') },
  audio: { src: requisite('audio') },
  track: { src: requisite('track') },
  embed: { src: requisite('embed') },
  object: { data: requisite('object') },
  input: { src: requisite('input') },
  body: { background: requisite('background') },
  table: { background: requisite('background') },
  td: { background: requisite('background') },
  th: { background: requisite('background') },
  form: { action: edge('form') },
  button: { formaction: edge('form') },
  blockquote: { cite: edge('cite') },
  q: { cite: edge('cite') },
  ins: { cite: edge('cite') },
  del: { cite: edge('cite') },
};

/**
 * Which attributes of which elements hold URLs. `link` and `meta` have rules of their own. Maps, because pages choose the
 * names: an object would also answer to `constructor`.
 */
export const linkTable: ReadonlyMap<string, TagTable> = new Map(
  Object.entries(attributes).map(([tag, table]) => [tag, new Map(Object.entries(table))]),
);

const linkRequisites = new Set([
  'stylesheet',
  'icon',
  'apple-touch-icon',
  'apple-touch-icon-precomposed',
  'mask-icon',
  'manifest',
  'preload',
  'modulepreload',
  'fluid-icon',
]);
const linkPages = new Set([
  'alternate',
  'amphtml',
  'archives',
  'author',
  'bookmark',
  'canonical',
  'contents',
  'first',
  'help',
  'index',
  'last',
  'license',
  'me',
  'next',
  'prev',
  'previous',
  'search',
  'shortlink',
  'start',
  'top',
  'up',
]);

/** What a `<link rel>` or a `Link:` header stands for; undefined where it only names a server to warm up. */
export function linkRelation(rel: string): LinkAttribute | undefined {
  const words = rel.toLowerCase().split(/\s+/).filter(Boolean);
  const asset = words.find((word) => linkRequisites.has(word));
  if (asset !== undefined) return requisite(`link:${asset}`);
  const place = words.find((word) => linkPages.has(word));
  if (place !== undefined) return page(`link:${place}`);
  const [other] = words;
  if (other === undefined || other === 'preconnect' || other === 'dns-prefetch') return undefined;
  return edge(`link:${other}`);
}

/** What scrapers asked for that stands in no attribute, and what leads on by itself or as a list. */
const otherPages = new Set(['followed', 'meta:refresh', 'feed']);
const uses: ReadonlyMap<string, LinkUse> = new Map(
  [...linkTable.values()].flatMap((table) => [...table.values()]).map(({ rel, use }) => [rel, use]),
);

/** What a link of this name is for, when only its name is known. */
export function linkUse(rel: string): LinkUse {
  if (otherPages.has(rel)) return 'page';
  if (rel === 'css' || rel === 'css:import' || rel === 'manifest:image') return 'requisite';
  if (rel.startsWith('link:')) return linkRelation(rel.slice('link:'.length))?.use ?? 'edge';
  return uses.get(rel) ?? 'edge';
}
