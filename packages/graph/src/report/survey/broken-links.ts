import type { Edge, PageRecord, Url } from '@webfarer/protocol';
import { hashOf } from '../../stats/sketch.ts';
import { createBrokenJudge } from './broken-judge.ts';

/** A broken link and where it stands. */
export interface BrokenLink {
  record: PageRecord;
  /** The first pages that link to it. */
  pages: Url[];
  /** All pages that link to it. */
  onPages: number;
}

/** Lists that are not asked to be longer or shorter end here. */
export const listedRows = 2_000;
/** Pages that are named for one link. */
const namedPages = 5;
/** Broken URLs whose pages are counted: about 100 MB. */
const maxUrls = 1_000_000;

/**
 * The broken links of a crawl and the pages they are on. Terminal, JSON and report all count them here: records first,
 * then the links of each page.
 */
export class BrokenLinks {
  readonly #rows: BrokenLink[] = [];
  readonly #maxRows: number;
  readonly #judge = createBrokenJudge();
  readonly #known = new Map<Url, BrokenLink | undefined>();
  #total = 0;
  #pages = 0;
  /** Where broken links were first found: true once the page was counted. */
  readonly #referrers = new Map<Url, boolean>();

  constructor(maxRows: number) {
    this.#maxRows = maxRows;
  }

  add(record: PageRecord): void {
    if (this.#judge.isBroken(record)) this.#note(record);
  }

  /** All there are, also those without a row. */
  get total(): number {
    this.#settle();
    return this.#total;
  }

  /** Those that all records together tell of. */
  #settle(): void {
    for (const record of this.#judge.late()) this.#note(record);
  }

  #note(record: PageRecord): void {
    this.#total += 1;
    const row = this.#rows.length < this.#maxRows ? { record, pages: [], onPages: 0 } : undefined;
    if (row) this.#rows.push(row);
    if (row && record.referrer !== undefined) this.#referrers.set(record.referrer, false);
    if (this.#known.size < maxUrls) this.#known.set(record.url, row);
  }

  /** The links of one page, once for each page. */
  linkedFrom(from: Url, edges: readonly Pick<Edge, 'to'>[]): void {
    if (this.total === 0) return;
    const here = new Set<Url>();
    for (const { to } of edges) if (this.#known.has(to)) here.add(to);
    if (here.size > 0) this.#pages += 1;
    if (here.size > 0 && this.#referrers.has(from)) this.#referrers.set(from, true);
    for (const to of here) {
      const row = this.#known.get(to);
      if (!row) continue;
      row.onPages += 1;
      if (row.pages.length < namedPages) row.pages.push(from);
    }
  }

  /** Hashes of those that `linkedFrom` knows. */
  hashes(): Set<number> {
    this.#settle();
    return new Set([...this.#known.keys()].map(hashOf));
  }

  /** Pages that have a broken link. Where no link to one is known, the page it was first found on counts. */
  get pages(): number {
    const others = this.#unlinked().map(({ record }) => record.referrer as Url);
    return this.#pages + new Set(others.filter((page) => !this.#referrers.get(page))).size;
  }

  /** The rows, each with a page where any is known. */
  located(): BrokenLink[] {
    for (const row of this.#unlinked()) Object.assign(row, { pages: [row.record.referrer], onPages: 1 });
    return this.#rows;
  }

  #unlinked(): BrokenLink[] {
    this.#settle();
    return this.#rows.filter(({ record, onPages }) => onPages === 0 && record.referrer !== undefined);
  }
}

export interface FoundBroken {
  rows: BrokenLink[];
  total: number;
  pages: number;
}

/** The same from a crawl that is read for nothing else. */
export async function findBroken(
  records: AsyncIterable<PageRecord>,
  pages: AsyncIterable<{ from: Url; edges: Edge[] }>,
  maxRows: number,
): Promise<FoundBroken> {
  const broken = new BrokenLinks(maxRows);
  for await (const record of records) broken.add(record);
  if (broken.total > 0) for await (const { from, edges } of pages) broken.linkedFrom(from, edges);
  const { total, pages: on } = broken;
  return { rows: broken.located(), total, pages: on };
}
