/** A crawl in the topics `list` and `crawls` of the stream: what is wanted of it, not how far it has come. */
export interface ListedCrawl {
  id: string;
  name: string;
  version: number;
  createdAtMs: number;
  tags: string[];
  /** What an operator wants of it, or how it ended. */
  wanted: string;
}

/** The document `counts` of the topic `crawls`. */
export interface ListedCounts {
  /** Crawls that the token may see, whatever was searched for. */
  all: number;
  /** Of them, those that fit: the whole list of which a part is shown. */
  found: number;
  /** All of them, by what is wanted of them. */
  byState: Record<string, number>;
}

/** Under which the counts and a crawl stand among the documents. */
export const listedCountsKey = 'counts';
export const listedCrawlKey = (id: string): string => `crawl ${id}`;

const openRank = (wanted: string): number => (wanted === 'running' ? 0 : wanted === 'paused' ? 1 : 2);

/** The order of the topic `crawls`: those that run, those that are paused, the others; of each the newest first. */
export function inListOrder(
  a: Pick<ListedCrawl, 'id' | 'wanted' | 'createdAtMs'>,
  b: Pick<ListedCrawl, 'id' | 'wanted' | 'createdAtMs'>,
): number {
  return (
    openRank(a.wanted) - openRank(b.wanted) ||
    b.createdAtMs - a.createdAtMs ||
    (a.id < b.id ? -1 : Number(a.id > b.id))
  );
}
