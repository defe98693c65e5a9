import { z } from 'zod';
import { crawlParams as params } from './crawls.ts';
import { route } from './route.ts';

const family = 'results';
const count = z.int().min(0);

/** How far a survey of the results has come, and what it covers. */
const survey = {
  id: z.string().describe('Pass it to ask about the same survey'),
  atMs: z.int().describe('When it was begun'),
  ready: z.boolean().describe('False: repeat the request with `id`; each one works on it for a moment'),
  read: count.describe('Outcomes that were read so far'),
  absent: count.describe('Results in files that this coordinator does not have at hand: not in the figures'),
  balance: z
    .object({ known: count, queued: count, leased: count, done: count, failed: count, refused: count })
    .describe('What the crawl itself had counted when it was begun'),
};

const surveyQuery = {
  id: z
    .string()
    .max(100)
    .default('')
    .describe(
      '`id` of the answer before; where it is not known, the answer is about a survey that has its own `id`',
    ),
};

const sums = { urls: count, pages: count.describe('Answered with content'), bytes: count };

const table = z
  .object({
    keys: count.describe('Different ones that were counted one by one'),
    rows: z
      .array(z.object({ key: z.string(), ...sums }))
      .describe('The first by URLs, with those that are first by bytes'),
    others: z.object(sums).describe('All rows that are not listed'),
    without: count.describe('URLs of which this is not known: rows, others and these are all URLs'),
  })
  .meta({ id: 'StatisticsTable' });
export type StatisticsTable = z.infer<typeof table>;

const distribution = z
  .object({
    urls: count,
    steps: z
      .array(z.object({ above: z.number(), upTo: z.number().optional(), urls: count }))
      .describe('Edges are exact to 2.5 %'),
    quantiles: z
      .object({ p5: z.number(), p25: z.number(), p50: z.number(), p75: z.number(), p95: z.number() })
      .describe('Within 2.5 %'),
  })
  .meta({ id: 'StatisticsDistribution' });
export type StatisticsDistribution = z.infer<typeof distribution>;

const host = z
  .object({ host: z.string(), ...sums, failed: count, answers: count, meanMs: z.number().min(0) })
  .meta({ id: 'StatisticsHost' });
export type StatisticsHost = z.infer<typeof host>;

const statistics = z
  .object({
    totals: z.object({
      ...sums,
      answers: count.describe('Of any status'),
      hosts: count,
      sites: count,
      contents: count.describe('Different ones, by their digests'),
      duplicates: count.describe('Pages with the content of another'),
      estimated: z.boolean().describe('Hosts, sites, contents and duplicates are within 0.8 %'),
      firstMs: z.int().optional().describe('First request that was answered'),
      lastMs: z.int().optional().describe('Last answer'),
    }),
    verdicts: z.object({ done: count, failed: count, refused: count }).describe('All URLs'),
    classes: z
      .object({ '1xx': count, '2xx': count, '3xx': count, '4xx': count, '5xx': count, none: count })
      .describe('All URLs by their status; none: without an answer'),
    outcomes: z.array(z.object({ verdict: z.string(), reason: z.string(), urls: count, bytes: count })),
    tables: z.object({
      status: table,
      types: table.describe('By what the bytes look like'),
      languages: table,
      charsets: table,
      servers: table,
      tls: table,
      kinds: table,
      depths: table.describe('Links from a seed'),
    }),
    sizes: distribution.describe('Bytes of bodies on the wire'),
    times: distribution.describe('Milliseconds from the request to the last byte'),
    hosts: z.object({
      largest: z.array(host),
      slowest: z.array(host).describe('By the mean time of their answers'),
      failing: z.array(host).describe('By URLs that failed'),
      uncounted: count.describe('URLs of hosts beyond the first 20,000, which are not in these lists'),
    }),
  })
  .meta({ id: 'CrawlStatistics' });
export type CrawlStatistics = z.infer<typeof statistics>;

const statisticsSurvey = z
  .object({ ...survey, statistics: statistics.optional().describe('Absent until it is ready') })
  .meta({ id: 'StatisticsSurvey' });
export type ShownStatistics = z.infer<typeof statisticsSurvey>;

const hostNode = z
  .object({
    host: z.string(),
    crawled: z.boolean().describe('The crawl has settled URLs of it; others are only linked to'),
    urls: count.describe('Settled'),
    pages: count.describe('Answered with content'),
    linksIn: count.describe('Links on pages of other hosts that lead here'),
    linksOut: count,
    hostsIn: count.describe('Hosts that link here'),
    hostsOut: count,
    group: count.describe('Hosts of one group link to each other more than to others'),
  })
  .meta({ id: 'HostGraphNode' });
export type HostGraphNode = z.infer<typeof hostNode>;

const hostGraph = z
  .object({
    hosts: z.array(hostNode).describe('Those that were crawled, then those that most links lead to'),
    links: z
      .array(z.tuple([count, count, count]))
      .describe(
        '`[from, to, links]`: places in the list of hosts, and how many links lead from one to the other',
      ),
    totals: z
      .object({ hosts: count, crawled: count, links: count, pairs: count })
      .describe('Of all hosts that were counted, listed or not'),
    uncounted: z
      .object({ urls: count, links: count })
      .describe('Of hosts beyond the first 30,000, and 30,000 more that were crawled'),
  })
  .meta({ id: 'HostGraph' });
export type HostGraph = z.infer<typeof hostGraph>;

const hostGraphSurvey = z
  .object({ ...survey, graph: hostGraph.optional().describe('Absent until it is ready') })
  .meta({ id: 'HostGraphSurvey' });
export type ShownHostGraph = z.infer<typeof hostGraphSurvey>;

export const surveyRoutes = {
  getStatistics: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/statistics',
    scope: 'viewer',
    family,
    summary: 'Count what a crawl fetched: statuses, types, sizes, times, hosts; repeat it until it is ready',
    params,
    query: z.strictObject(surveyQuery),
    refusals: ['cursor-stale'],
    answer: { kind: 'json', status: 200, schema: statisticsSurvey },
  }),
  getHostGraph: route({
    method: 'GET',
    path: '/v1/crawls/{crawl}/host-graph',
    scope: 'viewer',
    family,
    summary: 'Map the hosts of a crawl and the links between them; repeat it until it is ready',
    params,
    query: z.strictObject({
      ...surveyQuery,
      limit: z.coerce.number().int().min(1).max(1_000).default(300).describe('Hosts to list'),
    }),
    refusals: ['cursor-stale'],
    answer: { kind: 'json', status: 200, schema: hostGraphSurvey },
  }),
};
