import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { errorCodes, type JobInput, WebfarerError } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import type { CliContext } from '../context/context.ts';
import { endingExit, endingOf } from '../crawl/ending.ts';
import type { FolderReader } from '../crawl/local-port.ts';
import { tally } from '../crawl/tally.ts';
import { followCrawl, sumUp } from '../crawling/run-crawl.ts';
import { folderName, holdsCrawl, shownPath } from '../folder/folders.ts';
import { type CrawlOptions, firstSeed, jobInputFrom, wholeNumber } from '../job/crawl-options.ts';
import { checkLinks } from '../link-check/check-links.ts';
import { junitXml } from '../link-check/junit.ts';
import type { LinkReport } from '../link-check/link-report.ts';
import { reportLines } from '../link-check/report-lines.ts';
import { sarifLog } from '../link-check/sarif.ts';
import { longSpan } from '../terminal/format.ts';
import { painter } from '../terminal/text.ts';
import {
  addCredentialsOption,
  addLimitOptions,
  addPolitenessOptions,
  addScopeOptions,
  crawlPlan,
} from './crawl.ts';
import { collect, type CommandHome } from './home.ts';

interface CheckCommandOptions extends CrawlOptions {
  out?: string;
  fresh?: boolean;
  rescope?: boolean;
  quiet?: boolean;
  json?: boolean;
  junit?: string;
  sarif?: string;
  allowBroken?: string;
  ignore?: string[];
  accept?: string[];
  anchors: boolean;
  timeout?: string;
}

export function addCheckCommand({ program, context, exit }: CommandHome): void {
  const command = program
    .command('check')
    .description(
      'Crawls a site, asks for what it links to on other sites with HEAD, and lists each broken link with all pages that contain it. Exits with 4 when links are broken. A crawl folder in place of a URL is judged by what it holds, without a request.',
    )
    .argument('<url|folder>', 'site to check, such as example.org, or the folder of a crawl');
  addScopeOptions(command);
  addLimitOptions(command);
  addPolitenessOptions(command);
  addCredentialsOption(command);
  command
    .option('--timeout <time>', 'for one request, from name look-up to the last byte (30s)')
    .optionsGroup('Judgement:')
    .option('--allow-broken <n>', 'broken links up to which the exit code is 0', '0')
    .option('--ignore <glob>', 'broken links not to count (repeatable; regex:… works too)', collect)
    .option('--accept <status>', 'status that counts as good, such as 403 (repeatable)', collect)
    .option('--no-anchors', 'do not look for the places that #fragments lead to')
    .optionsGroup('Output:')
    .option('--junit <file>', 'also write the result as JUnit XML')
    .option('--sarif <file>', 'also write the result as SARIF 2.1.0')
    .option('--json', 'the result as one JSON document on stdout, progress on stderr')
    .option('--quiet', 'only the result')
    .optionsGroup('Folder:')
    .option('--out <folder>', 'crawl folder (./example.org.check.crawl)')
    .option('--fresh', 'check again: discard what the folder holds')
    .option('--rescope', 'resume although the scope has changed')
    .action(async (what: string, options: CheckCommandOptions) => {
      const judge = judgeFrom(options);
      const folder = resolve(context.cwd, what);
      if (/^[\w-]+$/.test(what) && what !== 'localhost' && !holdsCrawl(folder))
        throw new WebfarerError(
          'usage',
          `There is no crawl folder ${what}, and ${what} is not a host name.`,
          {
            next: `Name a site such as example.org, or the folder of a crawl. A host of your own network is http://${what}/`,
          },
        );
      exit(
        holdsCrawl(folder)
          ? await judgeFolder(context, { folder, options, judge, done: 'read' })
          : await checkSite(context, what, { options, judge }),
      );
    });
}

interface Judge {
  allowed: number;
  ignore: readonly string[];
  accepted: ReadonlySet<number>;
}

function judgeFrom({ allowBroken = '0', ignore = [], accept = [] }: CheckCommandOptions): Judge {
  const statuses = accept.flatMap((text) => text.split(','));
  for (const text of statuses)
    if (!/^\s*[1-9]\d\d\s*$/.test(text))
      throw new WebfarerError('usage', `--accept needs an HTTP status, not "${text}".`, {
        next: 'For example --accept 403',
      });
  return {
    allowed: wholeNumber(allowBroken, '--allow-broken', 5),
    ignore,
    accepted: new Set(statuses.map(Number)),
  };
}

interface SiteCheck {
  options: CheckCommandOptions;
  judge: Judge;
}

/**
 * A person waits for the result, and a host that is down now is a finding: two rounds a few seconds apart in place of
 * five that take minutes.
 */
