export type { Branded, CrawlId, HostKey, LeaseId, SiteKey, Url, WorkerId } from './brands.ts';
export { type Clock, systemClock } from './clock.ts';
export { areEdges, packEdges, unpackEdges } from './link/edge-codec.ts';
export {
  type Before,
  type Edge,
  type Entry,
  type EntryKind,
  entryKinds,
  type Offer,
  type PackedEdges,
} from './link/entry.ts';
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
} from './link/frames.ts';
export { packReport, type SentReport, type SentReports, unpackSent } from './link/report-frame.ts';
export { readCoordinatorFrame, readWorkerFrame, requestIdIn } from './link/frame-schemas.ts';
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
} from './job/job.ts';
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
} from './link/link.ts';
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
} from './crawl/reasons.ts';
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
} from './crawl/record.ts';
export type {
  CrawlEvent,
  CrawlSnapshot,
  Hands,
  HostWait,
  Pause,
  PauseCause,
  WorkerLook,
} from './crawl/snapshot.ts';
export { causeOfWait, stallOf, stallOfPause } from './crawl/stall.ts';
export { acknowledges, type Stall, type StallCause, stallCauses } from './crawl/stall-causes.ts';
export { type Fingerprinter, fingerprinter } from './url/fingerprint.ts';
export { globMatcher, patternMatcher, showPattern } from './url/glob.ts';
export { changedFields, scopeChanged } from './job/changes.ts';
export { parseJobFile } from './job/file.ts';
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
} from './job/policy.ts';
export { defaultPerAddress } from './job/values.ts';
export type { JobProblem } from './job/problems.ts';
export { checkJob, resolveJob } from './job/resolve.ts';
export { type JobInput, jobJsonSchema } from './job/schema.ts';
export { measureThresholds, type ThresholdFigures, type ThresholdResult } from './job/thresholds.ts';
export { maxRobotsBytes, parseRobots, type Robots, type RobotsDecision } from './robots/robots.ts';
export {
  createScope,
  type Scope,
  type ScopeDecision,
  type ScopeJob,
  type ScopeLink,
  stayRule,
} from './url/scope.ts';
export { isHostKey } from './url/host.ts';
export { withoutSecrets } from './job/secrets.ts';
export {
  authorizationFor,
  credentialsIn,
  isMasked,
  redact,
  withoutUserinfo,
} from './url/secrets.ts';
export { domainsOf, groupCount, groupOf, type HostDomains, siteOf, suffixListVersion } from './url/site.ts';
export { siteFinder, suffixRules } from './url/suffix-rules.ts';
export { surt } from './url/surt.ts';
export { formatDuration, formatSize, parseDuration, parseSize } from './job/units.ts';
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
} from './url/url.ts';
