export type { Branded, CrawlId, HostKey, LeaseId, SiteKey, Url, WorkerId } from './brands.ts';
export { type Clock, systemClock } from './clock.ts';
export { type Edge, type Entry, type EntryKind, entryKinds, type Offer } from './entry.ts';
export { type ErrorCode, errorCodes, WebfarerError } from './errors.ts';
export type {
  CoordinatorLink,
  HostLease,
  HostLeaseAnswer,
  HostLeaseRequest,
  HostNews,
  LeaseAnswer,
  LeaseRef,
  LeaseReport,
  LeaseRequest,
  RenewAnswer,
  ReportAnswer,
  RobotsCopy,
  Settlement,
} from './link.ts';
export {
  type DoneReason,
  doneReasons,
  type DroppedReason,
  droppedReasons,
  type FailedReason,
  failedReasons,
  type OutcomeReason,
  type Reason,
  type RefusedReason,
  refusedReasons,
  type WaitReason,
  waitReasons,
} from './reasons.ts';
export {
  addsUp,
  type Balance,
  type CrawlState,
  crawlStates,
  type PageRecord,
  type SavedAt,
  type Verdict,
} from './record.ts';
export type { CrawlEvent, CrawlSnapshot, HostWait, Pause, PauseCause } from './snapshot.ts';
