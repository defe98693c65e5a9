import { resolve } from 'node:path';
import { durabilities, resolveJob, stays, userAgentFor } from '@webfarer/protocol/job';
import { type Command, Option } from 'commander';
import { sameCommand, shellWords, withOption } from '../context/command-line.ts';
import type { CliContext } from '../context/context.ts';
import { type CrawlOptions, firstSeed, jobInputFrom, typedPrivate } from '../job/crawl-options.ts';
import type { Summary } from '../crawl/crawl-run.ts';
import { folderName } from '../folder/folders.ts';
import { chooseGeneration } from '../folder/generations.ts';
import { collect, type CommandHome } from './home.ts';
import type { CrawlPlan } from '../crawling/run-crawl.ts';
import { addDiagnosticsOptions, type DiagnosticsOptions } from '../diagnostics/diagnostics-options.ts';
import type { Url } from '@webfarer/protocol';
import { seedUrl } from '@webfarer/protocol/url';
import { addUiOptions, runShown, type UiOptions } from './ui.ts';
import { identityKeyText } from '../secrets/secret-options.ts';
import { addStoreUrlOptions } from '../secrets/store-options.ts';

/** Options of both `crawl` and `run`: where it goes and how it is shown. */
export interface OutputOptions {
  out?: string;
  fresh?: boolean;
  rescope?: boolean;
  recrawl?: boolean;
  json?: boolean;
  quiet?: boolean;
  items?: string;
  processes?: string;
  store?: string;
  durability?: string;
  insecureStore?: boolean;
}

export function addCrawlCommand({ program, context, exit }: CommandHome): void {
  const command = program
    .command('crawl')
    .description(
      'Crawls from the given seeds. The crawl lives in a folder; run the same command again to resume it.',
    )
    .argument('<url|host...>', 'seeds, such as example.org or https://example.org/docs/');
  addJobOptions(command);
  addOutputOptions(command);
  command
    .optionsGroup('Shared crawls:')
    .option('--name <name>', 'name of the crawl in the store (default: the host of the first seed)');
  addUiOptions(command);
  addDiagnosticsOptions(command);
  command.action(
    async (seeds: string[], options: CrawlOptions & OutputOptions & DiagnosticsOptions & UiOptions) => {
      const plan = await inGeneration(context, crawlPlan(context, seeds, options), options);
      exit(await runShown(context, plan, options));
    },
  );
}

/** What a job file could say as well. */
export function addJobOptions(command: Command): void {
  addScopeOptions(command);
  addLimitOptions(command);
  addPolitenessOptions(command);
  addSavingOptions(command);
}

export function addScopeOptions(command: Command): void {
  command
    .optionsGroup('Where to:')
    .addOption(
      new Option('--stay <where>', 'follow links below the path, on the host, the site or anywhere').choices(
        stays,
      ),
    )
    .option('--include <glob>', 'follow only matching URLs (repeatable; regex:… works too)', collect)
    .option('--exclude <glob>', "do not follow matching URLs, such as '**/login/**'", collect)
    .option('--depth <n>', 'maximum link depth from a seed')
    .option('--requisites', 'also images, styles and scripts of pages, from any host')
    .option('--no-sitemaps', 'do not read sitemaps');
}

export function addLimitOptions(command: Command): void {
  command
    .optionsGroup('How much:')
    .option('--limit <n>', 'maximum pages; the crawl stops there and can be resumed (none: no limit)')
    .option('--bytes <size>', 'maximum bytes received, such as 500MB')
    .option('--duration <time>', 'maximum running time, such as 2h')
    .option('--retries <n>', 'retries after the first attempt');
}

export function addPolitenessOptions(command: Command): void {
  command
    .optionsGroup('Requests:')
    .option('--contact <url-or-mail>', 'how site owners reach you; required for more than one site')
    .option('--gap <time>', 'delay between requests to a host (1s)')
    .option('--ua <text>', 'user agent; {version} and {contact} are filled in')
    .option('--proxy <url>', 'http, https or socks proxy for all requests')
    .option('--proxy-file <file>', 'file with the proxy address, for one with a password (or WEBFARER_PROXY)')
    .option('--identity <url>', 'sign requests as the owner of the key published there (--identity-key)')
    .option('--ca <file.pem>', 'additional certificate authority to trust')
    .option('--cookies <cookies.txt>', 'initial cookies, in Netscape format')
    .option('--no-cookies', 'neither store nor send cookies')
    .option('--dns <address>', 'DNS server to use, such as 127.0.0.1:5353', collect)
    .option('--allow-private <host>', 'private address that may be fetched', collect);
}

