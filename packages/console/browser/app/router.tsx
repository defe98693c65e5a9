import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { Home } from '../home/home.tsx';
import { Failure, Missing } from '../parts/notices.tsx';
import { Shell } from './shell.tsx';

/** Which crawls Home shows; it stands in the address, so that a link shows the same. */
export interface HomeSearch {
  q?: string;
  show?: HomeFilter;
}
export const homeFilters = ['all', 'running', 'paused', 'over'] as const;
export type HomeFilter = (typeof homeFilters)[number];

const root = createRootRoute({ component: Shell, notFoundComponent: Missing });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: Home,
  validateSearch(search: Record<string, unknown>): HomeSearch {
    const { q, show } = search;
    const filter = homeFilters.find((each) => each === show);
    return {
      ...(typeof q === 'string' || typeof q === 'number' ? { q: String(q) } : {}),
      ...(filter && filter !== 'all' ? { show: filter } : {}),
    };
  },
});

const crawl = createRoute({
  getParentRoute: () => root,
  path: '/crawls/$crawl',
  component: lazyRouteComponent(() => import('../crawl/crawl-screen.tsx'), 'CrawlScreen'),
});

export function createConsoleRouter() {
  return createRouter({
    routeTree: root.addChildren([home, crawl]),
    defaultPreload: 'intent',
    defaultErrorComponent: ({ error, reset }: ErrorComponentProps) => <Failure error={error} again={reset} />,
    defaultNotFoundComponent: Missing,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
