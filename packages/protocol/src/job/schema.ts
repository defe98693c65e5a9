import { z } from 'zod';
import { bands } from '../base/entry.ts';
import { orders, stays } from '../url/rules.ts';
import { durabilities, typesSaved } from './job.ts';
import { mirror, pdf, renderChoice, retention, saveChoice, scraperChoice, screenshots } from './choices.ts';
import { extractRules, itemKey } from './extract-rule.ts';
import { loginRule } from './login-rule.ts';
import { stepRules } from './steps.ts';
import {
  budget,
  count,
  countOrNone,
  defaultPerAddress,
  directoryOrigin,
  duration,
  durationOrNone,
  fileType,
  headerName,
  headerValue,
  hostMatch,
  hostName,
  hostWithPort,
  httpUrl,
  none,
  orNone,
  port,
  privateAllowance,
  proxyUse,
  resolverAddress,
  size,
  sizeOrNone,
  storeUrl,
  teamName,
  typePattern,
  urlCost,
  urlPattern,
} from './values.ts';

/** What a person may write. Words, defaults and descriptions live here only; docs and editor help come from it. */
const seed = z
  .union(
    [
      z.string().min(1),
      z.strictObject({
        file: z.string().min(1).describe('A text file with one URL per line; # begins a comment'),
      }),
      z.strictObject({ sitemap: httpUrl.describe('A sitemap or sitemap index whose URLs are seeds') }),
    ],
    { error: 'a seed is a URL, { file: seeds.txt } or { sitemap: https://… }' },
  )
  .describe('A URL, { file: … } or { sitemap: … }. A bare example.org means https, or http where that fails');

const scope = z.strictObject({
  stay: z
    .enum(stays)
    .prefault('site')
    .describe(
      "How far links are followed, seen from the seeds: below the seed's path, on its host (www or not), on its registered domain, or anywhere",
    ),
  include: z
    .array(urlPattern)
    .prefault([])
    .describe('If given, only URLs that match one of these patterns are followed'),
  exclude: z
    .array(urlPattern)
    .prefault([])
    .describe('URLs that match one of these patterns are not followed'),
  requisites: z
    .boolean()
    .optional()
    .describe(
      'Also fetch images, style sheets and scripts of in-scope pages, from any host; false, but true with mirror',
    ),
});

const store = z.union(
  [
    storeUrl,
    z.strictObject({
      url: storeUrl.describe(
        'redis://[user:password@]host:port[,host:port…]; rediss:// for TLS, redis+sentinel://host:port/NAME, unix:///path for a socket',
      ),
      durability: z
        .enum(durabilities)
        .prefault('strict')
        .describe(
          'strict: acknowledged once every replica has it; available: a failover may lose the latest',
        ),
      insecure: z
        .boolean()
        .prefault(false)
        .describe('Accept a store on another machine that requires no password'),
      backlog: z
        .int()
        .min(1)
        .max(1_000_000)
        .optional()
        .describe(
          'Results of a group of hosts that stay in the store (500); more are written to files in the folder',
        ),
    }),
  ],
  { error: 'a store is redis://host:6379, several nodes by commas; rediss:// for TLS' },
);

const urlRule = z
  .strictObject({
    match: urlPattern.optional().describe('The URLs this rule is for'),
    unless: urlPattern.optional().describe('The rule is for all URLs but these'),
    cost: urlCost.optional(),
    priority: z
      .int()
      .min(1)
      .max(bands.length + 1)
      .optional()
      .describe('From 1, fetched first, to 8; with order: best-first. Without it the cost decides'),
  })
  .refine((rule) => rule.match === undefined || rule.unless === undefined, {
    error: 'a rule has match or unless, not both',
  })
  .refine((rule) => rule.cost !== undefined || rule.priority !== undefined, {
    error: 'a rule needs cost or priority',
  });

/** Of the labels of a job, and of the patterns of each. */
const mostLabels = 100;
const labels = z
  .record(
    z.string().min(1).max(100),
    z.union([urlPattern, z.array(urlPattern).min(1).max(mostLabels)], {
      error: "expected a glob such as '/p/*', { regex: '…' }, or a list of these",
    }),
  )
  .refine((all) => Object.keys(all).length <= mostLabels, { error: `at most ${mostLabels} labels` });

const normalise = z.strictObject({
  enabled: z
    .boolean()
    .prefault(true)
    .describe('Treat spellings of a URL as one: percent-escapes, order of the query, session parameters'),
  sort: z.boolean().prefault(true).describe('Order query parameters by name'),
  strip: z
    .array(z.string().min(1))
    .prefault(['PHPSESSID', 'JSESSIONID', 'sid', 'utm_*'])
    .describe('Query and path parameters to drop, whatever their case; * stands for anything'),
});

