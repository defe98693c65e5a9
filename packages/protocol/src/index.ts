/**
 * The words every part of Webfarer shares: identifiers, the clock, errors, and the types that travel between
 * coordinator, worker and command line. What computes with them has an entry for its family: `/job`, `/url`,
 * `/robots`, `/link`, `/crawl`. All of those run in a browser; `/node` needs Node.
 */
export type { CrawlId, HostKey, LeaseId, SiteKey, Url, WorkerId } from './base/brands.ts';
export { type Clock, type DatedClock, systemClock } from './base/clock.ts';
export type {
  DoneReason,
  DroppedReason,
  FailedReason,
  OutcomeReason,
  Reason,
  RefusedReason,
  RenderWhy,
  WaitReason,
} from './base/reasons.ts';
export type {
  Balance,
  CrawlState,
  FailedTry,
  NotSaved,
  FetchedFacts,
  PageChange,
  PageRecord,
  PageResource,
  RenditionKind,
  Revisit,
  SavedAt,
  SavedRendition,
  ScreenshotKind,
  Verdict,
} from './crawl/record.ts';
export type {
  CoordinatorEvent,
  CrawlEvent,
  EventCursor,
  EventOf,
  EventsMissed,
  EventType,
  WebfarerEvent,
  WorkerEvent,
} from './crawl/events.ts';
export type {
  CrawlSnapshot,
  Hands,
  HostSums,
  HostWait,
  LimitedBy,
  Pause,
  PauseCause,
  WorkerLook,
} from './crawl/snapshot.ts';
export type { Stall, StallCause } from './crawl/stall-causes.ts';
export { type ErrorCode, errorCodes, isStorageTrouble, WebfarerError } from './base/errors.ts';
export type { Job } from './job/job.ts';
export type { JobInput } from './job/schema.ts';
export type { Band, Before, Edge, Entry, EntryKind, Offer, PackedEdges, PageRequest } from './base/entry.ts';
export type {
  CookiesSet,
  CoordinatorLink,
  HostLease,
  HostLeaseAnswer,
  HostLeaseRequest,
  HostNews,
  HostPace,
  LeaseAnswer,
  LeaseRef,
  LeaseReport,
  LeaseRequest,
  PreviousLink,
  PreviousPage,
  PreviousQuestion,
  RenewAnswer,
  ReportAnswer,
  RobotsCopy,
  Settlement,
} from './link/link.ts';
