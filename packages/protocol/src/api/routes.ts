import { crawlRoutes } from './crawls.ts';
import { systemRoutes } from './system.ts';

/** Every operation of the API, by its name. One line for each family. */
export const routes = {
  ...systemRoutes,
  ...crawlRoutes,
};
export type Routes = typeof routes;
export type RouteName = keyof Routes;
