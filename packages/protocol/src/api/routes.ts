import { auditRoutes } from './audit.ts';
import { crawlRoutes } from './crawls.ts';
import { policyRoutes } from './policies.ts';
import type { Route } from './route.ts';
import { systemRoutes } from './system.ts';
import { teamRoutes } from './teams.ts';
import { tokenRoutes } from './tokens.ts';

/** What each family of routes is about, in the order of the docs. */
export const routeFamilies = {
  system: 'The coordinator itself and its API',
  crawls: 'Create, watch and steer crawls',
  policies: 'Named, versioned settings that jobs reuse',
  tokens: 'Who may use the API, and as what',
  teams: 'Weights and quotas of those who share the network',
  audit: 'What was changed, when and by whom',
} as const;
type InFamily = Route & { family: keyof typeof routeFamilies };

/** Every operation of the API, by its name. One line for each family. */
export const routes = {
  ...systemRoutes,
  ...crawlRoutes,
  ...policyRoutes,
  ...tokenRoutes,
  ...teamRoutes,
  ...auditRoutes,
} satisfies Record<string, InFamily>;
export type Routes = typeof routes;
export type RouteName = keyof Routes;
