import type { CrawlDetail, CrawlListEntry } from '@webfarer/protocol/api';
import { crawlStates, jsonLine } from '@webfarer/protocol/crawl';
import { type ShownState, shownState, stateTable } from '@webfarer/protocol/numbers';
import { Option } from 'commander';
import type { CliContext } from '../../context/context.ts';
import type { CoordinatorAt } from '../../network/coordinator-at.ts';
import { count, longSpan, rate } from '../../terminal/format.ts';
import { type Column, tableLines } from '../../terminal/table.ts';
import { usableColumns } from '../../terminal/terminal.ts';
import { clean, painter } from '../../terminal/text.ts';
import { collect, type CommandHome, lineLimit } from '../home.ts';
import { addAt, asking, reach, type RemoteOptions } from './remote.ts';

interface LsOptions extends RemoteOptions {
  tag?: string[];
  state?: (typeof crawlStates)[number][];
  limit?: string;
}

const USUAL_LINES = 100;
/** Each costs a question; a longer list shows names and states alone. */
const MOST_IN_DETAIL = 50;
const PAGE = 1_000;

export function addLsCommand({ program, context }: CommandHome): void {
  const command = program
    .command('ls')
    .description(
      'Lists the crawls of a coordinator in the order of their creation, and how far each has come.',
    )
    .option('--tag <tag>', 'only crawls that have this tag; repeatable', collect)
    .addOption(new Option('--state <state...>', 'only crawls in one of these states').choices(crawlStates))
    .option('--limit <n>', `the most to list (default: ${USUAL_LINES}, all with --json)`)
    .option('--json', 'as JSON lines');
  addAt(command).action(async (options: LsOptions) => await list(context, options));
}

async function list(context: CliContext, options: LsOptions): Promise<void> {
  const { terminal, launcher } = context;
  const at = await reach(context, options);
  const most = lineLimit(options.limit, options.json ? Number.POSITIVE_INFINITY : USUAL_LINES);
  const { found, more } = await asking(context, at, read(at, options, most));
  if (options.json) {
    for (const crawl of found) terminal.out(jsonLine(crawl));
    return;
  }
  if (found.length === 0) {
    const isAll = options.tag === undefined && options.state === undefined;
    return terminal.out(
      isAll ? `  no crawl yet   start one:  ${launcher} start job.yml\n` : '  no crawl matches\n',
    );
  }
  const rows = await asking(context, at, inDetail(at, found));
  const size = { columns: usableColumns(terminal), paint: painter(terminal.colour) };
  for (const line of tableLines(rows, columnsFor(context, rows), size)) terminal.out(`${line}\n`);
  for (const { name, failure, deletedAtMs } of rows) {
    if (failure) {
      terminal.out(`  ! ${clean(name)}: ${clean(failure.message)}\n`);
      if (failure.next !== undefined) terminal.out(`    ${clean(failure.next)}\n`);
    }
    if (deletedAtMs !== undefined)
      terminal.out(
        `  ${clean(name)} will be deleted in ${longSpan(Math.max(0, deletedAtMs - context.clock.now()))} (retention)\n`,
      );
  }
  if (more) terminal.out(`  more than ${count(most)}: --limit shows more, --tag and --state fewer\n`);
}

async function read(
  { api }: CoordinatorAt,
  { tag = [], state = [] }: LsOptions,
  most: number,
): Promise<{ found: CrawlListEntry[]; more: boolean }> {
  const found: CrawlListEntry[] = [];
  for (let after: string | undefined = ''; after !== undefined && found.length < most; ) {
    const limit = Math.min(PAGE, most - found.length);
    const page = await api.listCrawls({ query: { tag, state, after, limit } });
    found.push(...page.items);
    after = page.next;
    if (found.length >= most) return { found, more: after !== undefined };
  }
  return { found, more: false };
}

type Row = CrawlListEntry & Pick<CrawlDetail, 'progress'>;

async function inDetail({ api }: CoordinatorAt, found: CrawlListEntry[]): Promise<Row[]> {
  if (found.length > MOST_IN_DETAIL) return found;
  return await Promise.all(
    // One that was deleted meanwhile is still in the list that was asked for.
    found.map((entry) => api.getCrawl({ params: { crawl: entry.id } }).catch(() => entry)),
  );
}

const stateOf = ({ state, progress }: Row): ShownState => shownState({ ...progress, state });
const stateStyles = { good: 'good', calm: 'plain', warn: 'warn', bad: 'bad' } as const;

function columnsFor({ clock }: CliContext, rows: Row[]): Column<Row>[] {
  const has = (of: (row: Row) => boolean) => rows.some(of);
  const nowMs = clock.now();
  return [
    { title: 'crawl', value: ({ name }) => name, wide: true },
    {
      title: 'state',
      value: (row) => stateTable[stateOf(row)].words.en,
      style: (row) => stateStyles[stateTable[stateOf(row)].tone],
    },
    ...(has(({ progress }) => progress !== undefined)
      ? ([
          {
            title: 'done',
            value: ({ progress }) => (progress ? count(progress.balance.done) : ''),
            right: true,
          },
          {
            title: 'queued',
            value: ({ progress }) => (progress ? count(progress.balance.queued) : ''),
            right: true,
          },
          {
            title: 'failed',
            value: ({ progress }) => (progress ? count(progress.balance.failed) : ''),
            right: true,
          },
        ] satisfies Column<Row>[])
      : []),
    ...(has(({ state }) => state === 'running')
      ? ([
          {
            title: 'pages/s',
            value: ({ state, progress }) =>
              state === 'running' && progress ? rate(progress.pagesPerSecond) : '',
            right: true,
          },
        ] satisfies Column<Row>[])
      : []),
    {
      title: 'created',
      value: ({ createdAtMs }) => `${longSpan(Math.max(0, nowMs - createdAtMs))} ago`,
      right: true,
    },
    ...(has(({ tags }) => tags.length > 0)
      ? ([
          { title: 'tags', value: ({ tags }) => tags.join(', '), cut: 'end', wide: true },
        ] satisfies Column<Row>[])
      : []),
  ];
}
