import { z } from 'zod';
import { screenshotKinds } from '../crawl/record.ts';
import { markdownContents, markdownForms, renders, saveSides, tarCompressions } from './job.ts';
import { duration, findText, modulePath, size, teamName, urlPattern } from './values.ts';

/** Fields that are a word, a word with options, or the path of a module. */

const links = z.strictObject({
  follow: z.array(urlPattern).prefault([]).describe('Only links that match one of these are followed'),
});

const ids = z.strictObject({
  find: findText('u').describe('A regular expression; its first group, or all of it, is the id'),
  template: z
    .string()
    .refine((text) => text.includes('{id}'), { error: 'the template needs {id}' })
    .describe('The URL to fetch for each id: https://…/{id}'),
});

const site = z.strictObject({
  check: z.boolean().prefault(true).describe('Check links to other sites with HEAD requests'),
});

export const scraperChoice = z
  .union(
    [
      z.enum(['links', 'ids', 'site']),
      modulePath,
      z.strictObject({ links: links.describe('Follow links') }),
      z.strictObject({ ids: ids.describe('Find ids and fetch a URL for each') }),
      z.strictObject({ site: site.describe('Learn how a site is built and what it links to') }),
    ],
    {
      error:
        'a scraper is links, site, { links: … }, { ids: … } or the path of a module such as ./my-scraper.ts',
    },
  )
  .describe('What to do with a page: links, site, { links: … }, { ids: … }, or your own module');

const fileName = z.string().min(1).prefault('{host}/{path}').describe('Template for the name of each page');

