import type { FailedReason, Url } from '@webfarer/protocol';
import type { FetchPolicy } from '@webfarer/protocol/job';

/** The port through which every page, robots.txt and sitemap is read. HTTP now, a browser later. */
export interface Fetch {
  /** Never throws for what a server does: every way it can end is a value. Redirects are not followed. */
  fetch(request: FetchRequest): Promise<FetchAnswer>;
  /** Looks up the name and opens a connection under the same guard, without sending a request. */
  reach(
    target: Pick<FetchRequest, 'url' | 'ports' | 'allowPrivate' | 'timeoutMs' | 'signal'>,
  ): Promise<ReachAnswer>;
  /** The worker gave up its lease of this host: idle connections may go. */
  forget(host: string): void;
  close(): Promise<void>;
}

export interface FetchRequest {
  url: Url;
  method: 'GET' | 'HEAD';
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
  /**
   * The caller works on the body for a while and then calls `release`. Until then it counts against what all
   * large bodies may take together, and others wait.
   */
  keepsBody?: true;
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
  firstByteMs?: number;
}

export interface FetchedPage extends ResponseHead, FetchTimes {
  ok: true;
  /** The request head exactly as it went out, for the WARC request record. */
  requestHead: string;
  /** The body as it came, still content-encoded, transfer coding removed. Empty when not wanted. */
  body: Buffer;
  truncated?: 'length' | 'time' | 'disconnect';
  /** The body was not read because `wanted` said no. */
  unread: boolean;
  ip?: string;
  /** Version of the protocol under https. */
  tls?: string;
  /** There where the request said `keepsBody`: the body is no longer needed, and empty from now on if it was large. */
  release?: () => void;
}

export interface FetchFailure extends FetchTimes {
  ok: false;
  reason: FailedReason | 'private-address' | 'port';
  detail: string;
  /** A packet may have reached the host, so it is owed a gap. */
  contacted: boolean;
  /** Given up, by its turn policy, while it waited for its address. That says nothing about the host. */
  notBegun?: true;
}

export type ReachAnswer = { ok: true; ip: string } | FetchFailure;

export type FetchAnswer = FetchedPage | FetchFailure;

/** First value of a header, whatever its case. */
export function header(head: ResponseHead, name: string): string | undefined {
  const wanted = name.toLowerCase();
  return head.headers.find(([n]) => n.toLowerCase() === wanted)?.[1];
}
