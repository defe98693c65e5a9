import type { ScreenshotKind, Url } from '@webfarer/protocol';
import type { UrlPattern } from '@webfarer/protocol/job';
import type { CheerioAPI } from 'cheerio/slim';
import type { PageFacts } from '../facts/page-facts.ts';
import type { Heading, PageTable } from '../markdown/outline.ts';

export type { Heading, PageTable } from '../markdown/outline.ts';

/** A fetched page as user code sees it. */
export interface Page extends PageFacts {
  /** The URL that was fetched. */
  readonly url: Url;
  /** The same URL: each redirect hop is a page of its own here, so a page is always final. */
  readonly finalUrl: Url;
  readonly status: number;
  /** Lower-case names; repeated headers are joined with ", ". */
  readonly headers: Readonly<Record<string, string>>;
  readonly label: string | undefined;
  readonly method: 'GET' | 'POST';
  /** What `follow` was given as `data`; undefined where it was given none. */
  readonly data: unknown;
  readonly depth: number;
  readonly referrer: Url | undefined;
  /** Content type without parameters, lower case. */
  readonly mime: string;
  /** The body with content encodings undone. */
  readonly body: Buffer;
  readonly links: Links;
  /** The body as text in the charset the page declares. */
  source(): string;
  json(): unknown;
  /**
   * The text as a browser shows it: a line for each block, tabs between cells. Of feeds, Word documents and PDFs (with
   * the package unpdf) too.
   */
  text(): Promise<string>;
  /** The page, feed or document as Markdown, links and images absolute. */
  markdown(): Promise<string>;
  /** The main content under the heading of the page: what a reader came for, without navigation, advertising and the like. */
  main(): Promise<MainText>;
  /** The tables that hold data; a cell that spans several places has its text at each. */
  tables(): Promise<PageTable[]>;
  headings(): Promise<Heading[]>;
  /** The picture that was taken when the page was shown; undefined where the job asks for none or it was not shown. */
  screenshot(kind?: ScreenshotKind): Promise<Buffer | undefined>;
  /** The page as PDF, likewise. */
  pdf(): Promise<Buffer | undefined>;
  /** cheerio's slim build over the page, loaded on first use. */
  $(): Promise<CheerioAPI>;
}

/** Part of a page, in both forms. */
export interface MainText {
  readonly text: string;
  readonly markdown: string;
}

/** A link of a page. */
export interface PageLink {
  url: Url;
  /** Where it stood: `a`, `img`, `link:canonical`, ... */
  rel: string;
  text: string;
  nofollow: boolean;
}

/** The links of a page, absolute and normalised. */
export interface Links extends Iterable<PageLink> {
  readonly length: number;
  /**
   * Links whose path (pattern starts with `/`) or whole URL fits a glob: `/p/*`, `**\/docs/**`. A regular expression may
   * match anywhere in the URL.
   */
  matching(...patterns: (UrlPattern | RegExp)[]): Links;
  urls(): Url[];
}

/** With several targets all of it holds for each. */
export interface FollowOptions {
  label?: string;
  /** Any JSON value; arrives as `page.data`, together with the page. */
  data?: unknown;
  /** GET unless there is a body. Each POST is a page of its own, known by its URL, content type and body. */
  method?: 'GET' | 'POST';
  /** Text is sent as it is, URLSearchParams as a form, anything else as JSON. `Content-Type` in `headers` says otherwise. */
  body?: string | URLSearchParams | object;
  /** Beside the headers of the job. Not those that the crawler sets itself. */
  headers?: Readonly<Record<string, string>>;
  /** From 1, fetched first, to 8. Without it, as the job orders URLs. */
  priority?: number;
  /** How many links from a seed it counts as, at least 1; one more than the page without it. */
  depth?: number;
  /** What becomes of links out of scope: counted and dropped, or asked with HEAD whether they are there. */
  outside?: 'drop' | 'check';
}

/** `push` and `follow` buffer; all of it commits together with the page's outcome, or not at all. */
export interface Tools<Item = unknown> {
  /** Stores an item with the page, once `onItem` and the schema have seen it. */
  push(item: Item): void;
  /** Queues links of the page, or any URL, relative ones too. What is out of scope or known is dropped and counted. */
  follow(links: Iterable<PageLink | string> | string, options?: FollowOptions): void;
  /** Aborted when the handler has run out of time. */
  readonly signal: AbortSignal;
}

/** Runs on each page before its scraper. What it throws fails the page as an error of the scraper does. */
export type ResponseHook = (page: Page) => void | Promise<void>;

/**
 * Runs on each pushed item once the scraper has returned, before the item is checked. Answers nothing to keep it, another
 * value to store that instead, or `drop('why')`.
 */
export type ItemHook<Item = unknown> = (
  item: Item,
  page: Page,
) => ItemAnswer<Item> | Promise<ItemAnswer<Item>>;
// biome-ignore lint/suspicious/noConfusingVoidType: a hook that only looks at items returns nothing
export type ItemAnswer<Item> = Item | DroppedItem | undefined | void;

/** By name, so that it is the same in every copy of this package. */
const dropMark: unique symbol = Symbol.for('webfarer.drop') as never;

/** What `drop` answers; its content is private. */
export interface DroppedItem {
  /** The reason. */
  readonly [dropMark]: string;
}

/** For `onItem`: the item is not stored, and counted with its page under this reason. */
export function drop(reason: string): DroppedItem {
  return { [dropMark]: reason };
}

/** Why an item is dropped, if that is what the value says. */
export function dropReason(value: unknown): string | undefined {
  return typeof value === 'object' && value !== null && dropMark in value
    ? String(value[dropMark])
    : undefined;
}

/** What to do with a page. One that throws is run once more on the same answer; then the page is failed(handler). */
export type Scraper<Item = unknown> = (page: Page, tools: Tools<Item>) => void | Promise<void>;
