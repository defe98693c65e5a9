import { z } from 'zod';
import { refusedReasons, waitReasons } from '../base/reasons.ts';
import { hostRuleSchema, optOutSchema } from '../crawl/host-rule.ts';
import { teamName } from '../job/values.ts';
import { hostPattern } from '../url/host-pattern.ts';
import { pageOf, paging, route } from './route.ts';

const family = 'hosts';

const pattern = z
  .string()
  .max(200)
  .refine((text) => hostPattern(text) !== undefined, {
    error: 'expected a host name, *.example.org for a domain and all hosts below it, or * for all hosts',
  })
  .transform((text) => hostPattern(text) ?? text)
  .describe('A host name, *.example.org for example.org and every host below it, or * for all hosts');
const params = z.strictObject({ match: pattern });
const whose = z.strictObject({
  team: z
    .union([z.literal('*'), teamName])
    .optional()
    .describe('Whose crawls it is for, * for all. Default: the team of the token, all for an admin'),
});

const kept = {
  match: z.string().describe('The pattern'),
  team: z.string().optional().describe('It holds in the crawls of this team; absent: in all crawls'),
  version: z.int().describe('Changes with every change of the document'),
};
const onlyIf = z.int().optional().describe('Only if it still has this version; else the answer is 409');

const hostRule = hostRuleSchema.extend(kept).meta({ id: 'HostRule' });
const optOut = optOutSchema.extend(kept).meta({ id: 'OptOut' });

const words = <T extends object>(table: T) => z.enum(Object.keys(table) as [keyof T & string]);

/** A host that has something queued in a crawl. */
const crawlHost = z
  .object({
    host: z.string(),
    state: z
      .enum(['due', 'waiting', 'held', 'refused', 'dead'])
      .describe('held: a worker talks to it; refused: a rule forbids it; dead: given up after trouble'),
    queued: z.int().describe('URLs'),
    pages: z.int().describe('Pages of it that are done, in this crawl'),
    bytes: z.int().describe('Of all its answers in this crawl'),
    troubles: z.int().describe('Rounds of trouble in a row; an answer ends them'),
    dueInMs: z.int().describe('Until its next request may start; 0: it is due'),
    why: words(waitReasons).describe('What it waits for'),
    detail: z.string().optional().describe('The same in words, where more is known'),
    rule: z.string().optional().describe('Which rule holds for the host, and who set it'),
  })
  .meta({ id: 'CrawlHost' });
export type CrawlHost = z.infer<typeof crawlHost>;

/** What a host did, at each moment of the list beside it. */
const hostActivity = z
  .object({
    host: z.string(),
    pages: z.array(z.int().nullable()).describe('Pages done up to each moment; null: not recorded'),
    troubles: z
      .array(z.int().nullable())
      .describe('Rounds of trouble in a row at each moment, 35 at most; null: not recorded'),
  })
  .meta({ id: 'HostActivity' });
const hostHistory = z
  .object({
    stepMs: z.int().describe('Between two moments of the latest 16 minutes; doubled with the age'),
    moments: z
      .array(
        z.object({
          atMs: z.int().describe('Milliseconds since 1970'),
          gap: z.boolean().describe('Nothing was recorded between the moment before and this one'),
        }),
      )
      .describe('The oldest first, about 600 at most'),
    items: z.array(hostActivity).describe('The busiest hosts, 200 at most; the one with most pages first'),
  })
  .meta({ id: 'HostHistory' });
export type HostHistory = z.infer<typeof hostHistory>;

const standing = z
  .object({
    host: z.string(),
    refused: words(refusedReasons).optional().describe('Nothing is requested from the host, for this reason'),
    gapMs: z.int().optional().describe('The least pause between two requests'),
    rule: z.string().optional().describe('Which rule says so, and who set it'),
  })
  .meta({ id: 'HostStanding' });

const crawlParams = z.strictObject({
  crawl: z.string().min(1).max(300).describe('The name of the crawl, or its id'),
});
const page = { query: z.strictObject(paging) };

