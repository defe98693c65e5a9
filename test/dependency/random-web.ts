import type { Edge, PageRecord, Url } from '@webfarer/protocol';
import { shuffle } from '../../bench/random.ts';
import type { SmallWeb } from './reference.ts';

/** A crawl of one site, made up: what a store would hand back, and the same as the reference reads it. */
export interface MadeUpCrawl {
  records: PageRecord[];
  edges: { from: Url; edges: Edge[] }[];
  web: SmallWeb;
}

const inside = /^https:\/\/([^/]+\.)?own\.test\//;
const hosts = ['own.test', 'www.own.test', 'blog.own.test'];

/** Pages, redirects (circles too), missing pages, repeated and self links, things that are loaded and not linked. */
export function randomCrawl(random: () => number, maxPages: number): MadeUpCrawl {
  const below = (n: number): number => Math.floor(random() * n);
  const pages = Array.from({ length: 1 + below(maxPages) }, (_, n) => own(below(hosts.length), `p${n}`));
  const moved = Array.from({ length: below(6) }, (_, n) => own(0, `r${n}`));
  const targets = Array.from(
    { length: 1 + below(12) },
    (_, n) => `https://${['', 'www.', 'a.'][n % 3]}t${below(6)}.test/${n}` as Url,
  );
  const missing = [own(0, 'gone'), own(1, 'never-fetched')];
  const any = (): Url => {
    const chance = random();
    const list = chance < 0.6 ? pages : chance < 0.75 ? moved : chance < 0.95 ? targets : missing;
    return list[below(list.length)] ?? (pages[0] as Url);
  };
  const redirects = new Map(moved.map((url) => [url, any()]));
  const rowOf = (): Edge[] => Array.from({ length: below(7) }, () => ({ to: any(), rel: relOf(random()) }));
  const edges = pages.map((from) => ({ from, edges: rowOf() }));
  const records = [
    ...pages.map((url) => record(url, {})),
    ...moved.map((url) =>
      record(url, { reason: 'redirect', status: 301, redirectTo: redirects.get(url) as Url }),
    ),
    record(missing[0] as Url, { reason: 'http-4xx', status: 404 }),
  ];
  shuffle2(records, random);
  shuffle2(edges, random);
  return {
    records,
    edges,
    web: {
      pages: new Map(
        edges.map((row) => [row.from, row.edges.filter(isReaders).map(({ to }) => to as string)]),
      ),
      redirects,
      isInside: (url) => inside.test(url),
    },
  };
}

/** Where a reader goes, in the words of the definition. */
function isReaders({ rel }: Edge): boolean {
  return ['a', 'area', 'frame', 'meta:refresh', 'redirect'].includes(rel);
}

function relOf(chance: number): string {
  if (chance < 0.75) return 'a';
  return ['area', 'img', 'link:canonical', 'meta:refresh', 'iframe'][Math.floor(chance * 100) % 5] as string;
}

function own(host: number, path: string): Url {
  return `https://${hosts[host]}/${path}` as Url;
}

function record(url: Url, parts: Partial<PageRecord>): PageRecord {
  const always = { depth: 1, attempts: 1, bytes: 1, startedAtMs: 0, durationMs: 1, links: 0, items: 0 };
  return { url, verdict: 'done', reason: 'ok', kind: 'page', status: 200, ...always, ...parts };
}

function shuffle2<T>(list: T[], random: () => number): void {
  const order = list.map((_, n) => n);
  shuffle(order, random);
  const before = [...list];
  order.forEach((from, to) => {
    list[to] = before[from] as T;
  });
}

/** The same crawl with its records and links in another order. */
export function reordered({ records, edges, web }: MadeUpCrawl, random: () => number): MadeUpCrawl {
  const again = { records: [...records], edges: [...edges], web };
  shuffle2(again.records, random);
  shuffle2(again.edges, random);
  return again;
}

export async function* each<T>(values: readonly T[]): AsyncGenerator<T> {
  yield* values;
}
