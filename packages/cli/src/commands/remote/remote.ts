import { WebfarerError } from '@webfarer/protocol';
import type { CrawlDetail } from '@webfarer/protocol/api';
import type { Command } from 'commander';
import type { CliContext } from '../../context/context.ts';
import type { AtOptions, CoordinatorAt } from '../../network/coordinator-at.ts';
import { timeOfDay } from '../../terminal/format.ts';
import { clean } from '../../terminal/text.ts';

/** Options of every command that goes to a coordinator. */
export interface RemoteOptions extends AtOptions {
  json?: boolean;
}

export const tokenFileOption = [
  '--token-file <file>',
  'its operator.token or another token, for a URL (or WEBFARER_TOKEN); a folder has its own',
] as const;

/** Which coordinator a command goes to. */
export function addAt(command: Command): Command {
  return command
    .option(
      '--at <url|folder>',
      'the coordinator: its URL, or its --data folder (default: WEBFARER_AT, or the only one here)',
    )
    .option(...tokenFileOption);
}

/** The same, for commands that also work without a coordinator. */
export function addOptionalAt(command: Command): Command {
  return command
    .option('--at <url|folder>', 'a crawl of this coordinator: its URL, or its --data folder')
    .option(...tokenFileOption);
}

const FIRST_WORD_MS = 1_000;
const NEXT_WORD_MS = 10_000;

/** What takes longer than a second says what it waits for. On stderr: stdout is for the answer. */
export async function whileWaiting<T>(
  { terminal, clock }: Pick<CliContext, 'terminal' | 'clock'>,
  what: string,
  work: Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const speaking = (async () => {
    for (let waitMs = FIRST_WORD_MS; !over.signal.aborted; waitMs = NEXT_WORD_MS) {
      await clock.sleep(waitMs, over.signal).catch(() => undefined);
      if (!over.signal.aborted) terminal.err(`  … ${clean(what)}\n`);
    }
  })();
  try {
    return await work;
  } finally {
    over.abort();
    await speaking;
  }
}

/** The coordinator that the options name. */
export async function reach(context: CliContext, options: RemoteOptions): Promise<CoordinatorAt> {
  const { coordinatorAt } = await import('../../network/coordinator-at.ts');
  return await coordinatorAt(context, options);
}

/** Asks it, and says so where the answer takes long. */
export async function asking<T>(context: CliContext, { url }: CoordinatorAt, work: Promise<T>): Promise<T> {
  return await whileWaiting(context, `waiting for the coordinator at ${url}`, work);
}

/** A crawl by its name or id, or the latest run of a schedule by its id. Without a name: the only crawl there is. */
export async function findCrawl(
  context: CliContext,
  at: CoordinatorAt,
  named: string | undefined,
): Promise<CrawlDetail> {
  if (named === undefined) return await onlyCrawl(context, at);
  try {
    return await at.api.getCrawl({ params: { crawl: named } });
  } catch (error) {
    const run = await latestRun(at, named);
    if (run === undefined || !(error instanceof WebfarerError) || error.code !== 'not-found') throw error;
    if (run.crawl !== undefined) return await at.api.getCrawl({ params: { crawl: run.crawl } });
    throw new WebfarerError('not-found', `the schedule ${named} has not run yet${dueWords(context, run)}`, {
      next: `Wait for it:  ${context.launcher} results ${named} --follow`,
    });
  }
}

/** The crawl that a schedule started last; undefined where there is no such schedule. */
export interface LatestRun {
  crawl: string | undefined;
  /** When it starts next, in milliseconds since 1970. */
  startsMs: number | undefined;
  /** Why the last run could not be started. */
  trouble: { text: string; next: string } | undefined;
}

export async function latestRun({ api }: CoordinatorAt, schedule: string): Promise<LatestRun | undefined> {
  const found = await api.getSchedule({ params: { schedule } }).catch(() => undefined);
  return (
    found && {
      crawl: found.lastRun?.name,
      startsMs: found.next && Date.parse(found.next.startsUtc),
      trouble: found.lastError,
    }
  );
}

export function dueWords({ clock }: Pick<CliContext, 'clock'>, { startsMs }: LatestRun): string {
  return startsMs === undefined ? '' : `; it is due at ${timeOfDay(startsMs, clock.now())}`;
}

async function onlyCrawl({ launcher }: CliContext, { api, url }: CoordinatorAt): Promise<CrawlDetail> {
  const { items } = await api.listCrawls({ query: { limit: 2 } });
  const [only] = items;
  if (only !== undefined && items.length === 1) return await api.getCrawl({ params: { crawl: only.id } });
  if (only === undefined)
    throw new WebfarerError('not-found', `the coordinator at ${url} has no crawl yet`, {
      next: `Start one:  ${launcher} start job.yml`,
    });
  throw new WebfarerError('usage', `the coordinator at ${url} has several crawls`, {
    next: `Name the one you mean; ${launcher} ls lists them.`,
  });
}

/** Where no folder has the name, and a coordinator is here, the crawl of that name is meant. */
export async function isRemote(
  context: CliContext,
  named: string | undefined,
  { at }: RemoteOptions,
): Promise<boolean> {
  if (at !== undefined || named === undefined) return at !== undefined;
  // Most commands of a coordinator never look for a folder.
  const { findFolder } = await import('../../folder/folders.ts');
  const isFolder = await findFolder(named, context.cwd).then(
    () => true,
    () => false,
  );
  if (isFolder) return false;
  const { hasCoordinatorHere } = await import('../../network/coordinator-at.ts');
  return await hasCoordinatorHere(context);
}