const limits = z.strictObject({
  pages: orNone(count, countOrNone).prefault(5000).describe('Pages done; the crawl then stops as limited'),
  bytes: orNone(size, sizeOrNone).prefault('20GB').describe('Bytes of bodies received'),
  duration: orNone(duration, durationOrNone)
    .prefault('12h')
    .describe('Time spent running, over all sessions'),
  depth: orNone(count, countOrNone).prefault(20).describe('Links followed from a seed'),
  cost: orNone(z.number().min(0), `expected a number, or ${none}`)
    .prefault(10)
    .describe('A link that costs more by urlRules is not followed'),
  perHost: budget({ pages: 2000 }).describe('Budget of each host'),
  perSite: budget({ pages: 4000 }).describe('Budget of each registered domain'),
  minFree: size
    .prefault('500MB')
    .describe('Free disk space below which the crawl pauses until there is more'),
});

const hostTreatment = z.strictObject({
  match: hostMatch.describe(
    'A host name, *.example.org for example.org and every host below it, or * for all',
  ),
  gap: duration.optional().describe('Pause between two requests there, in place of politeness.gap'),
  connections: z
    .int()
    .min(1)
    .max(64)
    .optional()
    .describe('Requests in flight there, in place of perHost; more than 1 only on hosts among ownHosts'),
  block: z.boolean().prefault(false).describe('Request nothing there: refused(blocked)'),
});

const politeness = z.strictObject({
  gap: duration
    .prefault('1s')
    .describe(
      'Pause on a host from the end of one request to the start of the next; longer if the host asks',
    ),
  perHost: z
    .int()
    .min(1)
    .max(64)
    .prefault(1)
    .describe('Requests in flight on each of ownHosts; 1 everywhere else'),
  ownHosts: z.array(hostWithPort).prefault([]).describe('Hosts you own, for which perHost holds'),
  perAddress: z
    .int()
    .min(1)
    .max(10_000)
    .prefault(defaultPerAddress)
    .describe(
      'Requests in flight on one public IP address from one worker process, whatever the host names; others wait',
    ),
  slowFactor: z
    .number()
    .min(0)
    .max(100)
    .prefault(3)
    .describe('The pause is at least this many times what the host took to answer'),
  crawlDelayMax: duration
    .prefault('60s')
    .describe('A host whose crawl-delay is longer is not crawled: refused(crawl-delay)'),
  retryAfterMax: duration.prefault('24h').describe('The longest Retry-After that is waited for'),
  connections: z
    .int()
    .min(1)
    .max(10_000)
    .prefault(100)
    .describe('Hosts that one process fetches from at once'),
  hosts: z
    .array(hostTreatment)
    .prefault([])
    .describe('Hosts to treat otherwise; of several that fit, the most specific holds'),
});

const robots = z.strictObject({
  obey: z.boolean().prefault(true).describe('Obey robots.txt; false only together with ignoreFor'),
  ignoreFor: z.array(hostName).prefault([]).describe('Hosts you own whose robots.txt is not obeyed'),
  sitemaps: z.boolean().prefault(true).describe('Read the sitemaps that robots.txt names'),
  giveUpAfter: duration
    .prefault('10m')
    .describe('Time after which an unreadable robots.txt refuses its host: refused(robots-unreachable)'),
  maxAge: duration.prefault('24h').describe('Age at which robots.txt is read again; 24h at most'),
});

const retries = z.strictObject({
  count: z.int().min(0).max(100).prefault(3).describe('Tries after the first'),
  backoff: duration
    .prefault('10s')
    .describe("Pause after a host's first trouble, doubled each round up to 1h"),
  deadAfter: z
    .int()
    .min(1)
    .max(100)
    .prefault(5)
    .describe('Rounds of trouble in a row after which a host is dead: failed(host-dead)'),
  poisonAfter: z
    .int()
    .min(1)
    .max(35)
    .prefault(3)
    .describe('Worker deaths while fetching a URL after which it is given up: failed(poison)'),
});

const types = z.strictObject({
  save: z
    .array(typePattern)
    .min(1)
    .prefault(typesSaved)
    .describe('Content types to read and save; others are refused(type) before their body is read'),
  ignore: z.array(typePattern).prefault(['video/*']).describe('Exceptions to save'),
});

const proxyRule = z
  .strictObject({
    match: urlPattern.optional().describe('The URLs this rule is for'),
    unless: urlPattern.optional().describe('The rule is for all URLs but these'),
    use: proxyUse,
  })
  .refine((rule) => rule.match === undefined || rule.unless === undefined, {
    error: 'a rule has match or unless, not both',
  });

