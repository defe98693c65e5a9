import { z } from 'zod';
import { pageOf, paging, route } from './route.ts';

const auditEntry = z
  .object({
    atMs: z.int().describe('Milliseconds since 1970'),
    who: z.string().describe('The id of the token, or the program'),
    team: z.string(),
    action: z.string().describe('The name of the operation, as in /v1/openapi.json'),
    what: z.string().describe('The path of what was changed'),
    detail: z.string().describe('JSON'),
  })
  .meta({ id: 'AuditEntry' });

export const auditRoutes = {
  listAudit: route({
    method: 'GET',
    path: '/v1/audit',
    scope: 'admin',
    family: 'audit',
    summary: 'Read the log of changes that were made over the API, the oldest first',
    query: z.strictObject(paging),
    answer: {
      kind: 'json',
      status: 200,
      schema: pageOf(auditEntry).extend({
        dropped: z.int().describe('Entries behind `after` that are no longer kept; the latest 50,000 are'),
      }),
    },
  }),
};
