import { dirname } from 'node:path';
import { type Job, WebfarerError } from '@webfarer/protocol';
import { requireContact } from '@webfarer/protocol/job';
import { hostOf, siteOf } from '@webfarer/protocol/url';
import { requireRender } from '@webfarer/worker/scrape/in-browser';
import { loadScraper } from '@webfarer/worker/scrape/load-scraper';
import { type CrawlOptions, typedPrivate } from '../job/crawl-options.ts';
import { addJobOptions } from './crawl.ts';
import { readSeeds, type Seed } from '@webfarer/coordinator/crawl/seeds';
import type { CommandHome } from './home.ts';
import { longSpan, plural, span } from '../terminal/format.ts';
import { scopeWords } from '../view/scope-words.ts';
import { painter } from '../terminal/text.ts';
import { readJobFile, seedUrls } from './run.ts';

export function addValidateCommand({ program, context }: CommandHome): void {
  const command = program
    .command('validate')
    .description(
      'Checks a job file and shows what it would do, with the options that run would be given. Errors are shown with their line.',
    )
    .argument('<job.yml>');
  addJobOptions(command);
  command.action(async (file: string, options: CrawlOptions) => {
    const { terminal } = context;
    const { job, path } = await readJobFile(file, context.cwd, options);
    const seeds = await checkLikeRun(job, dirname(path));
    const { pages, durationMs } = job.limits;
    const limits = [pages === undefined ? 'no page limit' : plural(pages, 'page')];
    if (durationMs !== undefined) limits.push(longSpan(durationMs));
    const facts = [
      `${painter(terminal.colour)('good', '✓')} ${file} is valid: ${job.name}`,
      `  scope   ${scopeWords(job, seedUrls(job))}`,
      `  seeds   ${plural(seeds, 'seed')}`,
      `  pace    ${span(job.politeness.gapMs)} between requests to a host`,
      `  limit   ${limits.join(', ')}`,
    ];
    for (const line of facts) terminal.out(`  ${line}\n`);
  });
}

/** What `run` would stop at before it fetches anything: seed files, contact, modules, private addresses. */
async function checkLikeRun(job: Job, baseFolder: string): Promise<number> {
  const seeds = await readSeeds(job, baseFolder);
  requireContact(
    job,
    seeds.flatMap(({ candidates }) => candidates.slice(0, 1)).map((url) => siteOf(hostOf(url))),
  );
  const { inBrowser } = await loadScraper(job.scraper, baseFolder);
  requireRender(job, inBrowser);
  const refused = seeds.find((seed) => isRefused(seed, job.fetch.allowPrivate));
  const [origin = ''] = typedPrivate(refused ? [refused.text] : []);
  if (refused)
    throw new WebfarerError('job-invalid', `${refused.text} is in your own network, which is not allowed`, {
      next: `Allow it in the file:  fetch: { allowPrivate: ['${origin}'] }\nOr for one run:  --allow-private ${origin}`,
    });
  return seeds.length;
}

/** Names of one's own network. Ranges of addresses in the list are believed: whether one fits is seen by `run`. */
function isRefused({ text }: Seed, allowed: readonly string[]): boolean {
  const origins = typedPrivate([text]);
  const isRange = (entry: string) => /\/\d+$/.test(entry);
  return origins.length > 0 && !allowed.some((entry) => isRange(entry) || origins.includes(entry));
}
