import { crawlRoutes } from './crawls.ts';
import type { Route } from './route.ts';
import { systemRoutes } from './system.ts';

/** What each family of routes is about, in the order of the docs. */
export const routeFamilies = {
  system: 'The coordinator itself and its API',
  crawls: 'Create, watch and steer crawls',
} as const;
type InFamily = Route & { family: keyof typeof routeFamilies };

/** Every operation of the API, by its name. One line for each family. */
export const routes = {
  ...systemRoutes,
  ...crawlRoutes,
} satisfies Record<string, InFamily>;
export type Routes = typeof routes;
export type RouteName = keyof Routes;
