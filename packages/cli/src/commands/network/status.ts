import type { CrawlState } from '@webfarer/protocol';
import { endedBy, jsonLine, refusedByBudget } from '@webfarer/protocol/crawl';
import { shownBalance, shownState, stateTable } from '@webfarer/protocol/numbers';
import type { CliContext } from '../../context/context.ts';
import { findFolder, shownPath } from '../../folder/folders.ts';
import { noteAbsent, segmentsOption } from '../../folder/absent-results.ts';
import type { FolderReader } from '../../crawl/local-port.ts';
import type { NetworkStatus } from '@webfarer/coordinator';
import { collect, type CommandHome } from '../home.ts';
import { bytes, count, longSpan, plural, stopwatch } from '../../terminal/format.ts';
import { balanceLines, errorWords, reasonCountLines } from '../../view/summary.ts';
import { networkLines } from '../../view/network-lines.ts';
import { type Terminal, usableColumns } from '../../terminal/terminal.ts';
import { clean, painter } from '../../terminal/text.ts';
import { dueWords, stallWords } from '../../view/wording.ts';

export function addStatusCommand({ program, context }: CommandHome): void {
  program
    .command('status')
    .description(
      'Shows the progress of a crawl and what it waits for, even while it runs. For a coordinator, also its workers.',
    )
    .argument(
      '[folder|url|crawl]',
      'crawl folder (default: the only one here), the URL of a coordinator, or the name of one of its crawls',
    )
    .option('--at <url|folder>', 'the coordinator: its URL, or its --data folder')
    .option('--token-file <file>', "for an address: the coordinator's operator.token (or WEBFARER_TOKEN)")
    .option(...segmentsOption, collect)
    .option('--json', 'as JSON')
    .action(async (named: string | undefined, options: StatusOptions) => {
      const { terminal } = context;
      if (named !== undefined && (await isCrawlElsewhere(context, named, options))) {
        const { showCrawlStatus } = await import('../remote/crawl-status.ts');
        return await showCrawlStatus(context, named, options);
      }
      const network = await networkStatus(context, named, options);
      if (network) return showNetwork(terminal, network, options);
      const folder = await findFolder(named, context.cwd);
      const reader = await context.local.readFolder(folder, options);
      try {
        const status = await readStatus(reader);
        if (options.json) return terminal.out(jsonLine({ folder, ...status }));
        const size = { columns: usableColumns(terminal), colour: terminal.colour };
        for (const line of statusLines(status, shownPath(folder, context.cwd), size))
          terminal.out(`${line}\n`);
        await noteAbsent(context, reader);
      } finally {
        await reader.close();
      }
    });
}

interface StatusOptions {
  segments?: string[];
  at?: string;
  tokenFile?: string;
  json?: boolean;
}

/** A name that is no address and no folder here: a crawl of a coordinator. */
async function isCrawlElsewhere(
  context: CliContext,
  named: string,
  options: StatusOptions,
): Promise<boolean> {
  const { isAddress } = await import('../../network/coordinator-at.ts');
  if (isAddress(named)) return false;
  const { isRemote } = await import('../remote/remote.ts');
  return await isRemote(context, named, options);
}

/** The status that a coordinator reports; undefined without one. */
async function networkStatus(
  context: CliContext,
  typed: string | undefined,
  options: StatusOptions,
): Promise<NetworkStatus | undefined> {
  const { coordinatorAt, coordinatorIn, hasCoordinatorHere, isAddress } = await import(
    '../../network/coordinator-at.ts'
  );
  const named = typed ?? options.at;
  if (isAddress(named) || options.at !== undefined)
    return await (await coordinatorAt(context, { ...options, at: named })).status();
  const folder = await findFolder(named, context.cwd).catch(async (error: unknown) => {
    // No crawl is meant: the coordinator may be.
    if (named === undefined && (await hasCoordinatorHere(context))) return undefined;
    throw error;
  });
  if (folder === undefined) return await (await coordinatorAt(context, options)).status();
  // One that does not run is no trouble: the folder says where the crawl stands.
  const found = await coordinatorIn(context, folder, options).catch(() => undefined);
  return await found?.status().catch(() => undefined);
}

function showNetwork(terminal: Terminal, status: NetworkStatus, { json }: StatusOptions): void {
  if (json) return terminal.out(jsonLine(status));
  const size = { columns: usableColumns(terminal), colour: terminal.colour };
  for (const line of networkLines(status, size)) terminal.out(`${line}\n`);
}

type Status = Awaited<ReturnType<typeof readStatus>>;

async function readStatus(reader: FolderReader) {
  const { job, busy, stoppedAgoMs, elapsedMs, stall } = reader;
  const [stored, balance, totals, waiting, kept] = await Promise.all([
    reader.state(),
    reader.balance(),
    reader.totals(),
    reader.waiting(5),
    reader.kept(),
  ]);
  const held = stall ? { stall } : {};
  // The store knows that nothing is left; what limits of hosts refused is counted among the reasons.
  const state: CrawlState = stored === 'finished' && refusedByBudget(totals) ? 'limited' : stored;
  return { name: job.name, busy, stoppedAgoMs, elapsedMs, state, balance, totals, waiting, kept, ...held };
}

export function statusLines(
  status: Status,
  folder: string,
  size: { columns: number; colour: boolean },
): string[] {
  const paint = painter(size.colour);
  const { totals, waiting, balance } = status;
  const lines = [
    `  ${paint('strong', clean(status.name))}   ${stateText(status)}   ${paint('quiet', folder)}`,
    ...balanceLines(shownBalance(balance, status.busy), size.columns, paint),
    ...errorWords(totals).map((words) => `  ${words}`),
    `  ran ${stopwatch(status.elapsedMs)}   ${bytes(totals.bytes)} in   ${plural(totals.hosts, 'host')}   ${plural(totals.items, 'item')}   ${plural(totals.edges, 'link')}`,
  ];
  if (status.kept && status.kept.segments > 0) {
    const { records, segments, bytes: size } = status.kept;
    lines.push(`  ${plural(records, 'result')} written to ${plural(segments, 'file')}, ${bytes(size)}`);
  }
  lines.push(...reasonCountLines(totals));
  const less = endedBy({ ...status, byReason: totals.byReason, dropped: totals.dropped });
  if (less !== undefined) lines.push(`  ${less}`);
  if (status.stall) lines.push(`  waiting for ${stallWords(status.stall, totals.hostsQueued)}`);
  if (balance.queued > 0 && waiting.length > 0) lines.push('  next');
  for (const wait of balance.queued > 0 ? waiting : []) {
    lines.push(`    ${clean(wait.host)}   ${count(wait.queued)} queued   ${dueWords(wait, status.busy)}`);
  }
  return lines;
}

function stateText(status: Pick<Status, 'state' | 'busy' | 'stoppedAgoMs' | 'balance' | 'stall'>): string {
  const { state, busy, stoppedAgoMs } = status;
  const shown = shownState(status);
  if (busy) return shown === 'running' ? 'running now' : stateTable[shown].words.en;
  // No process holds the folder, so "running" is only what one that died left behind.
  const word = state === 'running' ? 'interrupted' : stateTable[shown].words.en;
  return `${word} ${longSpan(stoppedAgoMs)} ago`;
}
