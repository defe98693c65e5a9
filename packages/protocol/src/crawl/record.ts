import type { Url } from '../base/brands.ts';
import type { EntryKind, PageRequest } from '../base/entry.ts';
import type { FailedReason, OutcomeReason, RenderWhy } from '../base/reasons.ts';

/** How a page compares with the previous crawl; unchanged means 304 or the same payload. */
export type PageChange = 'new' | 'changed' | 'unchanged';

export const notSavedReasons = ['type', 'noarchive'] as const;
export type NotSaved = (typeof notSavedReasons)[number];

export type Verdict = 'done' | 'failed' | 'refused';

/** Where a saver put the body. The CDXJ index is made from these, so it lists exactly what was committed. */
export interface SavedAt {
  saver: string;
  /** Path relative to the crawl folder. */
  file: string;
  /** Whose folder, where several share a crawl; absent where there is only one. */
  member?: string;
  /** In the object storage of the crawl, where every folder of it reads. */
  shared?: true;
  offset?: number;
  length?: number;
  /** Bytes of all its records while they wait on a worker's disk to be sent; never in a stored record. */
  spooled?: number;
  /** Present where the body is not written again, because an earlier capture holds the same. */
  revisit?: Revisit;
  /** Forms of the page that a browser made, in records behind the capture. */
  renditions?: SavedRendition[];
}

/** Forms of a page as archives name them: `urn:dom:` and the URL of the page. */
export const renditionKinds = ['dom', 'view', 'fullPage', 'thumbnail', 'pdf'] as const;
export type RenditionKind = (typeof renditionKinds)[number];
/** Those that are pictures. */
export const screenshotKinds = ['view', 'fullPage', 'thumbnail'] as const satisfies RenditionKind[];
export type ScreenshotKind = (typeof screenshotKinds)[number];

/** The address under which an archive has a form of a page, as Browsertrix and the tools around it write it. */
export function renditionUri(kind: RenditionKind, url: string): string {
  return `urn:${kind}:${url}`;
}

/** A form of a page in the archive. Its place holds wherever the capture is moved to as a whole. */
export interface SavedRendition {
  kind: RenditionKind;
  mime: string;
  /** Bytes from the start of the capture to its record. */
  after: number;
  /** Of the record in the file. */
  length: number;
  digest: string;
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
  /** The page has more elements or text than are worked on: what was read of it, but for links, lacks its end. */
  cut?: 'elements' | 'text';
  /** Wall time of the start of the request. */
  startedAtMs: number;
  durationMs: number;
  /** Time to the first byte of the answer. */
  firstByteMs?: number;
  /** Who fetched it, and what took its time; absent where no request was made, or by a version that did not record it. */
  fetched?: FetchedFacts;
  /** Earlier tries that failed, oldest first: the last of them that the coordinator remembers. */
  tries?: FailedTry[];
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
  /** What a browser made of it, where it was shown in one. */
  rendered?: RenderedFacts;
  /** Why it was or was not shown in a browser, where the crawl decides that page by page. */
  renderedWhy?: RenderWhy;
  /** Only in a recrawl, for pages that were there. */
  change?: PageChange;
  /** With a 304: when the crawl that holds the bytes of the page asked for it. */
  capturedAtMs?: number;
  saved?: SavedAt[];
  /** Why no saver was given the body: `fetch.types.save` of the job, or the page asks not to be archived. */
  notSaved?: NotSaved;
  /** What the page loaded beside its own answer, where it came with it and was saved. */
  resources?: PageResource[];
  links: number;
  items: number;
  /** Items that the user's `onItem` dropped, by its reason. */
  droppedItems?: Record<string, number>;
}

/** How a request came to its answer. Phases are parts of `durationMs` and follow each other in this order. */
export interface FetchedFacts {
  /** The worker, as the coordinator knows it. */
  by?: string;
  /** From the moment its worker asked for the lease to the start of the request: robots.txt, pauses, URLs before it. */
  waitedMs?: number;
  /** It went over a connection that was open already: nothing was looked up or connected. */
  reused?: true;
  /** Looking up the name. Absent where the request then waited for its address: that is in `waitedMs`. */
  dnsMs?: number;
  /** Until the connection was open; with a proxy, until the proxy had it open. */
  connectMs?: number;
  /** The handshake of TLS; absent without TLS. */
  tlsMs?: number;
}

/** A try that failed and was made again. */
export interface FailedTry {
  /** Wall time of its start; of its report where the worker did not say. */
  atMs: number;
  tookMs?: number;
  reason: FailedReason;
  detail?: string;
  by: string;
}

/** Tries that a record lists. */
export const mostTries = 5;

/** How a page fared in a browser. */
export interface RenderedFacts {
  durationMs: number;
  /** Requests that it made beside its own. */
  loaded: number;
  /** What it asked for and was not given: the first of them, and why. */
  leftOut?: { url: string; why: string }[];
  /** Where a script of the page sent its reader; the page itself is then read as it came. */
  movedTo?: string;
  /** It never came to rest within its time. */
  restless?: true;
  /** First lines of what went wrong in the page. */
  errors?: string[];
}

/** How many URLs a crawl knows, and what became of them: the first figure is the sum of the others. */
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
