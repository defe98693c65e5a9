import { rm } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { Url } from '@webfarer/protocol';
import { jsonLine } from '@webfarer/protocol/crawl';
import { measureThresholds } from '@webfarer/protocol/job';
import { createScope, originOf } from '@webfarer/protocol/url';
import type { CliContext } from '../context/context.ts';
import type { Summary } from '../crawl/crawl-run.ts';
import { absentLines } from '../folder/absent-results.ts';
import { type SessionEnd, watchCrawl } from './crawl-session.ts';
import { findChanges } from '../folder/change-counts.ts';
import { type Ending, endingExit, endingOf, isOwnFault } from '../crawl/ending.ts';
import { folderCommands, isDirectory, shownPath } from '../folder/folders.ts';
import type { FolderReader, OpenedCrawl, OpenOptions, Resumed } from '../crawl/local-port.ts';
import { describeSaved } from '../folder/saved-files.ts';
import { createTally, type Tally, tally } from '../crawl/tally.ts';
import { type BannerFacts, banner } from '../view/banner.ts';
import { findings } from '../view/findings.ts';
import { count, longSpan, plural } from '../terminal/format.ts';
import { createJsonView } from '../view/json-view.ts';
import { createLiveView } from '../view/live-view.ts';
import { createPlainView } from '../view/plain-view.ts';
import { nothingLeft, summaryLines, thresholdLines } from '../view/summary.ts';
import { usableColumns } from '../terminal/terminal.ts';
import type { View } from '../view/view.ts';
import { closedDoorLines } from '../view/closed-door.ts';
import { countItemChanges } from '../folder/item-changes-file.ts';
import { writeItemsCsv } from '../folder/items-csv.ts';

/** A crawl as a command wants it: what to open, how to speak of it, what to do at the end. */
export interface CrawlPlan {
  open: OpenOptions;
  /** As typed: `example.org`, `job.yml`. */
  typed: string;
  /** Best guess until the crawl says which it took. */
  seeds: readonly Url[];
  typedPrivate: readonly string[];
  /** Name command-line options in the banner. */
  hints: boolean;
  json: boolean;
  quiet: boolean;
  /** Also write the items here, as CSV. */
  items?: string;
  /** Keys that say something beside those of every crawl. */
  keys: Readonly<Record<string, () => string[]>>;
  /** The command that resumes this crawl. */
  goOn: string;
  /** How to resume after a limit. */
  goFurther: (limitedBy: Summary['limitedBy'], summary: Summary) => string;
}

/** Longer, and it is said what is waited for. */
const SLOW_OPEN_MS = 1_000;

/** Runs a crawl with a view and returns the exit code. */
export async function runCrawl(context: CliContext, plan: CrawlPlan): Promise<number> {
  const followed = await followCrawl(context, plan);
  if (followed.over) return await sayNothingLeft(context, plan, followed);
  try {
    return await sumUp(context, plan, followed);
  } finally {
    followed.stopping.end();
  }
}

/** A crawl that was watched to its end, or one that was over before: then nothing was requested. */
export type FollowedCrawl =
  | { over: true; opened: OpenedCrawl; resumed: Resumed; view: View }
  | ({ over: false; view: View; existed: boolean; resumed: Resumed | undefined } & SessionEnd);

/** Opens the crawl and shows it until it ends. */
export async function followCrawl(context: CliContext, plan: CrawlPlan): Promise<FollowedCrawl> {
  const existed = await isDirectory(plan.open.folder);
  const opened = await openPatiently(context, plan);
  const { resumed } = opened;
  const seeds = opened.seeds ?? plan.seeds;
  const view = chooseView(context, plan);
  if (resumed && isOver(resumed)) return { over: true, opened, resumed, view };
  for (const warning of [...(opened.store?.warnings ?? []), ...(opened.warnings ?? [])])
    view.note({ style: 'warn', text: `! ${warning}` });
  if (resumed) view.print(resumeLines(resumed, plan, context));
  else view.print(recrawlLines(plan, context));
  const scope = createScope(plan.open.job, [...seeds]);
  const session = await watchCrawl({
    context,
    run: opened.run,
    view,
    keys: plan.keys,
    banner: (facts) =>
      bannerOf(context, plan, {
        ...facts,
        seeds,
        resumed: resumed !== undefined,
        ...(opened.store ? { store: opened.store.promise } : {}),
      }),
    inScope: (url) => scope.decide({ url, depth: 0, parentCost: 0, kind: 'page', hops: 1 }).in,
  });
  return { over: false, view, existed, resumed, ...session };
}

/** From the end of the crawl to the exit code: what a person reads last. */
export async function sumUp(
  context: CliContext,
  plan: CrawlPlan,
  { view, summary, unsaid, existed }: Pick<Conclusion, 'view' | 'summary' | 'unsaid' | 'existed'>,
): Promise<number> {
  if (summary.state !== 'finished' && summary.state !== 'limited')
    return await saidStopped(context, plan, { view, summary, unsaid });
  const reader = await context.local.readFolder(plan.open.folder);
  try {
    const counts = await tally(reader.results.records(reader.crawl));
    const ending = await conclude(context, plan, { view, summary, counts, unsaid, reader, existed });
    await reader.close();
    // Kept, it would answer the same command with "nothing left" after the site has changed its mind.
    if (
      !existed &&
      (ending === 'no-such-host' || ending === 'nothing-allowed' || isOwnFault(ending, summary))
    ) {
      await rm(plan.open.folder, { recursive: true, force: true });
    }
    return endingExit[ending];
  } finally {
    await reader.close();
  }
}