const placeError = 'expected worker, coordinator, s3://BUCKET/PREFIX or file:///FOLDER';
const objectAddress = z
  .string()
  .regex(/^(?:s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[^?#\s]*)?|file:\/\/\/[^?#\s]+)$/, {
    error: placeError,
  });

/** The name of object storage that a coordinator was started with. */
const storageName = z.string().regex(/^[a-z0-9][a-z0-9._-]{0,62}$/, {
  error: 'a storage has up to 63 lower-case letters, digits, dots, hyphens and underscores',
});

/** How object storage is reached, beside the time that a request may take. */
const objectServer = z.strictObject({
  endpoint: z
    .string()
    .regex(/^https?:\/\/[^\s/?#@]+(?:\/[^\s?#@]*)?$/, {
      error:
        'expected a URL such as https://s3.example.org, without credentials: those are in the environment',
    })
    .optional()
    .describe('URL of a server that is not that of AWS'),
  region: z.string().min(1).optional().describe('Region; otherwise that of the environment or the profile'),
  pathStyle: z
    .boolean()
    .optional()
    .describe('Whether the bucket is in the path of URLs; the default is true with an endpoint'),
  allowPrivate: z
    .boolean()
    .optional()
    .describe(
      'Whether its server may have a private address; the default is true for jobs of the command line',
    ),
});
const s3 = objectServer.extend({
  timeout: duration.prefault('60s').describe('Most time for one request'),
});

const warc = z.strictObject({
  rotate: size.prefault('1GB').describe('Size at which a new file begins'),
  dedupe: z
    .boolean()
    .prefault(true)
    .describe('Bodies that are already stored become revisit records that refer to them'),
  at: z
    .union([z.enum(saveSides), objectAddress], { error: placeError })
    .prefault('worker')
    .describe(
      'Where the files are: on the disk of each worker, of the coordinator, or in object storage (s3://BUCKET/PREFIX, or file:///FOLDER for a folder that all machines share)',
    ),
  s3: s3.optional().describe('How the object storage of `at` is reached'),
  storage: storageName
    .optional()
    .describe('Object storage that the coordinator was started with, in place of `at` and `s3`'),
});
const files = z.strictObject({ name: fileName });
const tar = z.strictObject({
  name: fileName,
  compress: z
    .enum(tarCompressions)
    .optional()
    .describe('How the archive is compressed: none (.tar), gz, bz2 or zst; none when absent'),
  gzip: z.boolean().optional().describe('An older way to write compress: gz'),
});

const redis = z.strictObject({
  key: z
    .string()
    .max(500)
    .regex(/^(?:[!-z|~]|\{(?:crawl|host|hash|url)\})+$/, {
      error: 'expected printable ASCII with {crawl}, {host}, {hash} or {url}',
    })
    .refine((text) => /\{(?:hash|url)\}/.test(text), { error: 'the key needs {hash} or {url}' })
    .prefault('webfarer:{crawl}:page:{hash}')
    .describe('Template for the key of each page: {crawl}, {host}, {hash} of the URL, or the whole {url}'),
  maxBody: size.prefault('10MB').describe('Larger bodies are left out; the rest of the page is kept'),
  ttl: duration.optional().describe('How long pages are kept; absent: for ever'),
});

const markdown = z.strictObject({
  as: z
    .enum(markdownForms)
    .prefault('files')
    .describe('A file with front matter for each page, or one JSON line for each (.jsonl)'),
  name: fileName,
  main: z
    .boolean()
    .prefault(true)
    .describe('Only the main content, without navigation and the like; false: the whole page'),
  content: z.enum(markdownContents).prefault('markdown').describe('Markdown, or plain text'),
});

export const saveChoice = z
  .union(
    [
      z.enum(['warc', 'files', 'tar', 'markdown', 'redis', 'none']),
      modulePath,
      z.strictObject({ warc: warc.describe('WARC 1.1 with an index') }),
      z.strictObject({ files: files.describe('One file per page') }),
      z.strictObject({ tar: tar.describe('One archive of files') }),
      z.strictObject({ markdown: markdown.describe('The text of each page, as Markdown') }),
      z.strictObject({ redis: redis.describe('A hash for each page on the server of WEBFARER_SAVE_REDIS') }),
      z.strictObject({ none: z.strictObject({}).describe('Bodies are not kept') }),
    ],
    {
      error:
        'a saver is warc, files, tar, markdown, redis, none, one of these with options, or the path of a module such as ./my-saver.ts',
    },
  )
  .describe('warc, files, tar, markdown, redis, none, one of these with options, or your own module');

export const mirror = z.strictObject({
  folder: z
    .string()
    .min(1)
    .optional()
    .describe('Where it goes, seen from the job file; mirror/ in the crawl folder when absent'),
});

/** Of rules, and of the patterns of each. */
const mostRules = 100;
const renderRule = z.strictObject({
  match: z
    .union([urlPattern, z.array(urlPattern).min(1).max(mostRules)], {
      error: "expected a glob such as '/app/**', { regex: '…' }, or a list of these",
    })
    .optional()
    .describe('The pages this rule is for; without it: all'),
  do: z.enum(renders).describe('never, auto or always'),
});

export const renderChoice = z.union([z.enum(renders), z.array(renderRule).min(1).max(mostRules)], {
  error: "expected never, auto or always, or a list of rules such as { match: '/app/**', do: always }",
});

export const screenshots = z
  .union([z.enum(screenshotKinds), z.array(z.enum(screenshotKinds))])
  .prefault([])
  .describe(
    'Pictures of shown pages, kept in the WARC archive: what is seen without scrolling, the whole page, a small picture',
  );
export const pdf = z.boolean().prefault(false).describe('Keep shown pages as PDF in the WARC archive');

const shortestKeep = 3_600_000;

export const retention = z.strictObject({
  keep: duration
    .refine((ms) => ms >= shortestKeep, { error: 'at least 1h' })
    .describe('Time after its end at which the crawl is deleted with everything it holds, such as 90d'),
});

/** Object storage that a coordinator was started with, by the names under which jobs use it. */
export const storagesSchema = z.record(
  storageName,
  z.strictObject({
    at: objectAddress.describe('s3://BUCKET/PREFIX, or file:///FOLDER for a folder that all machines share'),
    s3: objectServer.optional().describe('How it is reached, as in a job'),
    teams: z
      .array(z.union([z.literal('*'), teamName]))
      .default(['*'])
      .describe('Teams whose jobs may name it; * for all'),
  }),
);
export type Storages = Readonly<z.output<typeof storagesSchema>>;
