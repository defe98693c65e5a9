import { z } from 'zod';
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
    summary: 'Name the version of the software and of the API',
    answer: {
      kind: 'json',
      status: 200,
      schema: z.object({ version: z.string(), api: z.literal('v1') }).meta({ id: 'Version' }),
    },
  }),
};