/** A crawl that was stopped on the way is not looked at page by page, nor is a store asked that may be dead. */
async function saidStopped(
  context: CliContext,
  plan: CrawlPlan,
  { view, summary, unsaid }: Pick<Conclusion, 'view' | 'summary' | 'unsaid'>,
): Promise<number> {
  const thresholds = measureThresholds(plan.open.job.thresholds, summary.snapshot);
  const counts = createTally().result();
  const ending = endingOf({ summary, tally: counts, thresholds });
  const exit = endingExit[ending];
  if (plan.items !== undefined && summary.pause?.cause !== 'store')
    await exportItems(context, plan.open.folder, plan.items);
  if (plan.json) context.terminal.out(jsonLine({ ...summaryEvent(summary, ending, exit), thresholds }));
  const folder = shownPath(plan.open.folder, context.cwd).replace(/^\.\//, '');
  const nothing = { tally: counts, findings: [], saved: [], next: [] };
  view.print(unsaid);
  view.print(
    summaryLines({ summary, ending, thresholds, folder, goOn: plan.goOn, ...nothing }, size(context)),
  );
  return exit;
}

/** With an unreachable store or a slow first page, the user should know what the crawl waits for. */
async function openPatiently(context: CliContext, { open, json, quiet }: CrawlPlan): Promise<OpenedCrawl> {
  const { terminal, clock, cwd } = context;
  const opened = new AbortController();
  const waitsFor = open.job.store ? 'the store' : 'the first page';
  clock.sleep(SLOW_OPEN_MS, opened.signal).then(
    () => {
      if (!json && !quiet)
        terminal.out(`  opening ${shownPath(open.folder, cwd)}, waiting for ${waitsFor}\n`);
    },
    () => undefined,
  );
  try {
    return await context.local.openLocal({ ...open, ...(context.ledger ? { ledger: context.ledger } : {}) });
  } finally {
    opened.abort();
  }
}

function chooseView(context: CliContext, plan: CrawlPlan): View {
  const { terminal } = context;
  if (plan.json) return createJsonView(terminal);
  const { pages } = plan.open.job.limits;
  if (!terminal.live || plan.quiet) return createPlainView(terminal, { quiet: plan.quiet, pageLimit: pages });
  return createLiveView({
    terminal,
    keys: context.onKey !== undefined,
    ...(pages === undefined ? {} : { pageLimit: pages }),
  });
}

function bannerOf(
  context: CliContext,
  plan: CrawlPlan,
  facts: Pick<BannerFacts, 'seeds' | 'resumed' | 'store'>,
): string[] {
  if (plan.quiet) return [];
  const lines = banner(
    {
      ...facts,
      version: context.version,
      job: plan.open.job,
      typed: plan.typed,
      folder: shownPath(plan.open.folder, context.cwd),
      userAgent: plan.open.userAgent,
      typedPrivate: plan.typedPrivate.filter((origin) =>
        facts.seeds.some((seed) => originOf(seed) === origin),
      ),
      hints: plan.hints,
    },
    size(context),
  );
  return [...lines, ''];
}

function size({ terminal }: CliContext) {
  return { columns: usableColumns(terminal), colour: terminal.colour };
}

/** Finished, and nothing was put back since. */
function isOver({ state, balance }: Resumed): boolean {
  return state === 'finished' && balance.queued + balance.leased === 0;
}

function resumeLines(resumed: Resumed, plan: CrawlPlan, context: CliContext): string[] {
  if (plan.quiet) return [];
  const { open } = plan;
  const { balance, changed } = resumed;
  const folder = shownPath(plan.open.folder, context.cwd);
  if (resumed.shared) {
    const { overruled } = resumed.shared;
    const joining = `  joining ${open.job.name}: ${count(balance.done)} done, ${count(balance.queued + balance.leased)} queued   in ${folder}`;
    if (overruled.length === 0) return [joining];
    return [
      joining,
      `  the crawl keeps its settings; not applied: ${overruled.join(', ')}   (--rescope applies them)`,
    ];
  }
  const stopped = `stopped ${longSpan(resumed.stoppedAgoMs)} ago`;
  const lines = [
    `  resuming ${folder}, ${stopped}: ${count(balance.done)} done, ${count(balance.queued + balance.leased)} queued   (--fresh starts over)`,
  ];
  if (changed.length > 0) lines.push(`  changed since then, now in effect: ${changed.join(', ')}`);
  return lines;
}

function recrawlLines({ open, quiet }: CrawlPlan, { cwd }: CliContext): string[] {
  if (quiet || open.previous === undefined) return [];
  return [`  recrawling ${shownPath(open.previous, cwd)}: only what changed since then is fetched`];
}

async function sayNothingLeft(
  context: CliContext,
  plan: CrawlPlan,
  { opened, resumed, view }: Extract<FollowedCrawl, { over: true }>,
): Promise<number> {
  const summary = await opened.run;
  const thresholds = measureThresholds(plan.open.job.thresholds, summary.snapshot);
  const ending = endingOf({ summary, tally: await tallyOf(context, plan), thresholds });
  const exit = endingExit[ending];
  if (plan.json) context.terminal.out(jsonLine({ ...summaryEvent(summary, ending, exit), thresholds }));
  const lines = [
    nothingLeft(resumed.stoppedAgoMs, opened.store !== undefined),
    ...thresholdLines(thresholds, context.terminal.colour),
  ];
  const { failed } = summary.balance;
  if (failed > 0)
    lines.push(`  ${plural(failed, 'URL')} failed; try again:  ${context.launcher} retry --verdict failed`);
  view.print(lines);
  if (plan.items !== undefined) await exportItems(context, plan.open.folder, plan.items);
  return exit;
}

async function tallyOf(context: CliContext, { open }: CrawlPlan): Promise<Tally> {
  const reader = await context.local.readFolder(open.folder);
  try {
    return await tally(reader.results.records(reader.crawl));
  } finally {
    await reader.close();
  }
}

interface Conclusion {
  view: View;
  summary: Summary;
  counts: Tally;
  unsaid: string[];
  reader: FolderReader;
  /** The folder was there before. */
  existed: boolean;
}

async function conclude(context: CliContext, plan: CrawlPlan, how: Conclusion): Promise<Ending> {
  const { summary, counts, view } = how;
  const thresholds = measureThresholds(plan.open.job.thresholds, summary.snapshot);
  const ending = endingOf({ summary, tally: counts, thresholds });
  const exit = endingExit[ending];
  if (plan.items !== undefined) await writeItemsCsv(how.reader, plan.items);
  const changes = (await findChanges(how.reader, 0))?.counts;
  const itemChanges = changes && (await countItemChanges(plan.open.folder));
  if (plan.json)
    context.terminal.out(
      jsonLine({ ...summaryEvent(summary, ending, exit), thresholds, changes, itemChanges }),
    );
  const door = closedDoorLines(ending, {
    summary,
    tally: counts,
    typed: plan.typed,
    fromFile: plan.open.jobPath !== undefined,
    launcher: context.launcher,
    kept: how.existed || !isOwnFault(ending, summary),
  });
  if (door) {
    if (!plan.json) for (const line of door) context.terminal.err(`${line}\n`);
    return ending;
  }
  view.print([...how.unsaid, ...(await absentLines(how.reader)).map((line) => `  ${line}`)]);
  const folder = shownPath(plan.open.folder, context.cwd).replace(/^\.\//, '');
  const command = await folderCommands(context, plan.open.folder);
  view.print(
    summaryLines(
      {
        summary,
        ending,
        tally: counts,
        thresholds,
        ...(changes ? { changes: { counts: changes, hint: command('report --changes') } } : {}),
        ...(itemChanges
          ? { itemChanges: { counts: itemChanges, hint: command('export --items --changes') } }
          : {}),
        findings: findings(summary.snapshot, counts, command),
        saved: await describeSaved(plan.open.folder, summary),
        folder,
        goOn: plan.goOn,
        ...(summary.state === 'limited' ? { goFurther: plan.goFurther(summary.limitedBy, summary) } : {}),
        next: [
          ...mirrorHint(plan, context),
          `open ${folder}/report.html`,
          ...recrawlHint(plan, ending),
          command('export --csv'),
        ],
      },
      size(context),
    ),
  );
  return ending;
}

/** Where a person opens the mirror. */
function mirrorHint({ open: { job, jobPath, folder } }: CrawlPlan, { cwd }: CliContext): string[] {
  if (!job.mirror) return [];
  const base = jobPath === undefined ? cwd : dirname(jobPath);
  const to = job.mirror.folder === undefined ? join(folder, 'mirror') : resolve(base, job.mirror.folder);
  return [`open ${shownPath(join(to, 'index.html'), cwd).replace(/^\.\//, '')}`];
}

/** Offered where the command says what to crawl; with a limit or trouble something else comes first. */
function recrawlHint({ goOn, open }: CrawlPlan, ending: Ending): string[] {
  return ending === 'finished' && !open.job.store && /(?:^| )(?:crawl|run) /.test(goOn)
    ? [`${goOn} --recrawl`]
    : [];
}

function summaryEvent(summary: Summary, ending: Ending, exit: number) {
  const { state, balance, snapshot, limitedBy, pause, folder } = summary;
  return { type: 'summary', ending, exit, state, folder, limitedBy, pause, balance, snapshot };
}

async function exportItems(context: CliContext, folder: string, path: string): Promise<void> {
  const reader = await context.local.readFolder(folder);
  try {
    await writeItemsCsv(reader, path);
  } finally {
    await reader.close();
  }
}
