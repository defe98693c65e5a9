import { openApiOf, routeFamilies, routes, type systemRoutes } from '@webfarer/protocol/api';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf } from '../call/call.ts';

export function systemHandlers({ version, metrics, users }: ApiParts): HandlersOf<typeof systemRoutes> {
  const document = { ...openApiOf(routes, routeFamilies, { version }) };
  return {
    getOpenApi: () => document,
    getMetrics: () => metrics.scrape(),
    getVersion: () => ({
      version,
      api: 'v1',
      logIn: users.logIn !== undefined,
      oneCrawl: users.links !== undefined,
    }),
  };
}
