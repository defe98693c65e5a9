import type { JobInput, PageRecord } from '@webfarer/protocol';
import { type Bomb, type Kind, kinds, type Says } from './bomb.ts';
import { consoleBombs, dialogBombs } from './kinds/browser.ts';
import { drawingBombs } from './kinds/drawings.ts';
import { encodingBombs } from './kinds/encodings.ts';
import { feedBombs } from './kinds/feeds.ts';
import { cookieBombs, headerBombs } from './kinds/headers.ts';
import { htmlBombs } from './kinds/html.ts';
import { linkedDataBombs } from './kinds/linked-data.ts';
import { pdfBombs } from './kinds/pdf.ts';
import { robotsBombs } from './kinds/robots.ts';
import { itemBombs, linkBombs, linkExpressions, searchBombs, selectorBombs } from './kinds/rules.ts';
import { sitemapBombs } from './kinds/sitemaps.ts';
import { wordBombs } from './kinds/word.ts';

export const bombs: readonly Bomb[] = [
  ...htmlBombs,
  ...encodingBombs,
  ...wordBombs,
  ...pdfBombs,
  ...drawingBombs,
  ...feedBombs,
  ...sitemapBombs,
  ...linkedDataBombs,
  ...robotsBombs,
  ...cookieBombs,
  ...headerBombs,
  ...consoleBombs,
  ...dialogBombs,
  ...selectorBombs,
  ...itemBombs,
  ...searchBombs,
  ...linkBombs,
];

/** The first of each kind. */
export const oneOfEach: readonly Bomb[] = kinds.flatMap(
  (kind) => bombs.find((bomb) => bomb.kind === kind) ?? [],
);

/** Every so many of them, and at least one of each kind. */
export const someOf = (all: readonly Bomb[], every: number): Bomb[] => {
  const seen = new Map<Kind, number>();
  return all.filter(({ kind }) => {
    const at = seen.get(kind) ?? 0;
    seen.set(kind, at + 1);
    return at % every === 0;
  });
};

const expressions = linkExpressions.map(({ regex, flags }) =>
  flags === undefined ? { regex } : { regex, flags },
);
const read: Partial<JobInput> = { save: [{ markdown: { main: true } }], fetch: { types: { save: ['*/*'] } } };
/** Where only the page itself is of interest, and not what it leads to. */
const alone: Partial<JobInput> = { limits: { depth: 0 } };

/** For a preview: what the coordinator tries on all URLs of a crawl. */
export const linkScope = { scope: { include: expressions } };

/** What the crawls of the bombs have beside their seeds. */
const jobs: Record<string, Partial<JobInput>> = {
  text: { ...read, limits: { depth: 1, pages: 5_000, perHost: { pages: 20 } } },
  parts: { save: ['none'], scope: { requisites: true }, limits: { depth: 0, perHost: { pages: 20 } } },
  sitemaps: { save: ['none'], limits: { depth: 1, perHost: { pages: 10 } } },
  data: {
    ...alone,
    save: ['none'],
    fetch: { types: { save: ['*/*'] } },
    extract: [
      {
        fields: {
          price: { jsonLd: 'Product.offers.price' },
          item: { microdata: 'Thing.name' },
          picture: { openGraph: 'image' },
          published: { page: 'published' },
          authors: { page: 'authors', list: true },
        },
      },
    ],
  },
  robots: { ...alone, save: ['none'], robots: { sitemaps: true, giveUpAfter: '5s' } },
  cookies: { ...alone, save: ['none'] },
  shown: { ...alone, save: ['none'], render: 'always', fetch: { timeout: '15s' } },
  selectors: { ...alone, save: ['none'] },
  items: { ...alone, save: ['none'] },
  expressions: { ...alone, save: ['none'] },
  ids: {
    ...alone,
    save: ['none'],
    scraper: { ids: { find: '(?:a|b|ab|.a){15}z', template: 'http://127.4.0.1/{id}' } },
  },
  numbers: {
    ...alone,
    save: ['none'],
    scraper: { ids: { find: '[0-9]+', template: 'http://127.4.0.1/{id}' } },
  },
  links: {
    save: ['none'],
    scope: { stay: 'host', exclude: expressions, requisites: true },
    urlRules: expressions.map((match) => ({ match, cost: 1 })),
    labels: { x: expressions },
    limits: { pages: 500, perHost: { pages: 10 } },
  },
};

/** The job of a crawl with these bombs, without its seeds. */
export function jobOf(crawl: string, chosen: readonly Bomb[]): Partial<JobInput> {
  const rules = chosen.flatMap(({ name, rule }) => (rule ? [{ ...rule, pages: `/${name}` }] : []));
  return { ...jobs[crawl], ...(rules.length === 0 ? {} : { extract: rules }) };
}

/** What is wrong with the end of a bomb; undefined: nothing. */
export function faultOf({ name, says = {} }: Bomb, record: PageRecord | undefined): string | undefined {
  if (record === undefined) return `${name}: not recorded`;
  if (record.verdict !== 'done' && !record.reason) return `${name}: ${record.verdict} without a reason`;
  const differs = Object.entries(says).find(([field, value]) => {
    const found = record[field as keyof Says];
    return ![value].flat().includes(found ?? '');
  });
  return differs && `${name}: ${differs[0]} is ${JSON.stringify(record[differs[0] as keyof Says])}`;
}
