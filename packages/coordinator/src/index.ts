export {
  type Coordinator,
  type CoordinatorOptions,
  createCoordinator,
  type LimitedBy,
} from './coordinator.ts';
export { type CalmReads, calmReads } from './calm-reads.ts';
export { type CrawlDesk, type CrawlDeskOptions, createCrawlDesk } from './crawl-desk.ts';
export type {
  CrawlTotals,
  Frontier,
  FrontierCrawl,
  GrantAnswer,
  GrantRequest,
  OfferVerdict,
  RecordFilter,
  Results,
  UrlStory,
} from './frontier/frontier.ts';
export { createMeter, type Meter } from './meter.ts';
export { isContent, type PreviousCrawl, previousCrawl, type PreviousStore } from './previous-crawl.ts';
export { readAbout, writeAbout } from './frontier/sqlite/rows/about.ts';
export { sqlite } from './frontier/sqlite/node-sqlite.ts';
export { asStorageError, damagedFolder } from './frontier/sqlite/storage-error.ts';
export {
  openSqliteFrontier,
  type SqliteFrontier,
  type SqliteFrontierOptions,
} from './frontier/sqlite/sqlite-frontier.ts';
export {
  createLinkServer,
  type LinkedWorker,
  type LinkServer,
  type LinkServerOptions,
} from './link/link-server.ts';
export type { ArrivingBody, BodyIntake, PlacedBody } from './link/bodies.ts';
export type { LinkEvent } from './link/visit.ts';
export type { LinkLimits } from './link/link-limits.ts';
export { memberTtlMs } from './members/members.ts';
export type { Member } from './members/membership.ts';
export { memoryMembership } from './members/memory-membership.ts';
export { joinNetwork, type NetworkMember } from './members/network-member.ts';
export {
  digestIn,
  isAmong,
  newToken,
  type StoredToken,
  storedToken,
  tokenDigest,
  type TokenRole,
  tokenRoles,
  type TokenStore,
} from './link/tokens.ts';
export {
  type LeaseShare,
  type LeaseShareOptions,
  type Seat,
  shareLeases,
  type Sitter,
} from './link/seats.ts';
