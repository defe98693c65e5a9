import type { PageRecord, Url } from '@webfarer/protocol';
import type { PageLinks } from '@webfarer/protocol/link';
import { isReaderLink } from '../../dependency/reader-links.ts';
import { outcomeTone, outcomeTones } from '../survey/tones.ts';

export interface CrawlLinks {
  records: () => AsyncIterable<PageRecord>;
  edges: () => AsyncIterable<PageLinks>;
}

/** A page on the shortest way from a seed. */
export interface PathPage {
  url: Url;
  /** Its place in the list of pages; -1 for a seed, -2 for what no links lead to. */
  parent: number;
  /** Place in `outcomeTones`. */
  outcome: number;
  /** Pages that link to it. */
  linkedFrom: number;
}

export interface ShortestPaths {
  /** Nearest to a seed first; a parent always stands before its children. */
  pages: PathPage[];
  /** Pages of the crawl, those that are not in the list included. */
  total: number;
  /** Of them, those that no links lead to from a seed. */
  unreached: number;
}

/** Every page below the page through which it is reached over the fewest links. Two passes, `max` pages in memory. */
export async function shortestPaths(crawl: CrawlLinks, max = 500_000): Promise<ShortestPaths> {
  const { urls, outcomes, seeds, total } = await readPages(crawl, max);
  const numbers = new Map(urls.map((url, i) => [url, i]));
  const rows = await readLinks(crawl, numbers);
  const linkedFrom = new Uint32Array(urls.length);
  for (const row of rows) for (const to of row ?? []) linkedFrom[to] = (linkedFrom[to] ?? 0) + 1;
  const { order, parents, reached } = search(rows, seeds, urls.length);
  const place = new Map(order.map((page, i) => [page, i]));
  const pages = order.map((page, i): PathPage => {
    const parent = parents[page] ?? -1;
    return {
      url: urls[page] as Url,
      parent: i >= reached ? -2 : parent < 0 ? -1 : (place.get(parent) ?? -1),
      outcome: outcomes[page] ?? 0,
      linkedFrom: linkedFrom[page] ?? 0,
    };
  });
  return { pages, total, unreached: urls.length - reached };
}

async function readPages({ records }: CrawlLinks, max: number) {
  const urls: Url[] = [];
  const outcomes: number[] = [];
  const seeds: number[] = [];
  let total = 0;
  for await (const record of records()) {
    if (record.kind !== 'page') continue;
    total += 1;
    if (urls.length >= max) continue;
    if (record.depth === 0 && record.referrer === undefined) seeds.push(urls.length);
    outcomes.push(outcomeTones.findIndex(({ tone }) => tone === outcomeTone(record)));
    urls.push(record.url);
  }
  return { urls, outcomes, seeds, total };
}

async function readLinks({ edges }: CrawlLinks, numbers: ReadonlyMap<Url, number>) {
  const rows: (Uint32Array | undefined)[] = [];
  for await (const { from, edges: links } of edges()) {
    const page = numbers.get(from);
    if (page === undefined) continue;
    const row = new Set<number>();
    for (const { to, rel } of links) {
      const target = isReaderLink(rel) ? numbers.get(to) : undefined;
      if (target !== undefined && target !== page) row.add(target);
    }
    rows[page] = Uint32Array.from(row);
  }
  return rows;
}

/** Breadth first from all seeds; what is not reached comes last, in the order it was recorded. */
function search(rows: readonly (Uint32Array | undefined)[], seeds: readonly number[], pages: number) {
  const parents = new Int32Array(pages).fill(-2);
  const order = [...seeds];
  for (const seed of seeds) parents[seed] = -1;
  for (let at = 0; at < order.length; at++) {
    const page = order[at] as number;
    for (const next of rows[page] ?? []) {
      if (parents[next] !== -2) continue;
      parents[next] = page;
      order.push(next);
    }
  }
  const reached = order.length;
  for (let page = 0; page < pages; page++) if (parents[page] === -2) order.push(page);
  return { order, parents, reached };
}
