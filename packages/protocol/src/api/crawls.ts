import { z } from 'zod';
import { doneReasons, failedReasons, refusedReasons } from '../base/reasons.ts';
import { crawlStates } from '../crawl/record.ts';
import { pageOf, paging, route } from './route.ts';

const family = 'crawls';

export const crawlName = z.string().min(1).max(300).describe('The name of the crawl, or its id');
export const crawlParams = z.strictObject({ crawl: crawlName });
const params = crawlParams;
/** Tags that begin so are the coordinator's own: how a crawl came to be. */
export const reservedTag = 'webfarer:';
const tag = z
  .string()
  .min(1)
  .max(100)
  .regex(/^(?!webfarer:)/, { error: 'tags that begin with webfarer: are reserved' });
/** Fewer than the catalog takes, so that there is room for those. */
export const tags = z.array(tag).max(40);
const count = z.int().min(0);

/** A crawl in a list. */
const crawlEntry = z
  .object({
    id: z.string(),
    name: z.string(),
    tags: z.array(z.string()),
    state: z
      .enum([...crawlStates, 'failed'])
      .describe('As it runs at this coordinator; failed: it should run here and cannot'),
    failure: z
      .object({ code: z.string(), message: z.string(), next: z.string().optional(), atMs: z.int() })
      .optional()
      .describe('Why it cannot run here, and what to do; coordinators of earlier versions do not say that'),
    createdAtMs: z.int().describe('Milliseconds since 1970'),
    version: z.int().describe('Changes with every change of the crawl'),
    deletedAtMs: z
      .int()
      .optional()
      .describe('When it will be deleted with everything it holds, by `retention` of its job'),
  })
  .meta({ id: 'CrawlEntry' });
export type CrawlListEntry = z.infer<typeof crawlEntry>;

const balance = z
  .object({ known: count, queued: count, leased: count, done: count, failed: count, refused: count })
  .meta({ id: 'Balance', description: 'known = queued + leased + done + failed + refused' });

const counts = z.record(z.string(), count);

/** How far a crawl has come. */
const crawlProgress = z
  .object({
    elapsedMs: z.int().optional().describe('Absent where this coordinator has not worked on it'),
    balance,
    byStatus: counts.describe('Pages by HTTP status'),
    byReason: counts,
    dropped: counts.describe('Links that were not queued, by reason'),
    bytes: count,
    items: count,
    pagesPerSecond: z.number(),
    hostsQueued: count,
    inFlight: count,
    limitedBy: z
      .enum(['pages', 'bytes', 'duration', 'perHost', 'perSite'])
      .optional()
      .describe('perHost, perSite: all that these limits left was fetched'),
    endedBy: z
      .string()
      .optional()
      .describe(
        'Of a finished crawl, where blocks and opt-outs refused a tenth of its URLs or more; of a limited one, where limits of hosts or sites refused any',
      ),
    leftMs: z
      .int()
      .optional()
      .describe('Estimate of the time left: at least this. Absent while nobody can tell'),
    leftToMs: z.int().optional().describe('The other end of the estimate: probably not more than this'),
    leftAtMost: z.literal(true).optional().describe('leftMs ends at a limit: the crawl may end sooner'),
    pause: z.object({ cause: z.string(), text: z.string(), retryInMs: z.int().optional() }).optional(),
    stall: z
      .object({ cause: z.string(), text: z.string(), host: z.string().optional() })
      .optional()
      .describe('Why it makes no progress; absent while it does'),
  })
  .meta({ id: 'CrawlProgress' });

/** All that is known of a crawl. */
const crawlDetail = crawlEntry
  .extend({
    seeds: z.array(z.string()),
    job: z.record(z.string(), z.unknown()).describe('As it was written, without secrets'),
    progress: crawlProgress
      .optional()
      .describe('Absent where another coordinator works on the crawl, or its folder is on another machine'),
  })
  .meta({ id: 'Crawl' });
export type CrawlDetail = z.infer<typeof crawlDetail>;

const crawlEdit = z
  .object({
    seq: z.int().min(1).describe('Counts the edits of the crawl'),
    atMs: z.number().describe('Milliseconds since 1970'),
    by: z.string().describe('The id of the token, or the program'),
    changes: z.array(
      z.object({
        field: z.string().describe('As in the job: limits.pages'),
        from: z.unknown().optional().describe('Absent: it was not set'),
        to: z.unknown().optional().describe('Absent: it is no longer set'),
      }),
    ),
    sweep: z
      .object({
        state: z
          .enum(['pending', 'done'])
          .describe('pending: it is under way, or waits until the crawl is resumed'),
        dropped: count.describe('Queued URLs that are now out of scope: refused(scope)'),
        restored: count.describe('URLs that were refused(scope) and are queued again'),
        linksNotKnown: counts.describe(
          'Links that were never queued, by reason, since the crawl began: POST .../relink finds those that are in scope now',
        ),
      })
      .optional()
      .describe('Only where the scope changed'),
  })
  .meta({ id: 'CrawlEdit' });

const countSample = balance
  .extend({
    atMs: z.int().describe('Milliseconds since 1970'),
    bytes: count,
    items: count,
    gap: z
      .literal(true)
      .optional()
      .describe(
        'Nobody took samples between the one before and this: the crawl did not run, or could not be seen',
      ),
  })
  .meta({ id: 'CountSample', description: 'The counts of a crawl at a moment' });
