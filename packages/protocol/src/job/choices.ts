import { z } from 'zod';
import { markdownContents, markdownForms, saveSides } from './job.ts';
import { modulePath, regexText, size, urlPattern } from './values.ts';

/** Fields that are a word, a word with options, or the path of a module. */

const links = z.strictObject({
  follow: z.array(urlPattern).prefault([]).describe('Only links that match one of these are followed'),
});

const ids = z.strictObject({
  find: regexText.describe('A regular expression; its first group, or all of it, is the id'),
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

const warc = z.strictObject({
  rotate: size.prefault('1GB').describe('Size at which a new file begins'),
  dedupe: z
    .boolean()
    .prefault(true)
    .describe('Bodies that are already stored become revisit records that refer to them'),
  at: z
    .enum(saveSides)
    .prefault('worker')
    .describe('In a network: whether the files are on the disk of each worker or of the coordinator'),
});
const files = z.strictObject({ name: fileName });
const tar = z.strictObject({
  name: fileName,
  gzip: z.boolean().prefault(false).describe('Compress the archive as a whole (.tar.gz)'),
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
      z.enum(['warc', 'files', 'tar', 'markdown', 'none']),
      modulePath,
      z.strictObject({ warc: warc.describe('WARC 1.1 with an index') }),
      z.strictObject({ files: files.describe('One file per page') }),
      z.strictObject({ tar: tar.describe('One archive of files') }),
      z.strictObject({ markdown: markdown.describe('The text of each page, as Markdown') }),
      z.strictObject({ none: z.strictObject({}).describe('Bodies are not kept') }),
    ],
    {
      error:
        'a saver is warc, files, tar, markdown, none, one of these with options, or the path of a module such as ./my-saver.ts',
    },
  )
  .describe('warc, files, tar, markdown, none, one of these with options, or your own module');
