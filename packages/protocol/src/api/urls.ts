import { z } from 'zod';
import { entryKinds } from '../base/entry.ts';
import { failedReasons, waitReasons } from '../base/reasons.ts';
import { crawlParams as params, outcomeReasons, recordFilter } from './crawls.ts';
import { pageOf, paging, route } from './route.ts';

const family = 'urls';
const count = z.int().min(0);

/** Conditions that hold for a URL in any state. */
const place = {
  host: z.string().min(1).max(300).optional(),
  site: z.string().min(1).max(300).optional().describe('A registered domain, with all of its hosts'),
  prefix: z
    .string()
    .max(2083)
    .regex(/^https?:\/\//)
    .optional()
    .describe('What the URL begins with, such as https://example.org/shop/'),
  depth: z.int().min(0).max(1_000_000).optional().describe('Links followed from a seed'),
};

const searched = {
  searched: count.describe('URLs that were looked at for this answer'),
};
const step = {
  ...searched,
  next: z.string().optional().describe('Not all URLs were searched yet: pass it as `after` to continue'),
};
const after = z.string().max(500).default('').describe('`next` of the answer before; empty at first');

const knownUrl = z
  .object({
    url: z.string().describe('Behind a request other than GET, # and its method and digest'),
    method: z.string().optional().describe('Absent: GET'),
    state: z.enum(['queued', 'leased', 'done', 'failed', 'refused']),
    kind: z.enum(entryKinds),
    depth: count.describe('Links followed from a seed'),
    attempts: count.describe('Tries so far'),
    label: z.string().optional(),
    referrer: z.string().optional().describe('The page on which it was first found'),
    reason: z.string().optional().describe('From the closed tables in docs/reasons.md'),
    detail: z.string().optional().describe('What decided: a robots.txt line, an error'),
    status: z.int().optional().describe('The last HTTP status'),
    bytes: count.optional(),
    startedAtMs: z.number().optional(),
  })
  .meta({ id: 'KnownUrl' });
export type ShownUrl = z.infer<typeof knownUrl>;

const explanation = z
  .object({
    url: z.string(),
    state: z.enum(['out-of-scope', 'unknown', 'queued', 'in-flight', 'done', 'failed', 'refused']),
    code: z.string().optional().describe('The reason, from the closed tables in docs/reasons.md'),
    rule: z.string().optional().describe('What decided: a robots.txt line, a pattern, an HTTP status'),
    lines: z.array(z.string()).describe('The same in sentences'),
  })
  .meta({ id: 'Explanation' });

const given = z
  .string()
  .min(1)
  .max(8192)
  .describe("As a person writes it: the crawl's own rules make it plain");
const only = { url: given.optional().describe('This URL alone, as the list of URLs has it') };

const link = {
  rel: z.string().describe('Where it stood: a, img, link:canonical, redirect, sitemap'),
  nofollow: z.boolean().optional(),
  text: z.string().optional().describe('Anchor text, at most 200 characters'),
};
const linkTo = z.object({ to: z.string(), ...link });
const linkFrom = z.object({ from: z.string(), ...link }).meta({ id: 'LinkFrom' });

const namesOf = <T extends object>(table: T) => Object.keys(table) as [keyof T & string];

const urlDocument = z
  .object({
    url: z.string(),
    state: z.enum(['unknown', 'queued', 'leased', 'done', 'failed', 'refused']),
    known: knownUrl.optional().describe('Absent: the crawl does not know the URL'),
    record: z
      .record(z.string(), z.unknown())
      .optional()
      .describe('The whole outcome, as in the results; absent while there is none'),
    foundAtMs: z
      .number()
      .optional()
      .describe(
        'When the page that it was found on had been fetched; absent for seeds, and where that is not recorded',
      ),
    queue: z
      .object({
        host: z.string(),
        ahead: count.describe('URLs of the host that come first'),
        queued: count.describe('URLs of the host that wait, this one included'),
        dueInMs: z.number().describe('Until the host may be asked again'),
        why: z.enum(namesOf(waitReasons)),
        dead: z.boolean().describe('The host is given up'),
        reason: z.enum(namesOf(failedReasons)).optional().describe('What went wrong last on the host'),
        detail: z.string().optional(),
      })
      .optional()
      .describe('Of a URL that waits'),
    lease: z
      .object({ worker: z.string(), forMs: z.number() })
      .optional()
      .describe('Of a URL that is being fetched: by which worker, and for how long'),
    robots: z
      .object({
        allowed: z.boolean(),
        rule: z.string().optional().describe('The line that decided, in words'),
        line: z.int().optional(),
        crawlDelayMs: z.number().optional(),
      })
      .optional()
      .describe('What robots.txt says about it now; absent where the crawl has not read one'),
    links: z.object({ total: count, first: z.array(linkTo).describe('At most 500') }),
    items: z.object({ total: count, first: z.array(z.unknown()).describe('At most 20') }),
  })
  .meta({ id: 'UrlDocument' });
export type UrlDocument = z.infer<typeof urlDocument>;
export type LinkFrom = z.infer<typeof linkFrom>;

const forgottenHost = z
  .object({
    pattern: z.string().describe('The host, or *. and the domain'),
    urls: count.describe('URLs that went, or would go'),
    captures: count,
    bytes: count.describe('Of these captures in the archive'),
    complete: z
      .boolean()
      .describe(
        'Nothing of the host is left here, in object storage and in the folders of other coordinators',
      ),
    left: z.array(z.string()).describe('What could not be deleted from here, and what to do about it'),
  })
  .meta({ id: 'ForgottenHost' });

const tombstone = z
  .object({
    pattern: z.string(),
    sinceMs: z.number().describe('When it was asked for, in milliseconds since 1970'),
    elsewhere: z
      .record(z.string(), count)
      .optional()
      .describe('Captures in folders that could not be reached, by the member whose folder it is'),
    done: z
      .object({ urls: count, captures: count, atMs: z.number() })
      .optional()
      .describe('Absent: something may still be there'),
  })
  .meta({ id: 'Tombstone' });

const scopePreview = z
  .object({
    dropped: count.describe('Queued URLs that the new scope leaves out: an edit makes them refused(scope)'),
    rules: z
      .array(
        z.object({
          reason: z.string().describe('From the closed tables in docs/reasons.md'),
          rule: z.string().describe('The setting and pattern that decide, at most 300 characters'),
          urls: count,
          examples: z.array(z.string()).describe('At most 3'),
        }),
      )
      .describe('What of `dropped` is left out by which rule; at most 40'),
    otherRules: count.describe('What of `dropped` is left out by rules that are not listed'),
    restored: count.describe('URLs that an earlier scope refused and that an edit queues again'),
    restoredExamples: z.array(z.string()).describe('At most 3'),
    looked: z
      .object({ queued: count, refused: count })
      .describe(
        'URLs that were judged for this answer: all that are queued, then those that an earlier scope refused',
      ),
    next: step.next,
  })
  .meta({ id: 'ScopePreview', description: 'What was found by this request: add up the answers' });
export type ScopePreview = z.infer<typeof scopePreview>;

export const urlRoutes = {
  listUrls: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/urls',
    scope: 'viewer',
    family,
    summary: 'Search the known URLs of a crawl; a page may be short, or empty, before the last one',
    params,
    query: z.strictObject({
      state: z.enum(['queued', 'leased', 'done', 'failed', 'refused']).optional(),
      reason: z.enum(outcomeReasons).optional().describe('From the closed tables in docs/reasons.md'),
      status: recordFilter.shape.status,
      ...place,
      ...paging,
    }),
    refusals: ['conflict'],
    answer: { kind: 'json', status: 200, schema: pageOf(knownUrl).extend(searched) },
  }),
  explainUrl: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/explain',
    scope: 'viewer',
    family,
    summary: 'Explain what became of a URL, or why it was not fetched',
    params,
    query: z.strictObject({ url: given }),
    refusals: ['conflict'],
    answer: { kind: 'json', status: 200, schema: explanation },
  }),
  getUrl: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/url',
    scope: 'viewer',
    family,
    summary: 'Read everything that is recorded about one URL: outcome, queue, robots.txt, links, items',
    params,
    query: z.strictObject({ url: given }),
    refusals: ['conflict'],
    answer: { kind: 'json', status: 200, schema: urlDocument },
  }),
  findLinksTo: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/links-to',
    scope: 'viewer',
    family,
    summary: 'Search the links of pages for those to one URL; repeat it with `next`',
    params,
    query: z.strictObject({
      url: given,
      after: z.string().max(20_000).default('').describe('`next` of the answer before; empty at first'),
    }),
    refusals: ['conflict', 'cursor-stale'],
    answer: {
      kind: 'json',
      status: 200,
      schema: pageOf(linkFrom).extend({ searched: count.describe('Pages whose links were looked at') }),
    },
  }),
  retryUrls: route({
    method: 'POST',
    path: '/v1/crawls/{crawl}/retry',
    scope: 'operator',
    family,
    summary: 'Queue settled URLs again, with fresh tries; on a long list repeat it with `next`',
    params,
    body: recordFilter.extend({ ...place, ...only, after }),
    answer: { kind: 'json', status: 200, schema: z.object({ queued: count, ...step }) },
  }),
  dropUrls: route({
    method: 'POST',
    path: '/v1/crawls/{crawl}/drop',
    scope: 'operator',
    family,
    summary: 'Take URLs from the queue, as refused(dropped); on a long list repeat it with `next`',
    params,
    body: z.strictObject({ ...place, ...only, after }),
    answer: { kind: 'json', status: 200, schema: z.object({ dropped: count, ...step }) },
  }),
  forgetHost: route({
    method: 'POST',
    path: '/v1/crawls/{crawl}/forget',
    scope: 'operator',
    family,
    summary: 'Delete everything of a host from a crawl that was stopped or is over, and bar the host from it',
    params,
    body: z.strictObject({
      host: z.string().min(1).max(300).describe('A host name without scheme, port and path'),
      subdomains: z.boolean().default(false).describe('Also every host below it'),
      dryRun: z
        .boolean()
        .default(false)
        .describe('Only count what would be deleted, also while the crawl runs'),
      gone: z
        .array(z.string().min(1).max(300))
        .max(1_000)
        .default([])
        .describe('Members, as `left` names them, whose folders were deleted since: they count as done'),
    }),
    refusals: ['conflict'],
    answer: { kind: 'json', status: 200, schema: forgottenHost },
  }),
  listForgotten: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/forgotten',
    scope: 'viewer',
    family,
    summary: 'List the hosts that were deleted from a crawl on request, and whether all of each is gone',
    params,
    answer: { kind: 'json', status: 200, schema: z.object({ items: z.array(tombstone) }) },
  }),
  previewScope: route({
    method: 'POST',
    path: '/v1/crawls/{crawl}/scope-preview',
    scope: 'operator',
    family,
    summary:
      'Show what another scope would do to the URLs of a crawl, changing nothing; repeat it with `next`',
    params,
    changesNothing: true,
    body: z.strictObject({
      changes: z
        .record(z.string(), z.unknown())
        .default({})
        .describe(
          'As an edit of the crawl takes them: merged into the job (RFC 7396), null removes a setting',
        ),
      version: z
        .int()
        .optional()
        .describe('Only if the crawl still has this version; else the answer is 409'),
      after: z.string().max(501).default('').describe('`next` of the answer before, with the same changes'),
    }),
    refusals: ['conflict', 'cursor-stale'],
    answer: { kind: 'json', status: 200, schema: scopePreview },
  }),
  relinkUrls: route({
    method: 'POST',
    path: '/v1/crawls/{crawl}/relink',
    scope: 'operator',
    family,
    summary: 'Queue links of fetched pages that an earlier scope left out; repeat it with `next`',
    params,
    body: z.strictObject({
      after: z.string().max(16_384).default('').describe('`next` of the answer before'),
    }),
    answer: { kind: 'json', status: 200, schema: z.object({ queued: count, ...step }) },
  }),
};
