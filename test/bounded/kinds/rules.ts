import { type Bomb, type ExtractInput, filled, maker, numbered } from '../bomb.ts';

type Fields = ExtractInput['fields'];
const slow = { verdict: 'failed', reason: 'item-invalid' } as const;

const select = maker('selectors', 'selectors');
const bySelector = (name: string, selector: string, page: () => string, more: Partial<Bomb> = {}): Bomb =>
  select(name, page, { rule: { fields: { found: { css: selector, list: true } } }, ...more });
const siblings = () => '<i></i>'.repeat(45_000);
const deep = () => `${'<div class=a>'.repeat(500)}<b>x</b>`.repeat(100);

export const selectorBombs: readonly Bomb[] = [
  bySelector('far-siblings', 'i:not(i ~ i ~ i ~ b) ~ b', siblings, { says: slow }),
  bySelector('descendants', `${'div '.repeat(12)}u`, deep),
  bySelector('children', 'div > div > div > div:not(div > div > u)', deep),
  bySelector('has', 'i:has(~ i:has(~ b))', siblings, { says: slow }),
  bySelector('has-in-depth', 'div:has(div:has(u))', deep),
  bySelector('places', 'i:nth-child(2n + 1):nth-last-child(3n)', siblings, { says: slow }),
  bySelector('of-type', 'i:nth-last-of-type(2):only-of-type', siblings),
  bySelector('contains', 'div:contains("y")', deep),
  bySelector('any-case', 'div:icontains("y")', deep),
  bySelector('attributes', `${'[class*="a"]'.repeat(40)}[id]`, deep),
  bySelector('nested-not', `${':not('.repeat(40)}b${')'.repeat(40)}`, deep),
  bySelector('list', Array.from({ length: 80 }, (_, at) => `i~b${at}`).join(','), siblings),
  bySelector('empty', 'i:empty ~ i:empty ~ b', siblings, { says: slow }),
  bySelector('choices', 'option:selected', () => `<select>${'<option>a'.repeat(45_000)}`),
];

const item = maker('items', 'items');
const byFields = (
  name: string,
  each: string | undefined,
  fields: Fields,
  page: () => string,
  more: Partial<Bomb> = {},
): Bomb => item(name, page, { rule: { ...(each === undefined ? {} : { each }), fields }, ...more });
const many = (field: (at: number) => Fields[string]): Fields =>
  Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`f${at}`, field(at)]));
const flat = () => '<p>a</p>'.repeat(20_000);

export const itemBombs: readonly Bomb[] = [
  byFields(
    'many',
    'p',
    many(() => ({ css: '@class', default: 'a' })),
    flat,
  ),
  byFields('nested-html', 'div', { inner: { css: 'div', type: 'html', list: true } }, deep, { says: slow }),
  byFields(
    'nested-text',
    undefined,
    { inner: { css: 'div', list: true } },
    () => `${'<div>'.repeat(500)}${'a'.repeat(1_500_000)}`,
  ),
  byFields(
    'each-in-each',
    'p',
    many(() => ({ css: 'p', list: true })),
    () => '<p>a'.repeat(20_000),
  ),
  byFields('missing', 'p', { found: { css: 'b', required: true } }, flat, { says: slow }),
  byFields('numbers', undefined, { found: { css: 'p', type: 'number', list: true } }, () =>
    filled(`<p>${'1 '.repeat(90)}</p>`, 1_900_000),
  ),
  byFields('dates', undefined, { found: { css: 'p', type: 'date', list: true } }, () =>
    filled('<p>1 1 1 1 1 1</p>', 600_000),
  ),
  byFields('addresses', undefined, { found: { css: 'p', type: 'url', list: true } }, () =>
    filled(`<p>${'../'.repeat(300)}</p>`, 1_900_000),
  ),
  byFields(
    'paths',
    undefined,
    many((at) => ({ jsonLd: `A.${'a.'.repeat(60)}x${at}`, list: true })),
    () =>
      `<script type="application/ld+json">[${filled(`${'{"a":['.repeat(60)}${']}'.repeat(60)},`, 900_000)}0]</script>`,
  ),
  byFields(
    'microdata',
    undefined,
    many((at) => ({ microdata: `Thing.a${at}`, list: true })),
    () => filled('<div itemscope itemtype=http://schema.org/Thing><p itemprop=a1>x</div>', 1_900_000),
  ),
  byFields(
    'open-graph',
    undefined,
    many((at) => ({ openGraph: `a${at}`, list: true })),
    () => numbered(5_000, (at) => `<meta property=og:a${at % 100} content=b>`),
  ),
  byFields(
    'bases',
    'p',
    { found: { page: 'title' } },
    () => `<base href="http://a.test/${'b'.repeat(1_900)}">${flat()}`,
  ),
];

