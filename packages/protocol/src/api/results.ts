import { z } from 'zod';
import { crawlStates } from '../crawl/record.ts';
import { durationPattern, parseDuration } from '../job/units.ts';
import { crawlName, recordFilter } from './crawls.ts';
import { pageOf, paging, route } from './route.ts';
import { streamedEntry } from './stream.ts';

const family = 'results';
const longestWaitMs = 60_000;

const params = z.strictObject({ crawl: crawlName });
const token = z.string().max(20_000).describe('Opaque: where a reader of results stands');
const consumerName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/)
  .describe('Letters, digits, dots, dashes and underscores, at most 100');

const wait = z
  .string()
  .regex(durationPattern)
  .refine((text) => (parseDuration(text) ?? Number.POSITIVE_INFINITY) <= longestWaitMs, 'at most 60s')
  .default('0s')
  .describe('How long to wait for the first outcome where there is none yet: 30s');

const reading = {
  params,
  refusals: ['cursor-stale'],
  query: z.strictObject({
    after: token.optional().describe('Only what comes behind this token; absent: from the start'),
    consumer: consumerName
      .optional()
      .describe('Begin behind what the consumer of this name has acknowledged last, instead of `after`'),
    wait,
    limit: z
      .int()
      .min(1)
      .max(1_000_000_000)
      .optional()
      .describe('The most outcomes to answer; absent: as many as there are'),
    ...recordFilter.shape,
  }),
} as const;

/** The last line of every answer, also where nothing was found. */
const bookmark = z
  .object({
    kind: z.literal('bookmark'),
    token: token.describe('Behind everything that was looked at'),
    more: z.boolean().describe('There is more already'),
    state: z.enum(crawlStates),
    over: z.boolean().describe('The crawl is over, and everything of it was read'),
    absent: z.int().optional().describe('Results in files that this coordinator does not have at hand'),
  })
  .meta({ id: 'ResultsBookmark' });

const withToken = { token: token.optional().describe('On the last line of an outcome: behind it') };
const [record, item, links] = streamedEntry.options;
const lineOf = <T extends z.ZodObject>(entry: T, id: string) =>
  z.union([entry.extend(withToken).meta({ id }), bookmark]);

const consumer = z
  .object({
    name: consumerName,
    token: token.describe('Behind the last result that it has acknowledged'),
    acknowledgedAtMs: z.int(),
  })
  .meta({ id: 'Consumer' });
const consumerParams = z.strictObject({ crawl: crawlName, consumer: consumerName });

const file = z
  .object({
    path: z.string().describe('Below the folder of the crawl'),
    bytes: z.int(),
    changedAtMs: z.int(),
  })
  .meta({ id: 'ArchiveFile' });

const fileParams = z.strictObject({
  crawl: crawlName,
  file: z.string().min(1).max(4_000).describe('A path as listed, with %2F for each slash'),
});

const archiveCheck = z
  .object({
    bytes: z.int().describe('Of the file'),
    records: z.int().describe('That this step has read'),
    digests: z.int().describe('That were recomputed and found right'),
    soundUntil: z.int().describe('Everything before this byte was read and has its form'),
    problems: z
      .array(z.object({ offset: z.int(), text: z.string(), torn: z.boolean() }))
      .describe('At most 20; `torn`: the file ends within a record, as one does that is still being written'),
    next: z.int().optional().describe('There is more: pass it as `from` to continue'),
  })
  .meta({ id: 'ArchiveCheck' });
export type ArchiveCheck = z.infer<typeof archiveCheck>;

export const resultRoutes = {
  readResults: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/results',
    scope: 'viewer',
    family,
    summary: 'Read what became of each URL as a log, one outcome a line',
    ...reading,
    answer: { kind: 'ndjson', item: lineOf(record, 'ResultLine') },
  }),
  readItems: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/items',
    scope: 'viewer',
    family,
    summary: 'Read what scrapers returned as a log, one item a line',
    ...reading,
    answer: { kind: 'ndjson', item: lineOf(item, 'ItemLine') },
  }),
  readLinks: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/links',
    scope: 'viewer',
    family,
    summary: 'Read the links of pages as a log, one page a line',
    ...reading,
    answer: { kind: 'ndjson', item: lineOf(links, 'LinksLine') },
  }),
  listConsumers: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/consumers',
    scope: 'viewer',
    family,
    summary: 'List the programs whose position in the results the coordinator keeps',
    params,
    answer: { kind: 'json', status: 200, schema: z.object({ items: z.array(consumer) }) },
  }),
  acknowledgeResults: route({
    method: 'POST',
    path: '/v1/crawls/{crawl}/consumers/{consumer}',
    scope: 'operator',
    family,
    summary: 'Acknowledge results: the consumer continues behind this token',
    params: consumerParams,
    body: z.strictObject({ token: token.min(1) }),
    refusals: ['cursor-stale'],
    answer: { kind: 'json', status: 200, schema: consumer },
  }),
  deleteConsumer: route({
    method: 'DELETE',
    path: '/v1/crawls/{crawl}/consumers/{consumer}',
    scope: 'operator',
    family,
    summary: 'Forget the position of a consumer',
    params: consumerParams,
    answer: { kind: 'none' },
  }),
  listFiles: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/files',
    scope: 'viewer',
    family,
    summary: 'List the archive files and outputs of a crawl that are on this coordinator',
    params,
    query: z.strictObject({ ...paging, after: z.string().max(4_000).default('') }),
    answer: { kind: 'json', status: 200, schema: pageOf(file) },
  }),
  downloadFile: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/files/{file}',
    scope: 'viewer',
    family,
    summary: 'Download a file of a crawl, or a range of it',
    params: fileParams,
    answer: { kind: 'bytes', type: 'application/octet-stream' },
  }),
  checkFile: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/files/{file}/check',
    scope: 'viewer',
    family,
    summary: 'Check records and digests of a WARC file, about 16 MiB of it at a time; repeat it with `next`',
    params: fileParams,
    query: z.strictObject({
      from: z.int().min(0).max(Number.MAX_SAFE_INTEGER).default(0).describe('The offset of a record'),
    }),
    answer: { kind: 'json', status: 200, schema: archiveCheck },
  }),
  readCapture: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/files/{file}/body',
    scope: 'viewer',
    family,
    summary: 'Read the body of one capture in a WARC file, decoded, its first 16 MiB',
    params: fileParams,
    query: z.strictObject({
      offset: z
        .int()
        .min(0)
        .max(Number.MAX_SAFE_INTEGER)
        .describe('Where its record begins: as `saved` has it'),
    }),
    answer: { kind: 'bytes', type: 'application/octet-stream' },
  }),
};
