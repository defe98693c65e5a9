import { WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { hostPattern } from '@webfarer/protocol/url';
import type { CliContext } from '../../context/context.ts';
import { findFolder, shownPath } from '../../folder/folders.ts';
import type { Forgotten } from '@webfarer/coordinator';
import { bytes as bytesText, plural } from '../../terminal/format.ts';
import { clean, painter } from '../../terminal/text.ts';
import type { CoordinatorAt } from '../../network/coordinator-at.ts';
import { collect, type CommandHome } from '../home.ts';
import { addOptionalAt, asking, findCrawl, isRemote, reach, type RemoteOptions } from '../remote/remote.ts';

interface ForgetOptions extends RemoteOptions {
  subdomains?: boolean;
  dryRun?: boolean;
  gone?: string[];
  yes?: boolean;
}

/** A crawl from which a host is deleted, in a folder or at a coordinator. */
interface Place {
  /** As a person is told of it. */
  where: string;
  forget(order: { pattern: string; dryRun: boolean; gone: string[] }): Promise<Forgotten>;
}

export function addForgetCommand({ program, context }: CommandHome): void {
  const command = program
    .command('forget')
    .description(
      'Deletes every URL, record, item, link, text and capture of a host from a crawl, and bars the host from it. Counts first and asks before it deletes. May be stopped at any time: the same command finishes the work. With --at, in a crawl of a coordinator: one that runs or is paused is stopped while the host is deleted, and then runs or is paused again.',
    )
    .argument('<host>', 'the host name: example.org')
    .argument(
      '[folder]',
      'crawl folder (default: the only one here), or the name of a crawl of a coordinator',
    )
    .option('--subdomains', 'also every host below it: www.example.org, shop.example.org, …')
    .option('--dry-run', 'only count what would be deleted')
    .option(
      '--gone <member>',
      'a member whose folder was deleted since, as the answer before named it',
      collect,
    )
    .option('--yes', 'ask nothing')
    .option('--json', 'as JSON');
  addOptionalAt(command).action(async (host: string, named: string | undefined, options: ForgetOptions) => {
    const pattern = patternOf(host, options);
    if (!(await isRemote(context, named, options)))
      return await forgetIn(context, await folderPlace(context, named), { ...options, pattern });
    await forgetRemote(context, named, { ...options, pattern });
  });
}

async function forgetIn(
  context: CliContext,
  { where, forget }: Place,
  options: ForgetOptions & { pattern: string },
): Promise<void> {
  const { pattern, gone = [] } = options;
  const counted = await forget({ pattern, dryRun: true, gone });
  if (options.dryRun) return tell(context, counted, { ...options, where });
  const isNothing = counted.urls === 0 && counted.captures === 0;
  if (!options.yes && !isNothing) await confirm(context, counted, where);
  const done = await forget({ pattern, dryRun: false, gone });
  tell(context, { ...done, ...larger(done, counted) }, { ...options, where });
  requireAll(done);
}

async function folderPlace({ cwd }: CliContext, named: string | undefined): Promise<Place> {
  const { forgetInFolder } = await import('../../local/forget-folder.ts');
  const folder = await findFolder(named, cwd);
  return { where: shownPath(folder, cwd), forget: (order) => forgetInFolder(folder, order) };
}

/** Counting leaves the crawl as it is. What deletes needs it stopped, because workers write to the files that are rewritten. */
async function forgetRemote(
  context: CliContext,
  named: string | undefined,
  options: ForgetOptions & { pattern: string },
): Promise<void> {
  const at = await reach(context, options);
  const { id, name } = await asking(context, at, findCrawl(context, at, named));
  const params = { crawl: id };
  const place: Place = {
    where: `${name} at ${at.url}`,
    async forget({ pattern, dryRun, gone }) {
      const body = { host: pattern, dryRun, gone };
      // Large archives take longer than other answers may.
      const work = async () => await asking(context, at, at.streams.forgetHost({ params, body }));
      return dryRun ? await work() : await whileStopped(context, at, { id, name, work });
    },
  };
  await forgetIn(context, place, options);
}

interface WhileStopped<T> {
  id: string;
  name: string;
  work: () => Promise<T>;
}

/** Stops the crawl if it is open, and opens it again as it was: running or paused. */
async function whileStopped<T>(
  context: CliContext,
  at: CoordinatorAt,
  { id, name, work }: WhileStopped<T>,
): Promise<T> {
  const params = { crawl: id };
  const { state } = await asking(context, at, at.api.getCrawl({ params }));
  if (state !== 'running' && state !== 'paused') return await work();

  async function restore(): Promise<void> {
    const query = { paused: state === 'paused' };
    await asking(context, at, at.api.resumeCrawl({ params, query }));
  }

  let done: T;
  try {
    // The answer comes when what was in flight has ended and the outputs are written.
    await asking(context, at, at.streams.stopCrawl({ params }));
    done = await work();
  } catch (error) {
    // The error before this one is the one to report.
    await restore().catch(() => context.terminal.err(`  ! ${clean(notRestored(name, state))}\n`));
    throw error;
  }
  await restore().catch((cause: unknown) => {
    throw new WebfarerError('conflict', `The host was deleted. ${notRestored(name, state)}`, {
      next: `Resume it:  ${context.launcher} resume ${name} --at ${at.url}`,
      cause,
    });
  });
  return done;
}

const notRestored = (name: string, state: string): string =>
  `${name} was ${state} before it was stopped, and could not be opened again.`;

/** What an earlier, interrupted run has deleted is not counted again; what this run counted first is what went. */
function larger(done: Forgotten, counted: Forgotten): Pick<Forgotten, 'urls' | 'captures' | 'bytes'> {
  const most = (key: 'urls' | 'captures' | 'bytes') => Math.max(done[key], counted[key]);
  return { urls: most('urls'), captures: most('captures'), bytes: most('bytes') };
}

export function patternOf(host: string, { subdomains }: Pick<ForgetOptions, 'subdomains'>): string {
  const pattern = hostPattern(subdomains && !host.startsWith('*.') ? `*.${host}` : host);
  if (pattern !== undefined && pattern !== '*') return pattern;
  throw new WebfarerError('usage', `"${host}" is not a host name.`, {
    next: 'Name a host without scheme, port and path: example.org',
  });
}

/** Deleting cannot be undone. */
async function confirm({ ask }: CliContext, counted: Forgotten, where: string): Promise<void> {
  if (!ask)
    throw new WebfarerError(
      'usage',
      `Nothing was deleted: ${words(counted)} of ${counted.pattern} are in ${where}.`,
      {
        next: 'Run the command again with --yes to delete them for good.',
      },
    );
  const answer = await ask.choose({
    message: `Delete ${words(counted)} of ${counted.pattern} from ${where} for good?`,
    choices: [
      { value: 'no', label: 'No' },
      { value: 'yes', label: 'Yes, delete' },
    ],
    initial: 'no',
  });
  if (answer === 'no') throw new WebfarerError('interrupted', 'Nothing was deleted.');
}

function words({ urls, captures, bytes }: Forgotten): string {
  return `${plural(urls, 'URL')} and ${plural(captures, 'capture')} (${bytesText(bytes)})`;
}

function tell(
  { terminal }: CliContext,
  found: Forgotten,
  { dryRun = false, json, where }: Pick<ForgetOptions, 'dryRun' | 'json'> & { where: string },
): void {
  if (json)
    return terminal.out(jsonLine({ ...found, where, dryRun, complete: !dryRun && found.left.length === 0 }));
  const paint = painter(terminal.colour);
  const verb = dryRun ? 'would be deleted' : 'deleted';
  terminal.out(`  ${clean(found.pattern)}: ${words(found)} ${verb} from ${clean(where)}\n`);
  for (const line of found.left) terminal.out(`  ${paint('warn', `! ${clean(line)}`)}\n`);
  if (!dryRun && found.left.length === 0)
    terminal.out('  The host is barred from this crawl. Copies that were exported before are not changed.\n');
}

function requireAll({ left, pattern }: Forgotten): void {
  if (left.length === 0) return;
  throw new WebfarerError('incomplete', `Something of ${pattern} is left: ${left.join('; ')}.`, {
    next: 'Do what each of these asks for, then run the same command again.',
  });
}
