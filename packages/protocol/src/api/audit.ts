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

const part = z.string().max(300).default('');

export const auditRoutes = {
  listAudit: route({
    method: 'GET',
    path: '/v1/audit',
    scope: 'admin',
    family: 'audit',
    summary: 'Read the log of changes that were made over the API, by who, what and when',
    query: z.strictObject({
      ...paging,
      order: z.enum(['oldest', 'newest']).default('oldest').describe('Which entries come first'),
      who: part.describe('Part of who made the change, or of the team, in upper or lower case'),
      action: part.describe('Part of the name of the operation'),
      what: part.describe('Part of the path of what was changed, or of the detail'),
      fromMs: z.int().min(0).optional().describe('Not before, in milliseconds since 1970'),
      toMs: z.int().min(0).optional().describe('Before, in milliseconds since 1970'),
    }),
    answer: {
      kind: 'json',
      status: 200,
      schema: pageOf(auditEntry).extend({
        dropped: z
          .int()
          .describe(
            'Entries that are no longer kept, on the page behind which they would be; the latest 50,000 are',
          ),
        looked: z
          .int()
          .describe(
            'Entries that this page looked at, at most 5,000: it may have few that fit, and a next one',
          ),
      }),
    },
  }),
};