const fetch = z.strictObject({
  timeout: duration.prefault('30s').describe('For a whole request, from name look-up to the last byte'),
  maxBody: size.prefault('10MB').describe('A longer body is cut there and marked as truncated'),
  maxDecoded: size.prefault('50MB').describe('The same after content encodings (gzip, br, …) are undone'),
  redirects: z.int().min(0).max(50).prefault(10).describe('Redirects in a row that are followed'),
  retries: retries.prefault({}).describe('What happens when a request fails'),
  types: types.prefault({}).describe('Which content types are kept'),
  userAgent: headerValue
    .min(1)
    .prefault('webfarer/{version} (+{contact})')
    .describe('Sent with each request; the word before / is looked up in robots.txt'),
  headers: z
    .record(headerName, headerValue)
    .prefault({})
    .describe(
      'Extra request headers, sent to the sites of the seeds; Host, Cookie, Authorization and those of the connection are not for here',
    ),
  proxy: z
    .array(proxyRule)
    .prefault([{ use: 'direct' }])
    .describe('First match wins; no match means direct'),
  allowPrivate: z
    .array(privateAllowance)
    .prefault([])
    .describe(
      'What may have a private address: a host with port (localhost:3000), an origin (http://localhost:3000) or a range (10.0.0.0/8)',
    ),
  cookies: z
    .union([z.boolean(), z.string().min(1)], { error: 'cookies is true, false or the name of a cookies.txt' })
    .prefault(true)
    .describe(
      'Keep cookies, in a jar per crawl with room for 300 of a site and 4,000 in all, those of the sites asked last; the name of a cookies.txt (Netscape format) fills it first',
    ),
  handlerTimeout: duration.prefault('5m').describe("Longest time a scraper's own code may take for one page"),
  ports: z
    .union([z.literal('safe'), z.array(port).min(1)], { error: 'ports is safe or a list of port numbers' })
    .prefault('safe')
    .describe('Ports that may be contacted; safe means all but those of other services, such as 22 or 25'),
  dns: z.array(resolverAddress).prefault([]).describe('DNS servers to use; by default those of the system'),
  ca: z.string().min(1).optional().describe('A PEM file with additional certificate authorities to trust'),
});

const identity = z.strictObject({
  directory: directoryOrigin.describe(
    'Where the public key is published: https://crawler.example.org stands for /.well-known/http-message-signatures-directory there',
  ),
  key: z
    .string()
    .min(1)
    .optional()
    .describe(
      'File of the private key, made by `webfarer identity new`; workers elsewhere and WEBFARER_IDENTITY_KEY bring their own',
    ),
  hosts: z
    .array(hostMatch)
    .min(1)
    .prefault(['*'])
    .describe('Hosts whose requests are signed: example.org, *.example.org for all below it too, * for all'),
});

const threshold = z
  .string()
  .regex(/^\s*(?:<=?|>=?)\s*\d+(?:\.\d+)?\s*%?\s*$/, { error: "a threshold looks like '< 1%' or '<= 10'" });

const files = z.strictObject({
  types: z
    .array(fileType)
    .min(1)
    .describe("Which files: extensions and content types, such as [pdf, 'image/*']; fetched from any host"),
  from: z
    .union([urlPattern, z.array(urlPattern).min(1)], {
      error: "from is a pattern such as '**/docs/**', or a list",
    })
    .prefault('**')
    .describe('The pages whose links and images count'),
});

/** Of a policy: neither @, which stands before a version, nor a slash. */
export const policyName = z
  .string()
  .max(100)
  .regex(/^[^\s@/\p{C}](?:[^@/\p{C}]*[^\s@/\p{C}])?$/u, {
    error: 'a policy has a name of up to 100 printable characters, without @ and /',
  });

const policy = z.union(
  [
    z.string().regex(/^[^@/]{1,100}(?:@[1-9]\d{0,8})?$/, { error: 'expected NAME or NAME@VERSION' }),
    z.strictObject({
      name: policyName.describe('The policy whose fields are in this job already'),
      version: z.int().min(1).describe('The version they are from'),
    }),
  ],
  { error: 'a policy is NAME, or NAME@VERSION for a version other than the latest' },
);

