import {
  createRootRoute,
  createRoute,
  createRouter,
  type ErrorComponentProps,
  lazyRouteComponent,
} from '@tanstack/react-router';
import { adminSearchIn } from '../admin/admin-search.ts';
import { type ChartRange, chartRanges } from '../api/history.ts';
import { dataSearchIn } from '../data/data-search.ts';
import { hostsSearchIn } from '../hosts/hosts-search.ts';
import { newJobSearchIn } from '../job/job-search.ts';
import { Home } from '../home/home.tsx';
import { homeSearchIn } from '../home/home-search.ts';
import { Failure, Missing } from '../parts/notices.tsx';
import { draftIn, type ScopeDraft } from '../scope/draft-in-address.ts';
import { urlsSearchIn } from '../api/url-search.ts';
import { Shell } from './shell.tsx';

/** How far back the charts of a crawl go. */
export interface CrawlSearch {
  range?: ChartRange;
}

/** What a list is searched for. */
function queryIn({ q }: Record<string, unknown>): { q?: string } {
  return typeof q === 'string' || typeof q === 'number' ? { q: String(q) } : {};
}

const root = createRootRoute({ component: Shell, notFoundComponent: Missing });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: Home,
  validateSearch: homeSearchIn,
});

/** Accounts of sites. */
const logins = createRoute({
  getParentRoute: () => root,
  path: '/logins',
  component: lazyRouteComponent(() => import('../logins/logins-screen.tsx'), 'LoginsScreen'),
  validateSearch: queryIn,
});

const crawl = createRoute({
  getParentRoute: () => root,
  path: '/crawls/$crawl',
  component: lazyRouteComponent(() => import('../crawl/crawl-screen.tsx'), 'CrawlScreen'),
  validateSearch({ range }: Record<string, unknown>): CrawlSearch {
    const chosen = chartRanges.find((each) => each === range);
    return chosen && chosen !== 'all' ? { range: chosen } : {};
  },
});

const hosts = createRoute({
  getParentRoute: () => root,
  path: '/crawls/$crawl/hosts',
  component: lazyRouteComponent(() => import('../hosts/hosts-screen.tsx'), 'HostsScreen'),
  validateSearch: hostsSearchIn,
});

const urls = createRoute({
  getParentRoute: () => root,
  path: '/crawls/$crawl/urls',
  component: lazyRouteComponent(() => import('../urls/urls-screen.tsx'), 'UrlsScreen'),
  validateSearch: urlsSearchIn,
});

const url = createRoute({
  getParentRoute: () => root,
  path: '/crawls/$crawl/url',
  component: lazyRouteComponent(() => import('../url/url-screen.tsx'), 'UrlScreen'),
  validateSearch: ({ url: given }: Record<string, unknown>): { url: string } => ({
    url: typeof given === 'string' || typeof given === 'number' ? String(given) : '',
  }),
});

const data = createRoute({
  getParentRoute: () => root,
  path: '/crawls/$crawl/data',
  component: lazyRouteComponent(() => import('../data/data-screen.tsx'), 'DataScreen'),
  validateSearch: dataSearchIn,
});

/** A scope that is not in force: the fields that a person has changed. */
export interface ScopeSearch {
  draft?: Partial<ScopeDraft>;
}

const scope = createRoute({
  getParentRoute: () => root,
  path: '/crawls/$crawl/scope',
  component: lazyRouteComponent(() => import('../scope/scope-screen.tsx'), 'ScopeScreen'),
  validateSearch({ draft }: Record<string, unknown>): ScopeSearch {
    const fields = draftIn(draft);
    return Object.keys(fields).length > 0 ? { draft: fields } : {};
  },
});

const network = createRoute({
  getParentRoute: () => root,
  path: '/network',
  component: lazyRouteComponent(() => import('../network/network-screen.tsx'), 'NetworkScreen'),
  validateSearch: queryIn,
});

const admin = createRoute({
  getParentRoute: () => root,
  path: '/admin',
  component: lazyRouteComponent(() => import('../admin/admin-screen.tsx'), 'AdminScreen'),
  validateSearch: adminSearchIn,
});

const crawlJob = createRoute({
  getParentRoute: () => root,
  path: '/crawls/$crawl/job',
  component: lazyRouteComponent(() => import('../job/crawl-job-screen.tsx'), 'CrawlJobScreen'),
});

const newJob = createRoute({
  getParentRoute: () => root,
  path: '/jobs/new',
  component: lazyRouteComponent(() => import('../job/job-screen.tsx'), 'JobScreen'),
  validateSearch: newJobSearchIn,
});

const schedules = createRoute({
  getParentRoute: () => root,
  path: '/schedules',
  component: lazyRouteComponent(() => import('../schedules/schedules-screen.tsx'), 'SchedulesScreen'),
  validateSearch: ({ create, from }: Record<string, unknown>): { create?: boolean; from?: string } => ({
    ...(create === true ? { create } : {}),
    ...(typeof from === 'string' || typeof from === 'number' ? { from: String(from) } : {}),
  }),
});

const schedule = createRoute({
  getParentRoute: () => root,
  path: '/schedules/$schedule',
  component: lazyRouteComponent(() => import('../schedules/schedule-screen.tsx'), 'ScheduleScreen'),
  validateSearch: ({ edit }: Record<string, unknown>): { edit?: boolean } => (edit === true ? { edit } : {}),
});

const policies = createRoute({
  getParentRoute: () => root,
  path: '/policies',
  component: lazyRouteComponent(() => import('../policies/policies-screen.tsx'), 'PoliciesScreen'),
  validateSearch: ({ create }: Record<string, unknown>): { create?: boolean } =>
    create === true ? { create } : {},
});

const policy = createRoute({
  getParentRoute: () => root,
  path: '/policies/$policy',
  component: lazyRouteComponent(() => import('../policies/policy-screen.tsx'), 'PolicyScreen'),
  validateSearch: ({ edit, version }: Record<string, unknown>): { edit?: boolean; version?: number } => ({
    ...(edit === true ? { edit } : {}),
    ...(typeof version === 'number' ? { version } : {}),
  }),
});

export function createConsoleRouter() {
  return createRouter({
    routeTree: root.addChildren([
      home,
      logins,
      crawl,
      hosts,
      urls,
      url,
      scope,
      network,
      admin,
      crawlJob,
      newJob,
      schedules,
      schedule,
      policies,
      policy,
      data,
    ]),
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
