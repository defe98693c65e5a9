import { readFile } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { type Job, type JobInput, type Url, WebfarerError } from '@webfarer/protocol';
import { safeName } from '@webfarer/protocol/crawl';
import { parseJobFile, resolveJob, userAgentFor } from '@webfarer/protocol/job';
import { seedUrl } from '@webfarer/protocol/url';
import { sameCommand } from '../context/command-line.ts';
import type { CliContext } from '../context/context.ts';
import { type CrawlOptions, withOverrides } from '../job/crawl-options.ts';
import { loadRecordings } from '../job/load-recordings.ts';
import { readManifest } from '@webfarer/coordinator/folder/manifest';
import type { CommandHome } from './home.ts';
import type { CrawlPlan } from '../crawling/run-crawl.ts';
import { addDiagnosticsOptions, type DiagnosticsOptions } from '../diagnostics/diagnostics-options.ts';
import { addUiOptions, runShown, type UiOptions } from './ui.ts';
import { addJobOptions, addOutputOptions, inGeneration, type OutputOptions, shownAs } from './crawl.ts';

export function addRunCommand({ program, context, exit }: CommandHome): void {
  const command = program
    .command('run')
    .description('Runs the crawl that a job file describes. A crawl.json repeats the crawl that wrote it.')
    .argument('<job.yml>', 'a job file, YAML or JSON (webfarer init writes one)');
  addJobOptions(command);
  addOutputOptions(command);
  addUiOptions(command);
  addDiagnosticsOptions(command);
  command.action(
    async (file: string, options: CrawlOptions & OutputOptions & DiagnosticsOptions & UiOptions) => {
      const plan = await inGeneration(context, await runPlan(context, file, options), options);
      exit(await runShown(context, plan, options));
    },
  );
}

export interface JobFile {
  job: Job;
  input: JobInput;
  /** Modules and seed files are looked for relative to it. */
  path: string;
}

/** Reads a job file, or the job inside a crawl.json, with what the command line says besides: both are checked as one. */
export async function readJobFile(file: string, cwd: string, options: CrawlOptions = {}): Promise<JobFile> {
  const path = resolve(cwd, file);
  const said = typedHere(options, cwd);
  const manifest = basename(path) === 'crawl.json' ? await crawlJson(path) : undefined;
  if (manifest) {
    const { job, baseFolder } = manifest;
    const input = withOverrides(job as JobInput, said);
    return { job: resolveJob(input), input, path: join(baseFolder, 'crawl.json') };
  }
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new WebfarerError(
      'not-found',
      `Cannot read ${file}: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}.`,
      {
        next: 'webfarer init writes a job file to begin with.',
      },
    );
  });
  const recordings = loadRecordings(dirname(path));
  return { ...parseJobFile(text, file, (written) => recordings(withOverrides(written, said))), path };
}

/** A folder's crawl.json wraps the job in the history of the crawl; a job file may have that name too. */
async function crawlJson(path: string): Promise<{ job: unknown; baseFolder: string } | undefined> {
  const manifest = await readManifest(dirname(path)).catch(() => undefined);
  if (manifest?.job === undefined) return undefined;
  return { job: manifest.job, baseFolder: manifest.baseFolder ?? dirname(path) };
}

export async function runPlan(
  context: CliContext,
  file: string,
  options: CrawlOptions & OutputOptions,
): Promise<CrawlPlan> {
  return planOfJob(context, { ...(await readJobFile(file, context.cwd, options)), typed: file }, options);
}

/** The crawl of a job with its options in it, wherever it was read. */
export function planOfJob(
  context: CliContext,
  { typed, job, input, path }: JobFile & { typed: string },
  options: OutputOptions,
): CrawlPlan {
  const goOn = sameCommand(context.launcher, context.argv);
  return {
    open: {
      job,
      input,
      jobPath: path,
      folder: resolve(context.cwd, options.out ?? `${safeName(job.name)}.crawl`),
      fresh: options.fresh ?? false,
      rescope: options.rescope ?? false,
      userAgent: userAgentFor(job, context.version),
    },
    typed,
    seeds: seedUrls(job),
    typedPrivate: [],
    hints: false,
    keys: {},
    ...shownAs(context, options),
    goOn,
    goFurther: (limitedBy) => `raise limits.${limitedBy ?? 'pages'} in ${typed}, then:  ${goOn}`,
  };
}

/** Paths that were typed are meant from here, not from the file. */
function typedHere(options: CrawlOptions, cwd: string): CrawlOptions {
  const { ca, cookies, scraper, save, mirror } = options;
  const module = (word: string) => (/^\.{0,2}\/|\.[cm]?[jt]s$/.test(word) ? resolve(cwd, word) : word);
  return {
    ...options,
    ...(ca === undefined ? {} : { ca: resolve(cwd, ca) }),
    ...(typeof cookies === 'string' ? { cookies: resolve(cwd, cookies) } : {}),
    ...(scraper === undefined ? {} : { scraper: module(scraper) }),
    ...(save === undefined ? {} : { save: save.map(module) }),
    ...(typeof mirror === 'string' ? { mirror: resolve(cwd, mirror) } : {}),
  };
}

/** The seeds that stand in the job itself; those in files are not read for words on a screen. */
export function seedUrls(job: Job): Url[] {
  return job.seeds
    .map((seed) =>
      'url' in seed ? seedUrl(seed.url)[0] : 'sitemap' in seed ? seedUrl(seed.sitemap)[0] : undefined,
    )
    .filter((url): url is Url => url !== undefined);
}