export const jobSchema = z.strictObject({
  $schema: z.string().optional().describe('For editors; not used'),
  name: z
    .string()
    .regex(/\S/, { error: 'the name must not be blank' })
    .max(200)
    .optional()
    .describe('Names the crawl and its folder; the host of the first seed when absent'),
  seeds: z.array(seed).min(1, { error: 'at least one seed is needed' }).describe('Where the crawl begins'),
  policy: policy
    .optional()
    .describe(
      'A policy of the coordinator, as NAME (its latest version) or NAME@VERSION; what the job says itself wins over it, field by field',
    ),
  team: teamName
    .optional()
    .describe(
      'The team that the crawl belongs to; over the API it is the team of the token that creates the crawl',
    ),
  contact: z
    .string()
    .min(1)
    .optional()
    .describe(
      'A web page or email address where site owners can reach you; required for more than one registered domain',
    ),
  scope: scope.prefault({}).describe('Which links belong to the crawl'),
  urlRules: z
    .array(urlRule)
    .prefault([])
    .describe('What following a link costs and when it is fetched; the first rule that fits decides'),
  labels: labels
    .prefault({})
    .describe(
      'The label of pages by their URL, { product: /p/* }; the first that fits holds, also against the label of follow',
    ),
  order: z
    .enum(orders)
    .prefault('found')
    .describe(
      'The order in which the URLs of a host are fetched: as found, or best-first by priority and cost of urlRules',
    ),
  normalise: normalise.prefault({}).describe('Which spellings of a URL are the same URL'),
  limits: limits.prefault({}).describe(`Limits at which the crawl stops; ${none} switches a limit off`),
  politeness: politeness.prefault({}).describe('How gently hosts are treated'),
  robots: robots.prefault({}).describe('What robots.txt means for the crawl'),
  fetch: fetch.prefault({}).describe('How pages are requested'),
  identity: identity
    .optional()
    .describe('Sign every request (Web Bot Auth), so that sites can tell who crawls them'),
  login: z.array(loginRule).prefault([]).describe('Accounts of yours that pages are read with'),
  render: renderChoice
    .prefault('never')
    .describe(
      'Show HTML pages in a browser, and read what their scripts leave; auto: only where pages of that kind gain by it. As a list: the first rule that fits a page decides, and others are not shown',
    ),
  screenshots,
  pdf,
  steps: stepRules
    .prefault([])
    .describe(
      'What to do on pages in a browser before they are read: wait, click, type, select, scroll, expand, dismiss; all rules that fit, in order',
    ),
  scraper: scraperChoice.prefault('links'),
  extract: extractRules
    .prefault([])
    .describe(
      'Items made of pages without code: fields by CSS selector, JSON-LD, microdata, Open Graph or regular expression',
    ),
  itemKey,
  save: z
    .array(saveChoice)
    .min(1)
    .prefault([{ warc: {} }])
    .describe('Where bodies go; several savers may work side by side'),
  files: files
    .optional()
    .describe(
      'At the end, also copy files of some types to files/, listed in files.jsonl with the page and link text',
    ),
  mirror: mirror
    .optional()
    .describe(
      'At the end, also write a copy that opens in a browser without a network; mirror: {} is enough',
    ),
  retention: retention
    .optional()
    .describe('How long a coordinator keeps the crawl after it is over; absent: until someone deletes it'),
  thresholds: z
    .record(z.string().max(100), threshold)
    .refine((all) => Object.keys(all).length <= 100, { error: 'at most 100 thresholds' })
    .prefault({})
    .describe(
      'Conditions to check at the end, exit code 4 if missed: of failed, refused, done, items, a reason, a status (404) or class (5xx)',
    ),
  processes: z
    .int()
    .min(1)
    .max(64)
    .prefault(1)
    .describe(
      'Processes that fetch and read pages, for crawls of many hosts on several cores; 1 starts no other process',
    ),
  store: store
    .optional()
    .describe(
      'A Redis or Valkey server or cluster that several processes share the crawl through; without it the crawl is kept in its folder',
    ),
});

/** What a person may write in a job file or hand to the library. */
export type JobInput = z.input<typeof jobSchema>;
/** Checked, defaults applied, units read; names still as written. */
export type CheckedJob = z.output<typeof jobSchema>;

/** What a policy may decide for the jobs that name it: everything but what is crawled and where it is kept. */
export const policySchema = jobSchema.pick({
  contact: true,
  scope: true,
  urlRules: true,
  order: true,
  normalise: true,
  limits: true,
  politeness: true,
  robots: true,
  fetch: true,
  identity: true,
});
export type PolicyInput = z.input<typeof policySchema>;

/** Draft-07, which is what editors' YAML support understands. */
export function jobJsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(jobSchema, { target: 'draft-7', io: 'input' }) as Record<string, unknown>;
  return { ...schema, title: 'Webfarer job file' };
}