export const hostRoutes = {
  listHostRules: route({
    method: 'GET',
    path: '/v1/host-rules',
    scope: 'viewer',
    family,
    summary: 'List the rules for hosts that hold in all crawls, and those of the own team',
    ...page,
    answer: { kind: 'json', status: 200, schema: pageOf(hostRule) },
  }),
  getHostRule: route({
    method: 'GET',
    path: '/v1/host-rules/{match}',
    scope: 'viewer',
    family,
    summary: 'Show the rule for a host or domain',
    params,
    query: whose,
    answer: { kind: 'json', status: 200, schema: hostRule },
  }),
  putHostRule: route({
    method: 'PUT',
    path: '/v1/host-rules/{match}',
    scope: 'operator',
    family,
    summary:
      'Set the pause on a host or domain, or block it, within 5 seconds in the crawls of the own team; an admin, in all crawls',
    params,
    query: whose,
    body: z
      .strictObject({
        ...hostRuleSchema.omit({ by: true, atMs: true, byAdmin: true }).shape,
        version: onlyIf,
      })
      .refine(({ gapMs, block }) => gapMs !== undefined || block !== undefined, {
        error: 'a rule needs gapMs or block',
      }),
    refusals: ['quota'],
    answer: { kind: 'json', status: 200, schema: hostRule },
  }),
  deleteHostRule: route({
    method: 'DELETE',
    path: '/v1/host-rules/{match}',
    scope: 'operator',
    family,
    summary: 'Delete the rule for a host or domain; what it refused can be retried',
    params,
    query: whose,
    answer: { kind: 'none' },
  }),
  listOptOuts: route({
    method: 'GET',
    path: '/v1/opt-outs',
    scope: 'viewer',
    family,
    summary: 'List the sites whose owners opted out of all crawls, or of those of the own team',
    ...page,
    answer: { kind: 'json', status: 200, schema: pageOf(optOut) },
  }),
  getOptOut: route({
    method: 'GET',
    path: '/v1/opt-outs/{match}',
    scope: 'viewer',
    family,
    summary: 'Show the opt-out of a site',
    params,
    query: whose,
    answer: { kind: 'json', status: 200, schema: optOut },
  }),
  putOptOut: route({
    method: 'PUT',
    path: '/v1/opt-outs/{match}',
    scope: 'operator',
    family,
    summary:
      'Record that the owner of a site opted out: within 5 seconds the own team requests nothing from it; where an admin records it, nobody does',
    params,
    query: whose,
    body: z.strictObject({
      ...optOutSchema.omit({ by: true, atMs: true, byAdmin: true }).shape,
      version: onlyIf,
    }),
    refusals: ['quota'],
    answer: { kind: 'json', status: 200, schema: optOut },
  }),
  deleteOptOut: route({
    method: 'DELETE',
    path: '/v1/opt-outs/{match}',
    scope: 'admin',
    family,
    summary: 'Delete an opt-out, because its owner took it back',
    params,
    query: whose,
    answer: { kind: 'none' },
  }),
  getHost: route({
    method: 'GET',
    path: '/v1/hosts/{match}',
    scope: 'viewer',
    family,
    summary: 'Show which rule holds for a host in the crawls of a team',
    params,
    query: whose,
    answer: { kind: 'json', status: 200, schema: standing },
  }),
  listCrawlHosts: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/hosts',
    scope: 'viewer',
    family,
    summary: 'List the hosts of a crawl that are due next, and what they wait for',
    params: crawlParams,
    query: z.strictObject({ limit: paging.limit }),
    refusals: ['conflict'],
    answer: { kind: 'json', status: 200, schema: z.object({ items: z.array(crawlHost) }) },
  }),
  getHostHistory: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/host-history',
    scope: 'viewer',
    family,
    summary: 'Show what the busiest hosts of a crawl did over time, and when they were in trouble',
    params: crawlParams,
    answer: { kind: 'json', status: 200, schema: hostHistory },
  }),
};
