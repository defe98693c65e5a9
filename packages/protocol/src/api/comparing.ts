import { z } from 'zod';
import { crawlName, crawlParams as params } from './crawls.ts';
import { pageOf, paging, route } from './route.ts';

const family = 'results';
const count = z.int().min(0);

const changeKinds = ['new', 'changed', 'gone', 'unclear', 'unchanged'] as const;

const side = z.object({
  read: count.describe('Outcomes that were read so far'),
  known: count.describe('URLs that the crawl knew when the comparison began'),
  absent: count.describe('Results in files that this coordinator does not have at hand'),
});

const sums = z
  .object({
    counts: z.object({ new: count, changed: count, gone: count, unclear: count, unchanged: count }),
    pages: z
      .object({ now: count, before: count })
      .describe(
        'now = new + changed + unchanged + unclear.now + unclear.both; before = gone + changed + unchanged + unclear.before + unclear.both',
      ),
    unclear: z.object({ both: count, now: count, before: count }).describe('By which crawl has the page'),
  })
  .meta({ id: 'ComparisonSums' });

const comparedPage = z
  .object({
    url: z.string(),
    status: z.int().optional().describe('In this crawl'),
    statusBefore: z.int().optional(),
    title: z.string().optional(),
    why: z.string().optional().describe('In words, for what is gone or unclear'),
  })
  .meta({ id: 'ComparedPage' });
export type ShownComparedPage = z.infer<typeof comparedPage>;

const named = { id: z.string(), name: z.string(), createdAtMs: z.int() };

const comparison = pageOf(comparedPage)
  .extend({
    id: z
      .string()
      .describe(
        'Pass it to ask about the same comparison. It may change until `ready`; after that, all that is answered with it is of one comparison',
      ),
    with: z.object(named).describe('The other crawl'),
    atMs: z.int().describe('When it was begun: what was found later is not in it'),
    ready: z.boolean().describe('False: repeat the request with `id`; each one works on it for a moment'),
    now: side,
    before: side,
    sums: sums.optional().describe('Absent until it is ready'),
  })
  .meta({ id: 'Comparison' });
export type ShownComparison = z.infer<typeof comparison>;

export const compareRoutes = {
  listEarlierCrawls: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/earlier',
    scope: 'viewer',
    family,
    summary: 'List earlier crawls of the same seeds, the last one first, at most 50',
    params,
    answer: {
      kind: 'json',
      status: 200,
      schema: z.object({
        items: z.array(
          z
            .object({ ...named, previous: z.boolean().describe('This crawl is a recrawl of it') })
            .meta({ id: 'EarlierCrawl' }),
        ),
      }),
    },
  }),
  compareCrawls: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/compare',
    scope: 'viewer',
    family,
    summary:
      'Compare the pages of a crawl with those of another one: new, changed, gone; repeat it until it is ready',
    params,
    query: z.strictObject({
      with: crawlName.describe('The id or name of the other crawl, usually an earlier one'),
      id: z
        .string()
        .max(100)
        .default('')
        .describe(
          '`id` of the answer before; empty: the crawls as they are now. Where it is not known, a list is refused with `cursor-stale`, and counts are those of a comparison that has its own `id`',
        ),
      change: z.enum(changeKinds).optional().describe('Which pages to list; absent: the counts alone'),
      limit: paging.limit,
      after: z
        .string()
        .max(8_250)
        .default('')
        .describe('`next` of the page before, which names the comparison as well'),
    }),
    refusals: ['conflict', 'cursor-stale'],
    answer: { kind: 'json', status: 200, schema: comparison },
  }),
};
