import type {
  CrawlId,
  Edge,
  HostKey,
  OutcomeReason,
  PageRecord,
  SiteKey,
  Url,
  Verdict,
} from '@webfarer/protocol';
import type { PageLinks } from '@webfarer/protocol/link';

/**
 * What a crawl recorded. Read side; only `Frontier.report` writes.
 *
 * The outcomes of a group have one order, in which they were settled, and a place in it is never given twice. So a reader
 * that has come to a place has seen everything before it, and what is settled later comes behind it. SQLite has one
 * group, a store on Redis 1,024. Between groups there is no order.
 */
export interface Results extends ResultsSource {
  /** Everything that is there, in each group's order. Ends where the crawl is at that moment. */
  records(crawl: CrawlId, filter?: RecordFilter): AsyncIterable<PageRecord>;
  items(crawl: CrawlId): AsyncIterable<{ url: Url; item: unknown }>;
  edges(crawl: CrawlId): AsyncIterable<PageLinks>;
  /** Pages that link to each of these URLs, at most `limit` for each: one pass over all links. */
  linksTo(crawl: CrawlId, urls: ReadonlySet<Url>, limit: number): Promise<Map<Url, Url[]>>;
}

/** Which records are meant; all conditions hold. */
export interface RecordFilter {
  verdict?: Verdict;
  reason?: OutcomeReason;
  /** `404`, or a class such as `5xx`. Matches the last HTTP status seen. */
  status?: string;
  host?: HostKey;
  /** A registered domain. */
  site?: SiteKey;
  /** What the URL begins with: `https://example.org/shop/`. */
  prefix?: string;
  /** Links followed from a seed. */
  depth?: number;
}

/** What each store answers by itself; the rest of `Results` is built on this in one place: read-results.ts. */
export interface ResultsSource {
  /**
   * The next outcomes behind a cursor, or from the start. No outcome is skipped or repeated, whatever happens in between:
   * the crawl runs, results drain to files, a shard fails over, processes restart. `retry` and upgrades remove outcomes:
   * those are not seen by a reader that has not come to them yet; to a reader that has, the next outcome of the URL
   * comes as any other, and replaces the earlier one.
   * Rejects with `cursor-stale` where the cursor is of another crawl, or of results that the store has lost.
   */
  after(crawl: CrawlId, cursor: ResultsCursor | undefined, query: ResultsQuery): Promise<ResultsPage>;
  /** The same, but only these groups are looked at: for a reader that knows where there is news. */
  afterIn(
    crawl: CrawlId,
    cursor: ResultsCursor,
    query: ResultsQuery,
    groups: ReadonlySet<number>,
  ): Promise<ResultsPage>;
  /** Behind everything that is there now, without reading through it. */
  newest(crawl: CrawlId): Promise<ResultsCursor>;
  /** The links of one page; none when it is not known or not settled. */
  edgesOf(crawl: CrawlId, url: Url): Promise<Edge[]>;
  /** The items of one page, in the order in which they were pushed; none when it is not known or not settled. */
  itemsOf(crawl: CrawlId, url: Url): Promise<unknown[]>;
  /**
   * Calls the listener after this process has settled something, until the answered function is called. What other
   * processes settle is found by asking again.
   */
  onSettled(listener: (news: SettledNews) => void): () => void;
}

/** Where something was settled. */
export type SettledNews = { crawl: CrawlId; group: number } | 'anywhere';

/** A place in the results of one crawl; opaque, at most a few kilobytes. */
export type ResultsCursor = string & { readonly brand: 'ResultsCursor' };

export const resultKinds = ['record', 'item', 'links'] as const;
export type ResultKind = (typeof resultKinds)[number];

export interface ResultsQuery {
  kinds: readonly ResultKind[];
  /** Only outcomes whose records match. */
  filter: RecordFilter;
  /** Outcomes on a page, at most; what belongs to one outcome is never divided. */
  limit: number;
  /** At results in a file that is not at hand: `hold`, the group waits for it; `pass`, they are left out. */
  absent: 'hold' | 'pass';
}

/** A place in the order of one group: by the first number, then by the second. */
export interface Place {
  major: number;
  minor: number;
}

/** What belongs to one outcome stands together: its record, its items, its links. All of it has the outcome's place. */
export type ResultEntry = { group: number; place: Place; url: Url } & (
  | { kind: 'record'; record: PageRecord }
  | { kind: 'item'; item: unknown }
  | { kind: 'links'; links: PageLinks }
);

export interface ResultsPage {
  entries: ResultEntry[];
  /** Behind everything on this page. */
  cursor: ResultsCursor;
  /**
   * Behind the outcome of this entry and everything before it on the page. Needs no store, so it can be asked whenever;
   * in the order of the entries it is cheapest.
   */
  cursorAt(index: number): ResultsCursor;
  /** There may be more already. A page can be empty and say so. */
  more: boolean;
  /** Results that this page waits for or has left out, because their files are not at hand. */
  absent: AbsentSegments[];
}

/** Where one of those who write segments has them. */
export interface SegmentHome {
  folder: string;
  machine: string;
}

/** Segments that are not at hand, by who has them. */
export interface AbsentSegments extends Partial<SegmentHome> {
  owner: string;
  segments: number;
  records: number;
}
