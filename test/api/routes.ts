import type { ApiScope, OpenApiDocument } from '@webfarer/protocol/api';
import type { ApiWorld, Team } from './world.ts';

/** An operation as the document describes it. */
export interface DocumentedRoute {
  name: string;
  method: string;
  /** With its parameters in braces. */
  path: string;
  /** Undefined: everyone may. */
  scope: ApiScope | undefined;
  params: string[];
  query: QueryParameter[];
  takesBody: boolean;
  takesYaml: boolean;
  statuses: number[];
}

export interface QueryParameter {
  name: string;
  schema: { type?: string; enum?: unknown[]; maxLength?: number };
}

interface Parameter extends QueryParameter {
  in: string;
  $ref?: string;
}

/** Every operation that a coordinator serves, so that a new one is in by itself. */
export function routesIn(document: OpenApiDocument): DocumentedRoute[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const parameters = (operation.parameters ?? []) as unknown as Parameter[];
      const content = (operation.requestBody?.['content'] ?? {}) as object;
      return {
        name: operation.operationId,
        method: method.toUpperCase(),
        path,
        scope: operation['x-scope'],
        params: parameters.filter((one) => one.in === 'path').map(({ name }) => name),
        query: parameters.filter((one) => one.in === 'query'),
        takesBody: operation.requestBody !== undefined,
        takesYaml: 'application/yaml' in content,
        statuses: Object.keys(operation.responses).map(Number),
      };
    }),
  );
}

/** The path of a route with what belongs to a team in it; undefined: it names something that this world has not. */
export function pathOf(
  { path, params }: Pick<DocumentedRoute, 'path' | 'params'>,
  world: ApiWorld,
  team: Team,
  changed: Record<string, string> = {},
): string | undefined {
  const values: Record<string, string | undefined> = { ...world.shared, ...world.of[team], ...changed };
  if (params.some((name) => values[name] === undefined)) return undefined;
  return path.replace(/\{(\w+)\}/g, (_, name: string) => values[name] ?? '');
}

/** A body that a route accepts; what makes something new is different each time. */
export function bodiesFor({ job }: ApiWorld, resultsToken: string): Record<string, () => unknown> {
  let count = 0;
  const fresh = (name: string) => `${name}-${++count}`;
  const schedule = { name: 's', when: { cron: '0 0 1 1 *' }, run: { job: { seeds: ['https://a.test/'] } } };
  return {
    createCrawl: () => ({ job: { ...job, name: fresh('made') } }),
    editCrawl: () => ({ tags: ['edited'] }),
    retryUrls: () => ({ verdict: 'failed' }),
    dropUrls: () => ({ host: 'a.test' }),
    forgetHost: () => ({ host: 'a.test', dryRun: true }),
    relinkUrls: () => ({}),
    previewScope: () => ({ changes: { scope: { exclude: ['/a/**'] } } }),
    acknowledgeResults: () => ({ token: resultsToken }),
    putSchedule: () => ({ schedule }),
    previewNewSchedule: () => ({ schedule, count: 1 }),
    putPolicy: () => ({ policy: { limits: { pages: 7 } } }),
    createWebhook: () => ({ url: 'https://a.test/', events: ['crawl.finished'], enabled: false }),
    editWebhook: () => ({ enabled: false }),
    openSiteLogin: () => ({ url: 'http://a.test/', as: 'ada' }),
    createToken: () => ({ scope: 'viewer', team: 'red' }),
    rotateToken: () => ({}),
    putTeam: () => ({ note: fresh('note') }),
    putHostRule: () => ({ gapMs: 8_000 }),
    createOwnerToken: () => ({ host: `${fresh('made')}.test` }),
    requestAsOwner: () => ({ host: `${fresh('made')}.test`, secret: 'a'.repeat(43), wish: 'look' }),
    redeemLink: () => ({ code: 'not-a-code' }),
    putOptOut: () => ({ reason: 'no', contact: 'owner@lab.test', date: '2026-11-16' }),
  };
}

/** Query parameters without which a route answers nothing. */
export const queries: Record<string, string> = {
  explainUrl: 'url=http%3A%2F%2Fa.test%2F',
  getUrl: 'url=http%3A%2F%2Fa.test%2F',
  findLinksTo: 'url=http%3A%2F%2Fa.test%2F',
  compareCrawls: 'with=another',
  readCapture: 'offset=0',
};

/** What is right and still not there: this world has no second crawl of a team, no users who log in, no page for site owners, and its worker is the coordinator itself. */
export const absent: ReadonlySet<string> = new Set([
  'compareCrawls',
  'logIn',
  'redeemLink',
  'finishLogIn',
  'revokeSession',
  'getSiteLogin',
  'cancelSiteLogin',
  'removeSiteAccount',
  'getWorkerResources',
  'aboutCrawler',
  'isHostOptedOut',
  'createOwnerToken',
  'requestAsOwner',
]);
