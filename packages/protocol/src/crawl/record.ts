import type { Url } from '../base/brands.ts';
import type { EntryKind, PageRequest } from '../base/entry.ts';
import type { OutcomeReason } from '../base/reasons.ts';

/** How a page compares with the previous crawl; unchanged means 304 or the same payload. */
export type PageChange = 'new' | 'changed' | 'unchanged';

export type Verdict = 'done' | 'failed' | 'refused';

/** Where a saver put the body. The CDXJ index is made from these, so it lists exactly what was committed. */
export interface SavedAt {
  saver: string;
  /** Path relative to the crawl folder. */
  file: string;
  /** Whose folder, where several share a crawl; absent where there is only one. */
  member?: string;
  offset?: number;
  length?: number;
  /** Bytes of all its records while they wait on a worker's disk to be sent; never in a stored record. */
  spooled?: number;
  /** Present where the body is not written again, because an earlier capture holds the same. */
  revisit?: Revisit;
}

/** The capture that holds the body which a revisit leaves out. */
export interface Revisit {
  url: Url;
  /** When that capture was made. */
  startedAtMs: number;
  /** Of the body there. */
  digest?: string;
  /** Where it is and what it was; absent when it is in the archive of an earlier crawl. */
  original?: { file: string; offset: number; length: number; status: number; mime: string };
}

/** Something a page needed and brought with it, as a browser does. It is part of the page, not a URL of the crawl. */
export interface PageResource {
  url: Url;
  status: number;
  mime?: string;
  /** Of the body as sent. */
  bytes: number;
  digest?: string;
  startedAtMs: number;
  durationMs: number;
  saved: SavedAt[];
}

/** What became of one URL: stored once, together with its links and items. */
export interface PageRecord {
  url: Url;
  verdict: Verdict;
  reason: OutcomeReason;
  /** What decided or what was seen, in words: a robots line, an error message. */
  detail?: string;
  kind: EntryKind;
  depth: number;
  label?: string;
  /** What was asked for beyond a plain GET. */
  request?: PageRequest;
  referrer?: Url;
  /** Tries charged, this one included. */
  attempts: number;
  status?: number;
  /** Content type without parameters, lower case, as served. */
  mime?: string;
  /** What the bytes look like, where that is another type than the one served. */
  mimeDetected?: string;
  charset?: string;
  /** The language the page declares for itself: the tag in lower case, `de-at`. */
  language?: string;
  /** Server software as it names itself. */
  server?: string;
  /** `TLSv1.3`; absent without TLS. */
  tls?: string;
  redirectTo?: Url;
  /** Bytes of the body on the wire. */
  bytes: number;
  /** Set when the body was cut at the size limit or by an early close. */
  truncated?: 'length' | 'time' | 'disconnect';
  /** Wall time of the start of the request. */
  startedAtMs: number;
  durationMs: number;
  /** Time to the first byte of the answer. */
  firstByteMs?: number;
  ip?: string;
  /** `sha1:BASE32` of the payload as WARC wants it. */
  digest?: string;
  title?: string;
  etag?: string;
  lastModified?: string;
  /** Meta robots, X-Robots-Tag and usage signals that were seen. */
  signals?: string[];
  /** The page has almost no text or links of its own, but scripts. */
  looksEmpty?: boolean;
  /** Only in a recrawl, for pages that were there. */
  change?: PageChange;
  /** With a 304: when the crawl that holds the bytes of the page asked for it. */
  capturedAtMs?: number;
  saved?: SavedAt[];
  /** What the page loaded beside its own answer, where it came with it and was saved. */
  resources?: PageResource[];
  links: number;
  items: number;
  /** Items that the user's `onItem` dropped, by its reason. */
  droppedItems?: Record<string, number>;
}

export interface Balance {
  known: number;
  queued: number;
  leased: number;
  done: number;
  failed: number;
  refused: number;
}

const nowhere: SavedAt[] = [];

/** Where all captures of a page are: its own, and those of what it loaded. */
export function allSaved({ saved = nowhere, resources }: Pick<PageRecord, 'saved' | 'resources'>): SavedAt[] {
  return resources === undefined ? saved : [...saved, ...resources.flatMap((resource) => resource.saved)];
}

/** The balance sheet adds up: nothing is lost, nothing is counted twice. */
export function addsUp(b: Balance): boolean {
  return b.known === b.queued + b.leased + b.done + b.failed + b.refused;
}

export const crawlStates = ['running', 'paused', 'limited', 'stopped', 'finished'] as const;
export type CrawlState = (typeof crawlStates)[number];
