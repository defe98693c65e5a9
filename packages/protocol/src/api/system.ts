import { z } from 'zod';
import { metricTextType } from '../metrics/text.ts';
import { route } from './route.ts';

export const systemRoutes = {
  getOpenApi: route({
    method: 'GET',
    path: '/v1/openapi.json',
    scope: 'public',
    family: 'system',
    summary: 'Describe every route as an OpenAPI 3.1 document',
    answer: { kind: 'json', status: 200, schema: z.record(z.string(), z.unknown()) },
  }),
  getVersion: route({
    method: 'GET',
    path: '/v1/version',
    scope: 'public',
    family: 'system',
    summary: 'Name the version of the software and of the API, and whether people can log in',
    answer: {
      kind: 'json',
      status: 200,
      schema: z
        .object({
          version: z.string(),
          api: z.literal('v1'),
          logIn: z.boolean().describe('People can log in with an OpenID provider, at /v1/session/log-in'),
          oneCrawl: z
            .boolean()
            .describe('It shows one crawl to the person at its machine, and takes no other crawls'),
        })
        .meta({ id: 'Version' }),
    },
  }),
  getMetrics: route({
    method: 'GET',
    path: '/metrics',
    scope: 'metrics',
    family: 'system',
    summary: 'Report what the coordinator that answers counts, for Prometheus (metrics.md)',
    withoutStore: true,
    answer: { kind: 'text', type: metricTextType },
  }),
};
