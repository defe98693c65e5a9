import type { DatedClock } from '@webfarer/protocol';
import type { Metrics } from '@webfarer/protocol/metrics';
import type { EventLog } from '../../events/read-event-log.ts';
import type { HostRules } from '../../host-rules/host-rules.ts';
import type { Policies } from '../../registry/policies.ts';
import type { Registry } from '../../registry/registry.ts';
import type { Teams } from '../../teams/teams.ts';
import type { LogIn } from '../../log-in/log-in.ts';
import type { LogInCookies } from '../../log-in/cookies.ts';
import type { OneTimeLinks } from '../../log-in/one-time-links.ts';
import type { Crawl } from '../../crawl/crawl.ts';
import type { LiveLogins } from '../../live-login/live-logins.ts';
import type { SiteAccounts } from '../../live-login/site-accounts.ts';
import type { Sessions } from '../../log-in/sessions.ts';
import type { RegistryWatch } from '../../registry/watch-registry.ts';
import type { TokenDocuments } from '../../tokens/token-documents.ts';
import type { StreamParts } from '../../stream/stream-parts.ts';
import type { Webhooks } from '../../webhooks/webhooks.ts';
import type { SiteOwners } from '../../owners/site-owners.ts';
import type { Fleet } from '../../network/fleet.ts';
import type { JobGate } from '../../admission/admit-job.ts';
import type { CrawlComparisons } from './crawl-comparisons.ts';
import type { CrawlDirectory } from './crawl-directory.ts';
import type { CrawlForgetting } from './crawl-forgetting.ts';
import type { CrawlHistory } from './crawl-history.ts';
import type { CrawlSurveys } from './crawl-surveys.ts';
import type { CrawlUrls } from './crawl-urls.ts';
import type { ArchiveReader } from '../archive/archive-reader.ts';
import type { Schedules } from '../../schedule/schedules.ts';

/** What handlers work with. A family that needs more adds it here, and `server.ts` hands it in. */
export interface ApiParts {
  /** Of the software. */
  version: string;
  clock: DatedClock;
  metrics: Metrics;
  crawls: CrawlDirectory;
  urls: CrawlUrls;
  history: CrawlHistory;
  comparisons: CrawlComparisons;
  /** Undefined: this coordinator does not know how to count. */
  surveys: CrawlSurveys | undefined;
  forgetting: CrawlForgetting;
  eventLog: EventLog;
  schedules: Schedules;
  rules: HostRules;
  registry: Registry;
  registryWatch: RegistryWatch;
  policies: Policies;
  jobs: JobGate;
  tokens: TokenDocuments;
  users: Users;
  liveLogins: LiveLogins;
  accounts: SiteAccounts;
  /** Those that are open here. */
  openCrawls: () => readonly Crawl[];
  teams: Teams;
  stream: StreamParts;
  fleet: Fleet;
  webhooks: Webhooks;
  /** Undefined: there is no page for the owners of sites. */
  owners: SiteOwners | undefined;
  /** Undefined: this coordinator cannot read archives. */
  archiveReader: ArchiveReader | undefined;
}

/** People who log in, where others have tokens. */
export interface Users {
  /** Undefined: this coordinator has no provider, but honours the sessions of others. */
  logIn: LogIn | undefined;
  /** Undefined: it serves more than the person at its machine. */
  links: OneTimeLinks | undefined;
  sessions: Sessions;
  cookies: LogInCookies;
}
