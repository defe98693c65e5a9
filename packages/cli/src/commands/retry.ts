import { needsOwnCode, type RecordFilter } from '@webfarer/coordinator';
import { type HostKey, type OutcomeReason, type Verdict, WebfarerError } from '@webfarer/protocol';
import { doneReasons, failedReasons, refusedReasons } from '@webfarer/protocol/crawl';
import { userAgentFor } from '@webfarer/protocol/job';
import { Option } from 'commander';
import { noteAbsent, segmentsOption } from '../folder/absent-results.ts';
import type { CliContext } from '../context/context.ts';
import { findFolder, shownPath } from '../folder/folders.ts';
import { runCrawl } from '../crawling/run-crawl.ts';
import { plural } from '../terminal/format.ts';
import { collect, type CommandHome } from './home.ts';
import { seedUrls } from './run.ts';

export interface RetryOptions {
  status?: string;
  reason?: string;
  verdict?: Verdict;
  host?: string;
  run: boolean;
  json?: boolean;
  quiet?: boolean;
  segments?: string[];
}

export function addRetryCommand({ program, context, exit }: CommandHome): void {
  program
    .command('retry')
    .summary('fetch again what failed or was refused')
    .description('Requeues URLs by their outcome, resets their retries, and resumes the crawl.')
    .argument('[folder]', 'crawl folder (default: the only one here)')
    .option('--status <status>', 'by HTTP status: 404, or a class such as 5xx')
    .option('--reason <code>', 'by reason: timeout, robots-unreachable, host-dead, …')
    .addOption(new Option('--verdict <verdict>', 'by verdict').choices(['failed', 'refused', 'done']))
    .option('--host <host>', 'only URLs of this host')
    .option(...segmentsOption, collect)
    .option('--no-run', 'requeue them without crawling')
    .option('--json', 'events as JSON lines on stdout')
    .option('--quiet', 'only notes and the summary')
    .action(async (named: string | undefined, options: RetryOptions) => {
      const filter = retryFilter(options);
      const folder = await findFolder(named, context.cwd);
      if (options.run) await refuseOwnCode(context, folder);
      const again = await context.local.retryFolder(folder, filter, options);
      await tellAbsent(context, folder, options);
      if (!options.json) context.terminal.out(`  ${plural(again, 'URL')} requeued\n`);
      if (again > 0 && options.run) exit(await goOn(context, folder, options));
    });
}

/** Before anything is put back: a crawl of the user's own program has nothing here that could fetch it. */
async function refuseOwnCode(context: CliContext, folder: string): Promise<void> {
  const reader = await context.local.readFolder(folder);
  await reader.close();
  if (reader.ownCode) throw needsOwnCode(shownPath(folder, context.cwd));
}

/** Without a filter everything would be fetched again, which is never what `retry` is meant for. */
export function retryFilter({ status, reason, verdict, host }: RetryOptions): RecordFilter {
  if (status !== undefined && !/^[1-5](?:xx|\d\d)$/.test(status)) {
    throw new WebfarerError('usage', `--status ${status} is invalid.`, { next: 'Write 503 or 5xx.' });
  }
  if (reason !== undefined && !(reason in { ...doneReasons, ...failedReasons, ...refusedReasons })) {
    throw new WebfarerError('usage', `There is no reason "${reason}".`, {
      next: `One of: ${Object.keys({ ...failedReasons, ...refusedReasons }).join(', ')}`,
    });
  }
  if (status === undefined && reason === undefined && verdict === undefined && host === undefined) {
    throw new WebfarerError('usage', 'No filter was given.', {
      next: 'For example --status 5xx, --reason robots-unreachable or --verdict failed',
    });
  }
  return {
    ...(status === undefined ? {} : { status }),
    ...(reason === undefined ? {} : { reason: reason as OutcomeReason }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(host === undefined ? {} : { host: host.toLowerCase() as HostKey }),
  };
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
    json: options.json ?? false,
    quiet: options.quiet ?? false,
    goOn: `the command that started this crawl, or  ${command}`,
    goFurther: (limitedBy) => `with a higher limits.${limitedBy ?? 'pages'}`,
  });
}
