import type { CrawlId, HostKey, LeaseId, WorkerId } from '../base/brands.ts';
import type { ErrorCode } from '../base/errors.ts';
import type { LeaseRef, PreviousQuestion } from './link.ts';
import type { Trust } from '../base/trust.ts';
import type { WorkerLook } from '../crawl/snapshot.ts';
import type { ResourceFrame } from '../resources/resource-frame.ts';
import type { SentFailure } from './failure.ts';
import type { LinkCrawl, Order, Peer } from './orders.ts';
import type { SentReports } from './report-frame.ts';

/** What the two ends of a link say in their first frames; another number is not understood. */
export const linkVersion = 3;

/** Bounds that both ends keep. What is larger is refused where it arrives, so it is never sent. */
export const frameBounds = {
  /** Of one frame, as text. */
  bytes: 16 * 1_048_576,
  /** A worker begins another frame of reports beyond this; one page may need more. */
  reportBytes: 1_048_576,
  /** Of bodies in one frame, before they are made text. */
  bodyBytes: 1_048_576,
  bodies: 1_000,
  /** That a page may bring with it. */
  resources: 1_000,
  /** Of all that a browser made of a page. */
  renditionBytes: 64 * 1_048_576,
  hosts: 1_000,
  urlsPerHost: 1_000,
  leases: 2_000,
  reports: 500,
  settled: 1_000,
  /** Hosts that a worker names as waiting. */
  waits: 10,
  offers: 100_000,
  items: 100_000,
  peers: 1_000,
  /** Of hosts, in one order. */
  patterns: 1_000,
  /** That one page sets. */
  cookies: 100,
  /** That one worker is told of, or tells of, at once. */
  crawls: 1_000,
  /** Crawls that a worker keeps something of, or that were deleted, in one frame. */
  nonces: 10_000,
  /** Of ids and names. */
  name: 256,
  /** Of any other text. */
  text: 65_536,
  /** Depths, hops, tries, links of a page. */
  count: 1_000_000_000,
  /** Of one page: a hundred thousand such pages still add up exactly. */
  pageBytes: 2 ** 36,
  /** Where something stands in a file. */
  fileBytes: 2 ** 50,
  /** How long anything may take or be put off: 31 days. */
  spanMs: 31 * 86_400_000,
  /** The last moment of the year 9999, the latest that dates in results can name. */
  timeMs: 253_402_300_799_999,
} as const;

/** Why a link was closed, beside what WebSocket itself has words for. */
export const linkCloses = {
  bye: 1000,
  /** Another connection of the same worker took its place. */
  replaced: 4001,
  /** The first frame was not acceptable, and the same would not be later. */
  refused: 4002,
  /** Too many frames that were not understood, or too much at once. */
  misused: 4003,
  /** Nothing was heard, or nothing was read. */
  silent: 4004,
  /** The token that opened it is not accepted any more. */
  revoked: 4005,
} as const;

/** Comes first. Who is there; the token came with the request that opened the socket. */
export interface Hello {
  type: 'hello';
  v: number;
  worker: WorkerId;
  /** One process of the worker: the same as long as it lives. */
  session: string;
  /** Of the software. */
  version: string;
  /** Hosts it works on at the same time. */
  connections: number;
  /** The leases it knows of. */
  holds: LeaseId[];
  /** No grant is in transit: a grant that is not among `holds` never reached the worker. */
  holdsAll: boolean;
  /** Nonces of the crawls that it keeps a folder of. */
  keeps?: string[];
  /** Known to this worker alone, which shows by it that the name is its own; absent in earlier versions. */
  key?: string | undefined;
  /** It asks for the secrets of a crawl. One that does not is given no lease of a crawl that has any. */
  asksSecrets?: boolean | undefined;
  /**
   * It is told of a crawl before the first lease of it, and not of all that are open: the crawls that it was told of
   * before. Absent in earlier versions, which are told of all.
   */
  asLeased?: readonly CrawlId[] | undefined;
}

/** A hello in a version that is not understood; only what it takes to say so is read. */
export interface ForeignHello {
  type: 'foreign-hello';
  v: number;
  version: string;
}

/** A body as it is sent, or a piece of it: the finished records of a capture, as they stand in an archive. */
export interface SentBody {
  crawl: CrawlId;
  /** Where it waits on the worker's disk: what the record that belongs to it says. */
  place: string;
  /** Of the whole body. */
  bytes: number;
  /** SHA-256 of the whole body, hex. */
  digest: string;
  /** Which piece of it: where it begins, and how much of the data of the frame is its own. */
  at: number;
  length: number;
}

/** What a worker asks, each with a number of its own that the answer carries. */
export type Request = { id: number } & (
  | { type: 'lease'; hosts: number; urlsPerHost: number; without?: readonly CrawlId[] }
  | { type: 'leaseHost'; crawl: CrawlId; host: HostKey }
  | { type: 'robots'; origin: string }
  | ({ type: 'previous' } & PreviousQuestion)
  /** Answered with `RequestSecrets`, while it holds a lease of the crawl. */
  | { type: 'secrets'; crawl: CrawlId }
  | { type: 'renew'; leases: LeaseRef[] }
  /** Before the report that they belong to. The data of all stands behind each other, base64. */
  | { type: 'bodies'; bodies: SentBody[]; data: string }
  | ({ type: 'report' } & SentReports)
  /** Gives leases back that nothing was done with. `all`: the process that held any of this worker's is dead. */
  | { type: 'release'; leases: LeaseRef[]; all: boolean }
);

export type WorkerFrame =
  | Hello
  | ForeignHello
  | Request
  /** It could take this many hosts more than it was given. */
  | { type: 'dry'; hosts: number }
  /** What it does now, when that has changed. */
  | { type: 'look'; look: WorkerLook }
  /** What its machine and its process use; only to a coordinator whose welcome asked for it. */
  | { type: 'resources'; frame: ResourceFrame }
  /** `failure`: what it cannot continue for, a fault of ours. */
  | { type: 'bye'; reason: string; failure?: SentFailure | undefined };

export interface Welcome {
  v: number;
  coordinator: string;
  version: string;
  trust: Trust;
  /** All, or those among `asLeased` of its hello. */
  crawls: LinkCrawl[];
  /** With `asLeased` alone: every crawl of the coordinator is over. */
  over?: boolean | undefined;
  peers: Peer[];
  /** Something is heard from the coordinator at least this often. */
  heartbeatMs: number;
  /** Send a frame of resources this often; absent: send none. */
  resourcesEveryMs?: number | undefined;
}

export type CoordinatorFrame =
  | ({ type: 'welcome' } & Welcome)
  | { type: 'answer'; id: number; value: unknown }
  /** To the request of that number; without one, to the whole connection. */
  | { type: 'error'; id?: number; code: ErrorCode; message: string; next?: string }
  | Order
  | { type: 'bye'; reason: string };
