import { z } from 'zod';
import { crawlName as crawl } from './crawls.ts';
import { route } from './route.ts';

const levels = ['info', 'warn', 'error'] as const;

const query = z.strictObject({
  limit: z.int().min(1).max(10_000).default(1_000).describe('The most events to answer, the latest ones'),
  level: z.enum(levels).default('info').describe('Only events of at least this level'),
});

const logged = z
  .looseObject({ at: z.string().describe('UTC'), level: z.enum(levels), type: z.string() })
  .meta({ id: 'LoggedEvent', description: 'An event with its fields; docs/events.md lists all of them' });
export type LoggedEvent = z.infer<typeof logged>;

const answer = { kind: 'ndjson', item: logged } as const;

export const eventLogRoutes = {
  readCrawlLog: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/log',
    scope: 'viewer',
    family: 'crawls',
    summary: 'Read what happened to a crawl at this coordinator, oldest first',
    params: z.strictObject({ crawl }),
    query,
    answer,
  }),
  readLog: route({
    method: 'GET',
    path: '/v1/log',
    scope: 'admin',
    family: 'coordinators',
    summary: 'Read what happened at this coordinator, oldest first',
    query,
    answer,
  }),
};
