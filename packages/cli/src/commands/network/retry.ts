import { needsOwnCode, type RecordFilter } from '@webfarer/coordinator';
import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { userAgentFor } from '@webfarer/protocol/job';
import { Option } from 'commander';
import { noteAbsent, segmentsOption } from '../../folder/absent-results.ts';
import type { CliContext } from '../../context/context.ts';
import { findFolder, shownPath } from '../../folder/folders.ts';
import { runCrawl } from '../../crawling/run-crawl.ts';
import { plural } from '../../terminal/format.ts';
import { clean } from '../../terminal/text.ts';
import { collect, type CommandHome } from '../home.ts';
import { recordFilterOf, type RecordOptions } from '../record-filter.ts';
import { addOptionalAt, asking, findCrawl, reach, type RemoteOptions } from '../remote/remote.ts';
import { seedUrls } from '../run.ts';

export interface RetryOptions extends RecordOptions, RemoteOptions {
  run: boolean;
  quiet?: boolean;
  segments?: string[];
}

export function addRetryCommand({ program, context, exit }: CommandHome): void {
  const command = program
    .command('retry')
    .description(
      'Requeues URLs by their outcome, resets their retries, and resumes the crawl. With --at, in a crawl of a coordinator.',
    )
    .argument('[folder]', 'crawl folder (default: the only one here); with --at the name of a crawl')
    .option('--status <status>', 'by HTTP status: 404, or a class such as 5xx')
    .option('--reason <code>', 'by reason: timeout, robots-unreachable, host-dead, …')
    .addOption(new Option('--verdict <verdict>', 'by verdict').choices(['failed', 'refused', 'done']))
    .option('--host <host>', 'only URLs of this host')
    .option(...segmentsOption, collect)
    .option('--no-run', 'requeue them without crawling')
    .option('--json', 'events as JSON lines on stdout')
    .option('--quiet', 'only notes and the summary');
  addOptionalAt(command).action(async (named: string | undefined, options: RetryOptions) => {
    const filter = retryFilter(options);
    if (options.at !== undefined) return await retryRemote(context, filter, { ...options, named });
    const folder = await findFolder(named, context.cwd);
    if (options.run) await refuseOwnCode(context, folder);
    const again = await context.local.retryFolder(folder, filter, options);
    await tellAbsent(context, folder, options);
    if (!options.json) context.terminal.out(`  ${plural(again, 'URL')} requeued\n`);
    if (again > 0 && options.run) exit(await goOn(context, folder, options));
  });
}

/** A long list takes several requests. */
interface RetryStep {
  queued: number;
  next?: string | undefined;
}

/** At a coordinator, which resumes the crawl if it is over. */
async function retryRemote(
  context: CliContext,
  filter: RecordFilter,
  { named, ...options }: RetryOptions & { named: string | undefined },
): Promise<void> {
  const { terminal } = context;
  const at = await reach(context, options);
  const { id, name, state } = await asking(context, at, findCrawl(context, at, named));
  const params = { crawl: id };
  let queued = 0;
  for (let after: string | undefined = ''; after !== undefined; ) {
    const step: RetryStep = await asking(
      context,
      at,
      at.api.retryUrls({ params, body: { ...filter, after } }),
    );
    queued += step.queued;
    after = step.next;
  }
  if (options.run && queued > 0 && state !== 'running' && state !== 'paused')
    await asking(context, at, at.api.resumeCrawl({ params }));
  if (options.json) return terminal.out(jsonLine({ crawl: name, queued }));
  terminal.out(`  ${clean(name)}: ${plural(queued, 'URL')} requeued\n`);
}

/** Before anything is put back: a crawl of the user's own program has nothing here that could fetch it. */
async function refuseOwnCode(context: CliContext, folder: string): Promise<void> {
  const reader = await context.local.readFolder(folder);
  await reader.close();
  if (reader.ownCode) throw needsOwnCode(shownPath(folder, context.cwd));
}

/** Without a filter everything would be fetched again, which is never what `retry` is meant for. */
export function retryFilter(options: RecordOptions): RecordFilter {
  const filter = recordFilterOf(options);
  if (Object.keys(filter).length > 0) return filter;
  throw new WebfarerError('usage', 'No filter was given.', {
    next: 'For example --status 5xx, --reason robots-unreachable or --verdict failed',
  });
}

/** Results that were not available were not searched. */
async function tellAbsent(context: CliContext, folder: string, options: RetryOptions): Promise<void> {
  const reader = await context.local.readFolder(folder, options);
  try {
    await noteAbsent(context, reader);
  } finally {
    await reader.close();
  }
}

async function goOn(context: CliContext, folder: string, options: RetryOptions): Promise<number> {
  const reader = await context.local.readFolder(folder);
  const { job, input, jobPath } = reader;
  await reader.close();
  const command = `${context.launcher} retry ${shownPath(folder, context.cwd)} --verdict failed`;
  return await runCrawl(context, {
    open: {
      job,
      input,
      ...(jobPath === undefined ? {} : { jobPath }),
      folder,
      userAgent: userAgentFor(job, context.version),
    },
    typed: job.name,
    seeds: seedUrls(job),
    typedPrivate: [],
    hints: false,
    keys: {},
    json: options.json ?? false,
    quiet: options.quiet ?? false,
    goOn: `the command that started this crawl, or  ${command}`,
    goFurther: (limitedBy) => `with a higher limits.${limitedBy ?? 'pages'}`,
  });
}