const find = maker('expressions', 'expressions');
const searched = (name: string, regex: string, page: () => string, more: Partial<Bomb> = {}): Bomb =>
  find(name, page, { rule: { fields: { found: { regex, list: true } } }, ...more });
const ofA = () => `<p>${'a'.repeat(1_500_000)}`;

/** Searches in the source of a page. */
export const searchBombs: readonly Bomb[] = [
  searched('nested', '(a+)+!', ofA, { says: slow }),
  searched('choices', '(a|aa)+!', ofA, { says: slow }),
  searched('optional', 'a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a?a{20}!', ofA, { says: slow }),
  searched('anything', 'a(?:.*b)?c', ofA, { says: slow }),
  searched('same-start', '(?:x|y|xy|.x){15}z', () => `<p>${'xy'.repeat(750_000)}`, { says: slow }),
  searched('counted', 'a.{200}b', ofA),
  searched('counted-long', '(?:a.{1,9}){90}b', ofA, { says: slow }),
  searched('empty', '(?:)', ofA),
  searched('each', 'a', ofA),
  searched('lines', '(?:a\\s*)+$', () => `<p>${'a\n'.repeat(700_000)}b`, { says: slow }),
  searched('words', '\\b(?:\\w+\\W?)+!', ofA, { says: slow }),
  searched('wide', '(?:[^<]*,)*<b>', () => `<p>${','.repeat(1_500_000)}`, { says: slow }),
];

/** Each of these is tried on every link of the pages made for them. */
export const linkExpressions: { name: string; regex: string; flags?: 'i'; url: string }[] = [
  { name: 'nested', regex: '(a+)+$', url: 'a' },
  { name: 'nested-any-case', regex: '(a+)+$', flags: 'i', url: 'aA' },
  { name: 'choices', regex: '(a|aa)+$', flags: 'i', url: 'a' },
  { name: 'optional', regex: '(a|a?)+$', url: 'a' },
  { name: 'anything', regex: '(.*a){12}x$', url: 'ab' },
  { name: 'anything-often', regex: '(.*a){60}x$', flags: 'i', url: 'ab' },
  { name: 'powers', regex: '(?:a?){16}a{16}$', flags: 'i', url: 'a' },
  { name: 'list', regex: `(?:${'a|'.repeat(900)}a)+$`, url: 'a' },
  { name: 'list-any-case', regex: `(?:${'a|'.repeat(900)}a)+$`, flags: 'i', url: 'a' },
  { name: 'runs', regex: `${'[^]*'.repeat(300)}x$`, url: 'ab' },
  { name: 'groups', regex: `${'(.*)'.repeat(300)}x$`, flags: 'i', url: 'ab' },
  { name: 'alternatives', regex: '(?:a|b|ab|aab|[^c]a){15}$', url: 'aab' },
  { name: 'counted', regex: 'a.{200}b', flags: 'i', url: 'a' },
  { name: 'counted-states', regex: 'a.{900}b', url: 'ab' },
  { name: 'counted-sets', regex: '(?:[ab].{1,20}){40}c', flags: 'i', url: 'ba' },
];

const follow = maker('links', 'links');
export const linkBombs: readonly Bomb[] = [
  ...linkExpressions.map(({ name, url }) =>
    follow(name, () =>
      numbered(
        400,
        (at) => `<a href="/x/${url.repeat(Math.floor((4 * at + 200) / url.length))}!${at}">x</a>`,
      ),
    ),
  ),
  follow('many', () => numbered(5_000, (at) => `<a href="/x/${at}${'a'.repeat(200)}!">x</a>`)),
  follow('pictures', () => numbered(5_000, (at) => `<img src="/y/${at}${'a'.repeat(1_500)}!">`)),
  maker(
    'links',
    'links',
    'text/css',
  )('style', () => numbered(5_000, (at) => `a{b:url(/z/${at}${'ab'.repeat(700)}!)}`)),
  maker('links', 'links', 'application/xml')(
    'sitemap',
    () =>
      `<urlset>${numbered(5_000, (at) => `<url><loc>/w/${at}${'aab'.repeat(500)}!</loc></url>`)}</urlset>`,
    { isSitemap: true },
  ),
  maker('links', 'numbers')('numbers', () => numbered(1_000_000, (at) => `${at} `), {
    says: { verdict: 'failed', reason: 'item-invalid' },
  }),
  maker('links', 'ids')('ids', () => 'ab'.repeat(1_000_000)),
];
