export { openCoordinator } from './coordinator.ts';
export type { Coordinator, CreatedCrawl, CreateOptions } from './coordinator-parts.ts';
export type { CoordinatorOptions } from './coordinator-options.ts';
export {
  type CrawlHost,
  type CrawlIntake,
  type ErasingParts,
  type Forgotten,
  type CrawlObjects,
  headless,
  type IntakeParts,
} from './crawl/crawl-host.ts';
export type {
  CrawlFailure,
  CrawlList,
  CrawlListing,
  CrawlQuery,
} from './own-crawls/crawl-listing.ts';
export type { Crawl, CrawlEdit, CrawlEnding, CrawlSummary } from './crawl/crawl.ts';
export type { CrawlSpec, Resumed } from './crawl/open-crawl.ts';
export { storeOf } from './crawl/job/shared-job.ts';
export { needsOwnCode, storedOwnCode } from './crawl/job/own-code.ts';
export { frontierCrawl } from './crawl/job/crawl-settings.ts';
export { createPauseBoard } from './crawl/pause-board.ts';
export type { IssuerAnswer, IssuerRequest, IssuerWay } from './log-in/issuer.ts';
export type { NetworkStatus, WorkerStatus } from './network/network-status.ts';
export type { WebhookPost } from './webhooks/webhook-sender.ts';
export type { MachineFrame } from './resources/resource-monitor.ts';
export {
  isLoopback,
  type ListenAddress,
  namedAddress,
  parseListen,
  urlOf,
} from './api/http/listen-address.ts';
export type { TlsFiles } from './api/http/tls-files.ts';
export {
  openWorkerCard,
  openWorkerKey,
  readCoordinatorCard,
  readCoordinatorStore,
  readWorkerCard,
} from './folder/data-folder.ts';
export { folderTokens, openTokens, readToken, tokenIn, type TokenFiles } from './tokens/folder-tokens.ts';
export { workerId } from './link/worker-id.ts';
export {
  type Catalog,
  type CatalogChanges,
  type CatalogEntry,
  type CatalogPage,
  type CatalogQuery,
  type ChangeAnswer,
  type EntryChange,
  type EntryState,
  entryStates,
  openStates,
  type NewEntry,
} from './catalog/catalog.ts';
export { folderRegistry } from './registry/folder-registry.ts';
export {
  type AuditEntry,
  type AuditPage,
  type PutAnswer,
  type Registry,
  type RegistryChanges,
  type RegistryDoc,
  type RegistryKind,
  registryKinds,
  type RegistryPage,
} from './registry/registry.ts';
export { type RegistryWatch, watchRegistry, type WatchedDocs } from './registry/watch-registry.ts';
export { openSqliteCatalog } from './catalog/sqlite-catalog.ts';
export { type CalmReads, calmReads } from './frontier/calm-reads.ts';
export {
  type CrawlProgress,
  type CrawlProgressOptions,
  createCrawlProgress,
} from './crawl/crawl-progress.ts';
export { createEventBus, type EventBus, type FollowOptions } from './events/event-bus.ts';
export { logEvents, writeEvents } from './events/event-log.ts';
export {
  type LogFormat,
  logFormats,
  type LogOptions,
  openLog,
  type ProcessLog,
} from './events/process-log.ts';
export { rotatingFile } from './events/rotating-file.ts';
export type { Follower } from './events/follower.ts';
export type { Followed, PublishedEvent } from './events/published-event.ts';
export { forgetAll } from './frontier/forgetting.ts';
export type {
  CrawlTotals,
  Frontier,
  FrontierCrawl,
  GrantAnswer,
  GrantRequest,
  OfferVerdict,
  SoleOwner,
  Tombstone,
  UrlStory,
} from './frontier/frontier.ts';
export { seedAll } from './frontier/seed-all.ts';
export { changesIn, type Change } from './crawl/reading/changes.ts';
export type { ItemChange } from './crawl/reading/item-changes.ts';
export { compareJobs } from './crawl/job/compare-jobs.ts';
export { type Explanation, explainUrl } from './crawl/reading/explain.ts';
export {
  type FolderReader,
  manifestOf,
  readFolder,
  type ReadFolderOptions,
} from './crawl/reading/folder-reader.ts';
export { queueInFolder, retryFolder } from './crawl/reading/change-folder.ts';
export { readSeeds, type Seed, seedOffer } from './crawl/job/seeds.ts';
export { createStallWatch, type StallWatch } from './crawl/watch/stall-watch.ts';
export { type UnfetchedSeed, unfetchedSeeds } from './crawl/job/unfetched-seeds.ts';
export { type Backup, backupFolder, type BackupOptions } from './folder/backup-folder.ts';
export { type FolderLock, lockFolder, lockNames } from './folder/folder-lock.ts';
export {
  databaseName,
  isCoordinatorFile,
  type Manifest,
  manifestName,
  memberOf,
  newManifest,
  readManifest,
  writeManifest,
} from './folder/manifest.ts';
export {
  changeFrontier,
  type FolderFrontier,
  type FolderPlace,
  hasFrontier,
  readFrontier,
} from './folder/open-frontier.ts';
export { makeOwnFolder, refuseFile } from './folder/own-folder.ts';
export { openPrevious, type PreviousFolder, previousOf, previousPath } from './folder/previous-folder.ts';
export { drainInto, segmentFolders } from './folder/segment-folders.ts';
export { type GivenStore, keepPassword, withPassword } from './folder/store-password.ts';
export {
  takeWanted,
  type WantedEdit,
  type WantedState,
  wantedName,
  wantedStates,
  writeWanted,
} from './folder/wanted-state.ts';
export { createMeter, type Meter } from './link/meter.ts';
export { isContent, type PreviousCrawl, previousCrawl, type PreviousStore } from './folder/previous-crawl.ts';
export type { HostLedger } from './ledger/host-ledger.ts';
export { openSharedLedger, type SharedLedger } from './ledger/shared-ledger.ts';
export { machineClock } from './ledger/machine-clock.ts';
export { type HostLedgerOptions, openHostLedger } from './ledger/sqlite-ledger.ts';
export { followResults, type FollowResultsOptions } from './results/follow.ts';
export {
  type AbsentSegments,
  type RecordFilter,
  type ResultEntry,
  type ResultKind,
  resultKinds,
  type Results,
  type ResultsCursor,
  type ResultsPage,
  type ResultsQuery,
} from './results/results.ts';
export { readAbout, writeAbout } from './frontier/sqlite/rows/about.ts';
export { sqlite } from './sqlite/node-sqlite.ts';
export {
  openSqliteFrontier,
  type SqliteFrontier,
  type SqliteFrontierOptions,
} from './frontier/sqlite/sqlite-frontier.ts';
export {
  bodiesNotTaken,
  createLinkServer,
  type LinkedWorker,
  type LinkServer,
  type LinkServerOptions,
} from './link/link-server.ts';
export { noRules, type WorkerRules } from './link/worker-rules.ts';
export type { ResourceIntake } from './link/worker-session.ts';
export type { ArrivingBody, BodyIntake, PlacedBody } from './link/bodies.ts';
export type { LinkLimits } from './link/link-limits.ts';
export { memberTtlMs } from './members/members.ts';
export type { Member } from './members/membership.ts';
export { memoryMembership } from './members/memory-membership.ts';
export { joinNetwork, type NetworkMember } from './network/network-member.ts';
export { adoptTokens, type EarlierTokens } from './tokens/earlier-tokens.ts';
export { openTokenBook, type TokenBook, type TokenHolder } from './tokens/token-book.ts';
export {
  openTokenDocuments,
  type TokenDocuments,
  type TokenInfo,
} from './tokens/token-documents.ts';
export { digestIn, listedTokens, newToken, newTokenId, tokenDigest } from './tokens/tokens.ts';
export {
  type LeaseShare,
  type LeaseShareOptions,
  nothingElsewhere,
  shareLeases,
  type WorkerShare,
} from './link/lease-sharing.ts';
export {
  createLeaseRoster,
  type LeaseCalls,
  type LeaseRoster,
  type LiveLease,
} from './link/lease-roster.ts';
