export type { Branded, CrawlId, HostKey, LeaseId, SiteKey, Url, WorkerId } from './brands.ts';
export { type Clock, systemClock } from './clock.ts';
export { areEdges, packEdges, unpackEdges } from './edge-codec.ts';
export {
  type Before,
  type Edge,
  type Entry,
  type EntryKind,
  entryKinds,
  type Offer,
  type PackedEdges,
} from './entry.ts';
export { type ErrorCode, errorCodes, isStorageTrouble, WebfarerError } from './errors.ts';
export {
  type CoordinatorFrame,
  type ForeignHello,
  frameBounds,
  type Hello,
  linkCloses,
  type LinkCrawl,
  linkVersion,
  type Order,
  type Peer,
  type Request,
  type SentBody,
  type Trust,
  type Welcome,
  type WorkerFrame,
} from './frames/frames.ts';
export { packReport, type SentReport, type SentReports, unpackSent } from './frames/report-frame.ts';
export { readCoordinatorFrame, readWorkerFrame, requestIdIn } from './frames/frame-schemas.ts';
export {
  type Budget,
  type Durability,
  durabilities,
  type FetchPolicy,
  type Job,
  type JobSeed,
  type Limits,
  type LoginRule,
  type NormaliseRules,
  type Politeness,
  type ProxyRule,
  type Render,
  renders,
  type RobotsPolicy,
  type SaveTarget,
  type ScopeRules,
  type ScraperChoice,
  type Stay,
  stays,
  type StoreChoice,
  type Threshold,
  thresholdSigns,
  type TypeRules,
  type UrlPattern,
  type UrlRule,
  type SiteCredentials,
} from './job.ts';
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
  PreviousLink,
  PreviousPage,
  PreviousQuestion,
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
  type PageChange,
  type PageRecord,
  type Revisit,
  type SavedAt,
  type Verdict,
} from './record.ts';
export type {
  CrawlEvent,
  CrawlSnapshot,
  Hands,
  HostWait,
  Pause,
  PauseCause,
  WorkerLook,
} from './snapshot.ts';
export { causeOfWait, stallOf, stallOfPause } from './stall.ts';
export { acknowledges, type Stall, type StallCause, stallCauses } from './stall-causes.ts';
export { type Fingerprinter, fingerprinter } from './fingerprint.ts';
export { globMatcher, patternMatcher, showPattern } from './glob.ts';
export { changedFields, scopeChanged } from './job-changes.ts';
export { parseJobFile } from './job-file.ts';
export {
  inFlightAt,
  inFlightOn,
  obeysRobots,
  portAllowed,
  headerChooser,
  proxyChooser,
  requireContact,
  robotsToken,
  savesType,
  unsafePorts,
  userAgentFor,
} from './job-policy.ts';
export { defaultPerAddress } from './job-values.ts';
export type { JobProblem } from './job-problems.ts';
export { checkJob, resolveJob } from './job-resolve.ts';
export { type JobInput, jobJsonSchema } from './job-schema.ts';
export { measureThresholds, type ThresholdFigures, type ThresholdResult } from './thresholds.ts';
export { maxRobotsBytes, parseRobots, type Robots, type RobotsDecision } from './robots.ts';
export {
  createScope,
  type Scope,
  type ScopeDecision,
  type ScopeJob,
  type ScopeLink,
  stayRule,
} from './scope.ts';
export { isHostKey } from './url-host.ts';
export { withoutSecrets } from './job-secrets.ts';
export {
  authorizationFor,
  credentialsIn,
  isMasked,
  redact,
  withoutUserinfo,
} from './url-secrets.ts';
export { domainsOf, groupCount, groupOf, type HostDomains, siteOf, suffixListVersion } from './site.ts';
export { siteFinder, suffixRules } from './suffix-rules.ts';
export { surt } from './surt.ts';
export { formatDuration, formatSize, parseDuration, parseSize } from './units.ts';
export {
  hostOf,
  isCrawlUrl,
  linkProblem,
  maxUrlBytes,
  normaliser,
  originOf,
  parseUrl,
  pathOf,
  seedUrl,
} from './url.ts';
