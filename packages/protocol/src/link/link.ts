import type { CrawlId, HostKey, LeaseId, Url, WorkerId } from '../base/brands.ts';
import type { Edge, Entry, EntryKind, Offer, PackedEdges, PageRequest } from '../base/entry.ts';
import type { DroppedReason, FailedReason, WaitReason } from '../base/reasons.ts';
import type { PageRecord } from '../crawl/record.ts';

/**
 * What a worker and a coordinator say to each other. A local crawl joins the two in memory; a network
 * carries the same calls in frames. Nothing here may assume one process.
 */
export interface CoordinatorLink {
  /** Host leases that are due now, at most `hosts` of them, and when to ask again. */
  lease(request: LeaseRequest): Promise<LeaseAnswer>;
  /** Exclusive right to contact one given host, with no URLs: for a robots.txt that redirects there. */
  leaseHost(request: HostLeaseRequest): Promise<HostLeaseAnswer>;
  /** The copy of an origin's robots.txt that is known, whatever its age. */
  robots(origin: string): Promise<RobotsCopy | undefined>;
  /** What the previous crawl recorded of a page, its links and its items, for a page that answered "not modified". */
  previous(question: PreviousQuestion): Promise<PreviousPage | undefined>;
  renew(leases: LeaseRef[]): Promise<RenewAnswer[]>;
  /** Durable when it resolves. A late or repeated report changes nothing and is answered, not rejected. */
  report(reports: LeaseReport[]): Promise<ReportAnswer[]>;
}

export interface PreviousQuestion {
  crawl: CrawlId;
  url: Url;
  /** Also tell what each link was queued as; one look-up a link. */
  queuedAs: boolean;
}

export interface PreviousPage {
  record: PageRecord;
  links: PreviousLink[];
  /** What its handler or its fields yielded there. */
  items: unknown[];
}

/** A link of a page in the previous crawl, and what it was queued as there, if it was. */
export interface PreviousLink extends Edge {
  queuedAs?: { kind: EntryKind; depth: number; label?: string; request?: PageRequest };
}

export interface LeaseRef {
  id: LeaseId;
  crawl: CrawlId;
  host: HostKey;
  fence: number;
}

export interface LeaseRequest {
  worker: WorkerId;
  hosts: number;
  urlsPerHost: number;
  /** Crawls that it cannot work on now; absent: none. */
  without?: readonly CrawlId[];
}

export interface LeaseAnswer {
  leases: HostLease[];
  /** Milliseconds until the next host is due; null when nothing is queued for anybody. */
  nextDueMs: number | null;
}

export interface HostLeaseRequest {
  worker: WorkerId;
  crawl: CrawlId;
  host: HostKey;
}

export type HostLeaseAnswer =
  | { granted: true; lease: HostLease }
  /** Held or too early: try again after this long. */
  | { granted: false; retryAfterMs: number }
  /** It may not be contacted at all, and why. */
  | { granted: false; refused: string };

/** The exclusive right to contact one host for a while: the only permit to fetch. */
export interface HostLease extends LeaseRef {
  /** Which part of the store has the host: a part that is slow holds up no report to another one. */
  part: number;
  /** How long it lasts from the moment it was asked for; renew before then. */
  ttlMs: number;
  /** Milliseconds since the last request to the host ended, as far as the store knows; null: it knows of none. */
  endedAgoMs: number | null;
  /** How the host is to be treated; absent: as the job says for all hosts. */
  pace?: HostPace;
  entries: Entry[];
  /** What is known of robots.txt for the origins of these entries. */
  robots: RobotsCopy[];
  /** Cookies that other workers were set by the site and this one may not know. */
  cookies?: CookiesSet[];
}

/** How one host is to be treated, by a host rule or by `politeness.hosts` of the job. */
export interface HostPace {
  /** From the end of one request to the start of the next; longer where robots.txt or the host asks for it. */
  gapMs: number;
  /** Requests in flight at once. */
  connections: number;
  /** Which host rule makes the pause longer than the job would, and who set it. */
  rule?: string;
}

/** `Set-Cookie` lines as the page of that URL sent them. */
export interface CookiesSet {
  url: Url;
  lines: readonly string[];
}

export type RenewAnswer = { ok: true; ttlMs: number } | { ok: false };

/** robots.txt as fetched, per origin (scheme, host and port), shared by all crawls and workers. */
export interface RobotsCopy {
  origin: string;
  /** Wall time of the fetch. Older than 24 h must be fetched again. */
  fetchedAtMs: number;
  /** `rules`: body holds the file. `absent`: 4xx, everything allowed. `unreachable`: everything forbidden. */
  state: 'rules' | 'absent' | 'unreachable';
  status?: number;
  body: string;
  /** Only for `unreachable`: tries so far and when the first was, to know when to give up. */
  tries?: number;
  firstTriedAtMs?: number;
  detail?: string;
}

/** What a worker has to say about a lease. May be sent many times; `close` gives the host back. */
export interface LeaseReport extends LeaseRef {
  settled: Settlement[];
  robots?: RobotsCopy[];
  /** Offers that belong to no page: sitemaps named in robots.txt. */
  offers?: Offer[];
  /** Cookies that pages of this report set, for whoever is given the site next. */
  cookies?: CookiesSet[];
  /** How many cookies were not kept, or not passed on, because their site or the crawl has no room for more. */
  cookiesLeftOut?: number;
  /**
   * The epoch in which the store knew the offers that this report leaves out; absent: it leaves out none. A store in
   * another epoch may have gone back in time and forgotten them, so it rejects the report with `epoch-changed`.
   */
  trimmedIn?: string;
  news: HostNews;
  /**
   * The only entry of the lease, which was charged with the death of a worker before, is about to be fetched: should this
   * one die too, the entry is charged again. Absent: nothing was begun.
   */
  begun?: boolean;
  /** Ends the lease. Its unsettled entries go back to the front of the queue, uncharged. */
  close: boolean;
}

/** One URL of the lease: either its outcome with all it yielded, or a try that did not work out. */
export type Settlement =
  | {
      kind: 'outcome';
      url: Url;
      record: PageRecord;
      offers: Offer[];
      edges: Edge[] | PackedEdges;
      items: unknown[];
      dropped: Partial<Record<DroppedReason, number>>;
    }
  /** Back to the end of the host's queue with one more try charged. */
  | {
      kind: 'retry';
      url: Url;
      reason: FailedReason;
      detail?: string;
      /** Of the try that failed; workers of older versions do not say. */
      startedAtMs?: number;
      durationMs?: number;
    };

/** How the host fared since the last report. */
export interface HostNews {
  /** Milliseconds since the last request to the host ended; null if there was none. */
  endedAgoMs: number | null;
  /** The pause the host is owed after that end, and why. */
  gapMs: number;
  why: WaitReason;
  /**
   * `ok`: it answered, its troubles are forgotten. `trouble`: one more round of back-off towards dead.
   * `wait`: not its fault or not a round; only the gap counts. `none`: no request was made.
   */
  health: 'ok' | 'trouble' | 'wait' | 'none';
  /** With `trouble`: what it was, kept for the outcome `host-dead`. */
  reason?: FailedReason;
  /** In words, for a person: `503, Retry-After 120`. */
  detail?: string;
}

export type ReportAnswer =
  /** `epoch`: the store knows the offers counted here until its epoch changes; absent: it is unknown for how long. */
  | { ok: true; accepted: number; known: number; epoch?: string }
  /** The lease is over: nothing was changed. The worker drops what it has for it. */
  | { ok: false };
