import type { FailedReason, FetchedFacts, RenditionKind, Url } from '@webfarer/protocol';
import type { FetchPolicy } from '@webfarer/protocol/job';

/** The port through which every page, robots.txt and sitemap is read. HTTP now, a browser later. */
export interface Fetch {
  /** For as long as a host is held. What requests to it share, such as connections, lives as long as the session. */
  open(host: string): FetchSession;
  close(): Promise<void>;
}

/** Requests to one host. */
export interface FetchSession {
  /** Never throws for what a server does: every way it can end is a value. Redirects are not followed. */
  fetch(request: FetchRequest): Promise<FetchAnswer>;
  /** The host was given back. A request in flight ends as it would have. */
  close(): void;
}

export interface FetchRequest {
  url: Url;
  method: 'GET' | 'HEAD' | 'POST' | 'OPTIONS';
  /** Body of the request. */
  content?: string | Buffer;
  /** Name and value in the order they are sent, Host excluded. */
  headers: [string, string][];
  /** For the whole request, from name look-up to the last byte, without waits for its address. */
  timeoutMs: number;
  /** Bytes of the body on the wire after which it is cut. */
  maxBytes: number;
  /** Bytes after decoding at which decoding stops. */
  maxDecodedBytes: number;
  /** Origins (`http://localhost:3000`) or CIDR ranges that may be private. */
  allowPrivate: readonly string[];
  /** Ports that may be contacted; by default all but those of other services. */
  ports?: FetchPolicy['ports'];
  /** `socks5://…` or `http://…`; absent means direct. */
  proxy?: string;
  /** Once aborted, the request ends at once as a failure with the reason `timeout`; it never rejects. */
  signal: AbortSignal;
  /** How it waits while its remote address is busy. Absent: for as long as it takes, with the default cap. */
  turn?: TurnPolicy;
  /** Decides from status and headers whether the body is wanted. Default: yes. */
  wanted?: (head: ResponseHead) => boolean;
}

/**
 * A request waits while others have taken all turns on its remote address. That time is no part of `timeoutMs`, which
 * starts when the turn comes.
 */
export interface TurnPolicy {
  /** Requests in flight on the address beyond which this one waits. */
  most: number;
  /** Any of them ends the wait; they have no effect on a request that has begun. */
  endsOn: readonly AbortSignal[];
  /** Asked after a wait: false gives the request up unsent. */
  mayBegin: () => boolean;
}

export interface ResponseHead {
  status: number;
  statusText: string;
  /** As sent by the server: order, case and repeats kept. */
  headers: [string, string][];
}

export interface FetchTimes {
  startedAtMs: number;
  durationMs: number;
  /** The part of it in which this process was too busy to look: the host may have answered before. Absent: none. */
  ownMs?: number;
  firstByteMs?: number;
  /** What took the time; absent where that is not known. */
  phases?: Phases;
}

/** As the record has it; by whom is for the coordinator to say. */
export type Phases = FetchedFacts;

/** One request and its answer. */
export interface Exchange extends ResponseHead, FetchTimes {
  url: Url;
  /** The request head exactly as it went out, for the WARC request record. */
  requestHead: string;
  /** The body that went out behind it. */
  requestBody?: string | Buffer;
  /** The body as it came, still content-encoded, transfer coding removed. Empty when not wanted. */
  body: Buffer;
  truncated?: 'length' | 'time' | 'disconnect';
  /** The body was not read because `wanted` said no. */
  unread: boolean;
  ip?: string;
  /** Version of the protocol under https. */
  tls?: string;
}

/** The main exchange, that of the URL asked for, and what else was loaded to show the page. */
export interface FetchedPage extends Exchange {
  ok: true;
  /** In the order they were begun. Empty for all but a browser. */
  others: readonly Exchange[];
  /** What a browser made of it; undefined: it was read as it came. */
  rendered: RenderedPage | undefined;
  /**
   * No body of the page is needed any more. To be called once for every page: other requests may wait for the memory of
   * large bodies, which are empty from now on.
   */
  release(): void;
}

/** A page as it stood when it had come to rest in a browser. */
export interface RenderedPage {
  /** With what stood in its frames, at the end of the body. */
  html: string;
  /** The document alone: what others put into frames says nothing about pages of its kind. */
  own: string;
  /** Where the page sent its reader, if that was to another page; `html` is then that page's. */
  movedTo: string | undefined;
  /** It never came to rest within its time. */
  restless: boolean;
  /** First lines of what went wrong in the page. */
  errors: string[];
  durationMs: number;
  leftOut: LeftOut[];
  /** Made in this visit, to be saved with the page. */
  pictures: readonly Rendition[];
  picture: PictureReader;
}

/** A form of a page that a browser made of it: its elements, a picture, a printable file. */
export interface Rendition {
  kind: RenditionKind;
  /** Without parameters. */
  mime: string;
  bytes: Buffer;
}

/** All but its elements. */
export type PictureKind = Exclude<RenditionKind, 'dom'>;
/** A picture that was made of a page, now or when it was stored; undefined where there is none. */
export type PictureReader = (kind: PictureKind) => Promise<Buffer | undefined>;

/** Something that a page asked for and was not given. */
export interface LeftOut {
  url: string;
  why: string;
}

/** For a page that is one exchange: no list of its own for each. */
export const noOthers: readonly Exchange[] = Object.freeze([]);

export type FetchFailureReason = FailedReason | 'private-address' | 'port';

export interface FetchFailure extends FetchTimes {
  ok: false;
  reason: FetchFailureReason;
  detail: string;
  /** A packet may have reached the host, so it is owed a gap. */
  contacted: boolean;
  /**
   * Given up, by its turn policy, while it waited for its address, or late because this process was too busy. That says
   * nothing about the host.
   */
  notBegun?: true;
}

export type FetchAnswer = FetchedPage | FetchFailure;

/** First value of a header, whatever its case. */
export function header(head: ResponseHead, name: string): string | undefined {
  const wanted = name.toLowerCase();
  // Asked a dozen times for every page: most names differ in length already.
  for (const pair of head.headers)
    if (pair[0].length === wanted.length && pair[0].toLowerCase() === wanted) return pair[1];
  return undefined;
}