function addSavingOptions(command: Command): void {
  command
    .optionsGroup('Output:')
    .option(
      '--save <saver>',
      'warc, files, tar, tar.gz, tar.bz2, tar.zst, redis, none or ./my-saver.ts (repeatable)',
      collect,
    )
    .option(
      '--mirror [folder]',
      'copy that opens offline in a browser, in mirror/ of the crawl folder or here',
    )
    .option('--scraper <name>', 'links, site or ./my-scraper.ts')
    .option(
      '--threshold <rule>',
      "condition to check at the end, such as 'failed<1%' (exit 4 if missed)",
      collect,
    );
}

export function addOutputOptions(command: Command): void {
  addStoreOptions(command);
  addCredentialsOption(command);
  command
    .optionsGroup('Folder and display:')
    .option('--out <folder>', 'crawl folder (./example.org.crawl)')
    .option('--fresh', 'discard what the folder holds and start over')
    .option('--rescope', 'resume although the scope has changed')
    .option('--processes <n>', 'worker processes, for crawls of many hosts on several cores (1)')
    .option('--items <file.csv>', 'also write the items as CSV at the end')
    .option('--json', 'events as JSON lines on stdout')
    .option('--quiet', 'only notes and the summary')
    .option('--recrawl', 'if finished: crawl again in a folder beside it, fetching only what changed');
}

/** Names and passwords for sites, and the key that says who asks. */
export function addCredentialsOption(command: Command): void {
  command
    .option(
      '--credentials-file <file>',
      'passwords and tokens for sites, one per line: https://name:password@host/ or https://host/ bearer TOKEN (or WEBFARER_CREDENTIALS)',
    )
    .option('--identity-key <file>', identityKeyText);
}

export function addStoreOptions(command: Command): void {
  command
    .optionsGroup('Shared crawls:')
    .option('--store <url>', 'share the crawl through redis://host:port[,host:port…] (rediss: TLS)')
    .option(
      '--store-file <file>',
      'file with the store address, for one with a password (or WEBFARER_STORE)',
    );
  addStoreUrlOptions(command)
    .addOption(
      new Option(
        '--durability <how>',
        'when a result is acknowledged: once every replica has it, or at once',
      ).choices(durabilities),
    )
    .option('--insecure-store', 'accept a store on another machine that requires no password');
}

/** The same plan in the folder it is about: the newest crawl of its family, or the next one. */
export async function inGeneration(
  context: CliContext,
  plan: CrawlPlan,
  { recrawl = false, fresh = false }: OutputOptions,
): Promise<CrawlPlan> {
  const { folder } = plan.open;
  return {
    ...plan,
    open: { ...plan.open, ...(await chooseGeneration(context.local, { folder, fresh, recrawl })) },
  };
}

/** The crawl that the command line describes. */
export function crawlPlan(
  context: CliContext,
  seeds: readonly string[],
  options: CrawlOptions & OutputOptions,
  input = jobInputFrom(seeds, options),
): CrawlPlan {
  const job = resolveJob(input);
  const first = firstSeed(seeds);
  return {
    open: {
      job,
      input,
      folder: resolve(context.cwd, options.out ?? folderName(first)),
      fresh: options.fresh ?? false,
      rescope: options.rescope ?? false,
      userAgent: userAgentFor(job, context.version),
    },
    typed: seeds[0] ?? '',
    seeds: seeds.map((seed) => seedUrl(seed)[0]).filter((url): url is Url => url !== undefined),
    typedPrivate: typedPrivate(seeds),
    hints: true,
    keys: {},
    ...shownAs(context, options),
    goOn: sameCommand(context.launcher, context.argv),
    goFurther: (limitedBy, summary) =>
      limitedBy === 'perHost' || limitedBy === 'perSite'
        ? `with a higher limits.${limitedBy} in a job file:  ${context.launcher} init`
        : `${context.launcher} ${shellWords(raised(context.argv, limitedBy, summary))}`,
  };
}

export function shownAs(
  context: CliContext,
  options: OutputOptions,
): Pick<CrawlPlan, 'json' | 'quiet' | 'items'> {
  return {
    json: options.json ?? false,
    quiet: options.quiet ?? false,
    ...(options.items === undefined ? {} : { items: resolve(context.cwd, options.items) }),
  };
}

/** The same command with the limit that was met doubled. */
function raised(argv: readonly string[], limitedBy: Summary['limitedBy'], summary: Summary): string[] {
  if (limitedBy === 'bytes')
    return withOption(argv, '--bytes', `${Math.ceil((summary.snapshot.bytes * 2) / 1e6)}MB`);
  if (limitedBy === 'duration') {
    return withOption(
      argv,
      '--duration',
      `${Math.max(1, Math.ceil((summary.snapshot.elapsedMs * 2) / 60_000))}m`,
    );
  }
  return withOption(argv, '--limit', String(Math.max(summary.balance.done * 2, 10)));
}
