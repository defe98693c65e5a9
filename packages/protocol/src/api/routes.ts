import { auditRoutes } from './audit.ts';
import { compareRoutes } from './comparing.ts';
import { crawlRoutes } from './crawls.ts';
import { eventLogRoutes } from './event-log.ts';
import { policyRoutes } from './policies.ts';
import { hostRoutes } from './hosts.ts';
import { ownerRoutes } from './owners.ts';
import { resultRoutes } from './results.ts';
import { resourceRoutes } from './resources.ts';
import type { Route } from './route.ts';
import { sessionRoutes } from './sessions.ts';
import { siteLoginRoutes } from './site-logins.ts';
import { streamRoutes } from './stream.ts';
import { scheduleRoutes } from './schedules.ts';
import { surveyRoutes } from './surveying.ts';
import { systemRoutes } from './system.ts';
import { teamRoutes } from './teams.ts';
import { tokenRoutes } from './tokens.ts';
import { urlRoutes } from './urls.ts';
import { webhookRoutes } from './webhooks.ts';
import { workerRoutes } from './workers.ts';

/** What each family of routes is about, in the order of the docs. */
export const routeFamilies = {
  system: 'The coordinator itself and its API',
  crawls: 'Create, watch and steer crawls',
  urls: 'What became of the URLs of a crawl: search, explain, retry, drop',
  hosts: 'Pace, blocks and opt-outs of hosts, in all crawls',
  'site-owners': 'For the owners of sites, without a token; described in site-owners.md',
  results: 'What a crawl recorded, as logs that other programs consume, and its files',
  stream: 'Follow what changes; the WebSocket /v1/stream is described in stream.md',
  policies: 'Named, versioned settings that jobs reuse',
  schedules: 'Start crawls at given times',
  tokens: 'Who may use the API, and as what',
  sessions: 'Log in with an OpenID provider; described in log-in.md',
  'site-logins': 'Log in to sites that crawls read with an account; described in site-logins.md',
  teams: 'Weights and quotas of those who share the network',
  audit: 'What was changed, when and by whom',
  resources: 'What coordinators and workers use',
  workers: 'The workers of a coordinator: list, cordon, drain',
  coordinators: 'The coordinators of a network: list, cordon, drain',
  webhooks: 'Signed messages to other programs, and what became of them',
} as const;
type InFamily = Route & { family: keyof typeof routeFamilies };

/** By the types of the families: written out, all of them once more, the declarations would be 170 KB longer. */
export type Routes = typeof systemRoutes &
  typeof crawlRoutes &
  typeof urlRoutes &
  typeof eventLogRoutes &
  typeof scheduleRoutes &
  typeof hostRoutes &
  typeof ownerRoutes &
  typeof policyRoutes &
  typeof tokenRoutes &
  typeof sessionRoutes &
  typeof siteLoginRoutes &
  typeof teamRoutes &
  typeof auditRoutes &
  typeof resultRoutes &
  typeof compareRoutes &
  typeof surveyRoutes &
  typeof streamRoutes &
  typeof resourceRoutes &
  typeof workerRoutes &
  typeof webhookRoutes;

/** Every operation of the API, by its name. One line for each family. */
export const routes: Routes = {
  ...systemRoutes,
  ...crawlRoutes,
  ...urlRoutes,
  ...eventLogRoutes,
  ...scheduleRoutes,
  ...hostRoutes,
  ...ownerRoutes,
  ...policyRoutes,
  ...tokenRoutes,
  ...sessionRoutes,
  ...siteLoginRoutes,
  ...teamRoutes,
  ...auditRoutes,
  ...resultRoutes,
  ...compareRoutes,
  ...surveyRoutes,
  ...streamRoutes,
  ...resourceRoutes,
  ...workerRoutes,
  ...webhookRoutes,
} satisfies Record<string, InFamily>;
export type RouteName = keyof Routes;