export type CountSample = z.infer<typeof countSample>;

const jobInput = z
  .union([z.record(z.string(), z.unknown()), z.string().min(1)])
  .meta({ id: 'Job', description: 'A job as JSON, or the text of a job file (YAML). See docs/job-file.md' });

export const outcomeReasons = [
  ...Object.keys(doneReasons),
  ...Object.keys(failedReasons),
  ...Object.keys(refusedReasons),
];

/** Which settled URLs are meant; all conditions hold. */
export const recordFilter = z.strictObject({
  verdict: z.enum(['done', 'failed', 'refused']).optional(),
  reason: z.enum(outcomeReasons).optional().describe('From the closed tables in docs/reasons.md'),
  status: z
    .string()
    .regex(/^[1-5](\d\d|xx)$/)
    .optional()
    .describe('404, or a class such as 5xx'),
  host: z.string().min(1).max(300).optional(),
});

const steered = { kind: 'json', status: 200, schema: crawlEntry } as const;

export const crawlRoutes = {
  listCrawls: route({
    method: 'GET',
    path: '/v1/crawls',
    scope: 'viewer',
    family,
    summary: 'List crawls in the order of their creation',
    query: z.strictObject({
      tag: z.array(tag).max(10).default([]).describe('Only crawls that have all of these tags'),
      state: z.array(z.enum(crawlStates)).default([]).describe('Only crawls in one of these states'),
      ...paging,
    }),
    answer: { kind: 'json', status: 200, schema: pageOf(crawlEntry) },
  }),
  createCrawl: route({
    method: 'POST',
    path: '/v1/crawls',
    scope: 'operator',
    family,
    summary: 'Create a crawl from a job and start it',
    body: z.strictObject({
      job: jobInput,
      tags: tags.default([]),
    }),
    yamlField: 'job',
    idempotent: true,
    refusals: ['quota', 'not-found'],
    answer: { kind: 'json', status: 201, schema: crawlDetail },
  }),
  getCrawl: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}',
    scope: 'viewer',
    family,
    summary: 'Show a crawl with its job and progress',
    params,
    answer: { kind: 'json', status: 200, schema: crawlDetail },
  }),
  pauseCrawl: route({
    method: 'POST',
    path: '/v1/crawls/{crawl}/pause',
    scope: 'operator',
    family,
    summary: 'Pause a crawl: nothing new is fetched until it is resumed',
    params,
    answer: steered,
  }),
  resumeCrawl: route({
    method: 'POST',
    path: '/v1/crawls/{crawl}/resume',
    scope: 'operator',
    family,
    summary: 'Resume a crawl that was paused, stopped, is over or failed',
    params,
    query: z.strictObject({
      paused: z
        .boolean()
        .default(false)
        .describe('Open a crawl that was stopped or is over as paused. A crawl that is open stays as it is'),
    }),
    refusals: ['quota'],
    answer: steered,
  }),
  stopCrawl: route({
    method: 'POST',
    path: '/v1/crawls/{crawl}/stop',
    scope: 'operator',
    family,
    summary: 'Stop a crawl: it finishes what is in flight and writes its outputs',
    params,
    answer: steered,
  }),
  editCrawl: route({
    method: 'PATCH',
    path: '/v1/crawls/{crawl}',
    scope: 'operator',
    family,
    summary: 'Change limits, pace, scope or tags of a crawl, also while it runs',
    params,
    body: z.strictObject({
      changes: z
        .record(z.string(), z.unknown())
        .default({})
        .describe('Merged into the job (RFC 7396): null removes a setting'),
      rescope: z
        .boolean()
        .default(false)
        .describe(
          'Accept another scope: queued URLs outside it become refused(scope), known ones inside it are queued again',
        ),
      tags: tags.optional().describe('In place of the tags it has'),
      version: z
        .int()
        .optional()
        .describe('Only if the crawl still has this version; else nothing changes and the answer is 409'),
    }),
    answer: { kind: 'json', status: 200, schema: crawlDetail },
  }),
  listEdits: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/edits',
    scope: 'viewer',
    family,
    summary:
      'Show who changed the job of a crawl, when, from what to what, and what a new scope did to its URLs',
    params,
    answer: {
      kind: 'json',
      status: 200,
      schema: z.object({
        items: z.array(crawlEdit).describe('The oldest first'),
        earlier: count.describe('Edits before those; the latest 200 are kept'),
      }),
    },
  }),
  getHistory: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/history',
    scope: 'viewer',
    family,
    summary:
      'Show how the counts of a crawl went since it began: close together lately, farther apart long ago',
    params,
    query: z.strictObject({
      sinceMs: z
        .int()
        .min(0)
        .default(0)
        .describe('Only samples from this moment on, in milliseconds since 1970'),
    }),
    answer: {
      kind: 'json',
      status: 200,
      schema: z.object({
        stepMs: z.int().describe('Between two samples of the latest 16 minutes; doubled with the age'),
        items: z.array(countSample).describe('The oldest first, about 600 at most'),
      }),
    },
  }),
  deleteCrawl: route({
    method: 'DELETE',
    path: '/v1/crawls/{crawl}',
    scope: 'operator',
    family,
    summary: 'Delete a crawl and everything that is kept of it',
    params,
    answer: { kind: 'none' },
  }),
};
