import { crawlRoutes } from './crawls.ts';
import { systemRoutes } from './system.ts';

/** Every operation of the API, by its name. One line for each family. */
export const routes = {
  ...systemRoutes,
  ...crawlRoutes,
};

/** What each family is about. */
export const routeFamilies = {
  system: 'The coordinator itself and its API',
  crawls: 'Create, watch and steer crawls',
} as const;

export type Routes = typeof routes;
export type RouteName = keyof Routes;
