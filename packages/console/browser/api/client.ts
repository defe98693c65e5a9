import {
  auditRoutes,
  type ClientOf,
  clientOf,
  compareRoutes,
  crawlRoutes,
  eventLogRoutes,
  hostRoutes,
  policyRoutes,
  resourceRoutes,
  scheduleRoutes,
  sessionRoutes,
  siteLoginRoutes,
  surveyRoutes,
  systemRoutes,
  resultRoutes,
  teamRoutes,
  tokenRoutes,
  urlRoutes,
  webhookRoutes,
  workerRoutes,
} from '@webfarer/protocol/api';

/** The part of the API that the console uses, typed by the same table as the coordinator's side. */
const routes = {
  ...crawlRoutes,
  ...workerRoutes,
  ...tokenRoutes,
  ...teamRoutes,
  ...auditRoutes,
  ...webhookRoutes,
  ...policyRoutes,
  ...scheduleRoutes,
  ...hostRoutes,
  ...policyRoutes,
  ...resourceRoutes,
  ...sessionRoutes,
  ...siteLoginRoutes,
  ...systemRoutes,
  ...eventLogRoutes,
  ...urlRoutes,
  ...resultRoutes,
  ...compareRoutes,
  ...surveyRoutes,
};
export type Client = ClientOf<typeof routes>;

/** Undefined: the browser has a session of the log-in with an OpenID provider. */
export function openClient(token: string | undefined): Client {
  return clientOf(routes, {
    url: location.origin,
    token,
    fetch: (url, init) => fetch(url, { ...init, credentials: 'same-origin', redirect: 'error' }),
  });
}
