/** The API of a coordinator: the table of its routes, and what follows from it on both sides. */
export { auditRoutes } from './audit.ts';
export {
  type ApiClient,
  type ClientAnswer,
  type ClientInput,
  type ClientOf,
  clientOf,
  type ClientOptions,
  type ClientRequest,
  createClient,
} from './client.ts';
export {
  inListOrder,
  type ListedCounts,
  listedCountsKey,
  type ListedCrawl,
  listedCrawlKey,
} from './crawl-list.ts';
export {
  type CountSample,
  type CrawlDetail,
  type CrawlListEntry,
  crawlRoutes,
  recordFilter,
  reservedTag,
} from './crawls.ts';
export { eventLogRoutes, type LoggedEvent } from './event-log.ts';
export { type CrawlHost, type HostHistory, hostRoutes } from './hosts.ts';
export {
  errorOfProblem,
  type InvalidValue,
  type Problem,
  problemOf,
  problemSchema,
  problemType,
} from './problem.ts';
export { type ApiMachineFrame, resourceRoutes } from './resources.ts';
export {
  type ApiDelivery,
  type ApiWebhook,
  webhookEvents,
  type WebhookEventType,
  webhookRoutes,
} from './webhooks.ts';
export { workerRoutes } from './workers.ts';
export {
  type ApiScope,
  apiScopes,
  pageOf,
  paging,
  type Route,
  route,
  type RouteAnswer,
  type RouteBytes,
  type RouteInput,
  type RouteMethod,
  type RouteOutput,
  scopeCovers,
  type WireKind,
  wireKind,
} from './route.ts';
export {
  type LiveBrowser,
  type LiveLoginEndKind,
  liveLoginEnds,
  type LivePage,
  type LivePicture,
  type LiveScreen,
  liveViewPath,
  liveViewSocketPath,
  maxViewerFrameBytes,
  type ViewerInput,
  viewerFrame,
  type ViewFrame,
} from './live-view.ts';
export { isLoopbackUrl, type LogInFile, type LogInGrant, logInSchema } from './log-in-schema.ts';
export {
  type AboutCrawler,
  type OwnerAnswer,
  type OwnerPlace,
  ownerPlaces,
  ownerRoutes,
  type OwnerToken,
  type OwnerWish,
  ownerWishes,
} from './owners.ts';
export { siteOwnersSchema, type SiteOwnersSettings } from './owners-schema.ts';
export { compareRoutes, type ShownComparedPage, type ShownComparison } from './comparing.ts';
export { type ArchiveCheck, resultRoutes } from './results.ts';
export {
  type CrawlStatistics,
  type HostGraph,
  type HostGraphNode,
  type ShownHostGraph,
  type ShownStatistics,
  type StatisticsDistribution,
  type StatisticsHost,
  type StatisticsTable,
  surveyRoutes,
} from './surveying.ts';
export { type FamilyMeanings, type OpenApiDocument, openApiOf, type OpenApiOperation } from './openapi.ts';
export { routeFamilies, type RouteName, type Routes, routes } from './routes.ts';
export { policyRoutes } from './policies.ts';
export {
  openStreamClient,
  type StreamClient,
  type StreamClientOptions,
  type StreamNotice,
  type StreamSocket,
  type Subscribing,
} from './stream-client.ts';
export {
  type ClientFrame,
  clientFrame,
  maxClientFrameBytes,
  type ServerFrame,
  type SnapshotCause,
  streamCloses,
  type StreamedEntry,
  streamPath,
  type StreamProblem,
  streamRoutes,
  type StreamTopic,
  streamTopic,
  type StreamTopicInput,
  streamTopics,
  type TopicFrame,
} from './stream.ts';
export {
  isTimeZone,
  missedRules,
  overlapRules,
  type Schedule,
  type ScheduleInput,
  runNameFields,
  scheduleSchema,
  scheduleTimings,
  type ScheduleUnit,
  scheduleUnits,
} from './schedule-schema.ts';
export {
  type SchedulePreview,
  scheduleRoutes,
  type ScheduleRunShown,
  type ScheduleShown,
} from './schedules.ts';
export { type ApiSession, sessionRoutes } from './sessions.ts';
export {
  type ApiAccountUse,
  type ApiSiteAccount,
  type ApiSiteLogin,
  type LoginBrowser,
  siteLoginRoutes,
} from './site-logins.ts';
export { systemRoutes } from './system.ts';
export { defaultQuotas, teamRoutes } from './teams.ts';
export { tokenRoutes } from './tokens.ts';
export { type LinkFrom, type ScopePreview, type ShownUrl, type UrlDocument, urlRoutes } from './urls.ts';