function checkInput(what: string, options: CheckCommandOptions): JobInput {
  const input = jobInputFrom([what], options);
  return {
    ...input,
    scraper: { site: { check: true } },
    robots: { giveUpAfter: '30s', ...input.robots },
    fetch: {
      ...input.fetch,
      ...(options.timeout === undefined ? {} : { timeout: options.timeout }),
      retries: { count: 1, backoff: '3s', deadAfter: 2, ...input.fetch?.retries },
    },
  };
}

async function checkSite(context: CliContext, what: string, { options, judge }: SiteCheck): Promise<number> {
  const out = options.out ?? folderName(firstSeed([what])).replace(/\.crawl$/, '.check.crawl');
  const plan = crawlPlan(context, [what], { ...options, out, json: false }, checkInput(what, options));
  const { folder } = plan.open;
  const { terminal } = context;
  // Standard output is for the result alone, where a program reads it.
  const aside = options.json
    ? { ...context, terminal: { ...terminal, out: terminal.err, live: false } }
    : context;
  const followed = await followCrawl(aside, plan);
  if (followed.over) return await judgeFolder(context, { folder, options, judge, done: 'earlier' });
  const { summary, stopping, unsaid, view } = followed;
  try {
    const isWhole = summary.state === 'finished' || summary.state === 'limited';
    const ending = isWhole
      ? endingOf({ summary, tally: await tallyOf(context, folder), thresholds: [] })
      : 'interrupted';
    // Stopped, or not one page could be read: that is no result of a check.
    if (endingExit[ending] !== 0) return await sumUp(aside, plan, followed);
    view.print(unsaid);
    return await judgeFolder(context, {
      folder,
      options,
      judge,
      done: followed.resumed ? 'resumed' : 'checked',
    });
  } finally {
    stopping.end();
  }
}

async function tallyOf({ local }: CliContext, folder: string) {
  const reader = await local.readFolder(folder);
  try {
    return await tally(reader.results.records(reader.crawl));
  } finally {
    await reader.close();
  }
}

interface FolderCheck extends SiteCheck {
  folder: string;
  /** What this command did before it judged. */
  done: 'checked' | 'resumed' | 'earlier' | 'read';
}

async function judgeFolder(context: CliContext, check: FolderCheck): Promise<number> {
  const { folder, options, judge } = check;
  const reader = await context.local.readFolder(folder);
  try {
    const report = await checkLinks(reader, folder, { ...judge, anchors: options.anchors });
    const missed = report.broken.length > judge.allowed;
    const exit = missed ? errorCodes['threshold-missed'].exit : 0;
    await writeFiles(context, report, { options, folder });
    const state = await reader.state();
    if (options.json) {
      const { good, ...rest } = report;
      context.terminal.out(
        jsonLine({
          folder,
          from: check.done,
          state,
          exit,
          allowed: judge.allowed,
          good: good.length,
          ...rest,
        }),
      );
      return exit;
    }
    const { terminal } = context;
    const paint = painter(terminal.colour);
    for (const line of sourceLines(context, reader, check)) terminal.out(`  ${line}\n`);
    const most = terminal.live ? 10 : Number.POSITIVE_INFINITY;
    for (const line of reportLines(report, { paint, most, allowed: judge.allowed }))
      terminal.out(`${line}\n`);
    if (state !== 'finished')
      terminal.out(`  ${paint('warn', '!')} the crawl is ${state}: what it did not reach is not checked\n`);
    return exit;
  } finally {
    await reader.close();
  }
}

/** Whether this is news: what was requested just now, or what an earlier run found. */
function sourceLines({ cwd }: CliContext, reader: FolderReader, { folder, done }: FolderCheck): string[] {
  const where = shownPath(folder, cwd);
  const ago = `${longSpan(reader.stoppedAgoMs)} ago`;
  if (done === 'earlier')
    return [
      `result of the check that ended ${ago}, from ${where}: nothing was requested. --fresh checks again`,
    ];
  if (done === 'read') return [`links of the crawl in ${where}, last active ${ago}: nothing was requested`];
  return [];
}

async function writeFiles(
  { cwd, version }: CliContext,
  report: LinkReport,
  { options: { junit, sarif }, folder }: Pick<FolderCheck, 'options' | 'folder'>,
): Promise<void> {
  const files: [string | undefined, () => string][] = [
    [junit, () => junitXml(report, shownPath(folder, cwd))],
    [sarif, () => sarifLog(report, version)],
  ];
  for (const [name, text] of files) {
    if (name === undefined) continue;
    const path = resolve(cwd, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text());
  }
}
