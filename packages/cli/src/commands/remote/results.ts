import { once } from 'node:events';
import type { Edge, PageRecord } from '@webfarer/protocol';
import type { StreamedEntry } from '@webfarer/protocol/api';
import { jsonLine } from '@webfarer/protocol/crawl';
import { Option } from 'commander';
import type { CliContext } from '../../context/context.ts';
import type { CoordinatorAt } from '../../network/coordinator-at.ts';
import { bytes, plural } from '../../terminal/format.ts';
import { clean, padEnd, padStart, painter } from '../../terminal/text.ts';
import { reasonName } from '../../view/wording.ts';
import { type CommandHome, lineLimit } from '../home.ts';
import { recordFilterOf, type RecordOptions } from '../record-filter.ts';
import { awaitCrawl } from './await-crawl.ts';
import { addAt, asking, findCrawl, reach, type RemoteOptions } from './remote.ts';

interface ResultOptions extends RemoteOptions, RecordOptions {
  kind: keyof typeof reads;
  limit?: string;
  after?: string;
  consumer?: string;
  follow?: boolean;
}

const reads = { pages: 'readResults', items: 'readItems', links: 'readLinks' } as const;
const USUAL_LINES = 100;
/** Until a person who follows is told what the crawl waits for. */
const WAITS = ['3s', '10s'] as const;

export function addResultsCommand({ program, context }: CommandHome): void {
  const command = program
    .command('results')
    .description(
      'Prints what became of each URL, what scrapers returned, or the links of pages, in the order they were recorded. --json prints every line as the API sends it, each with the token to continue behind.',
    )
    .argument('[crawl]', 'name of the crawl, or of a schedule: its latest run (default: the only crawl)')
    .addOption(new Option('--kind <kind>', 'what to print').choices(Object.keys(reads)).default('pages'))
    .addOption(new Option('--verdict <verdict>', 'by verdict').choices(['failed', 'refused', 'done']))
    .option('--reason <code>', 'by reason: timeout, robots-unreachable, …')
    .option('--status <status>', 'by HTTP status: 404, or a class such as 5xx')
    .option('--host <host>', 'only URLs of this host')
    .option(
      '--limit <n>',
      `the most outcomes to print (default: ${USUAL_LINES}, all with --json or --follow)`,
    )
    .option('--after <token>', 'only what comes behind this token')
    .option('--consumer <name>', 'only what is new since this name was used last; the coordinator remembers')
    .option('--follow', 'wait for more until the crawl is over')
    .option('--json', 'as JSON lines');
  addAt(command).action(async (named: string | undefined, options: ResultOptions) => {
    await print(context, named, options);
  });
}

/** The end of one answer: where to continue, and whether there is more to come. */
interface Bookmark {
  token: string;
  more: boolean;
  over: boolean;
  state: string;
  absent?: number | undefined;
}

async function print(context: CliContext, named: string | undefined, options: ResultOptions): Promise<void> {
  const filter = recordFilterOf(options);
  const at = await reach(context, options);
  const find = options.follow
    ? awaitCrawl(context, at, named)
    : asking(context, at, findCrawl(context, at, named));
  const { id } = await find;
  const isAll = options.json === true || options.follow === true;
  let left = lineLimit(options.limit, isAll ? Number.POSITIVE_INFINITY : USUAL_LINES);
  const leave = new AbortController();
  const unlisten = context.onInterrupt(() => leave.abort());
  let from: { after?: string; consumer?: string } = fromOf(options);
  let printed = 0;
  let quiet = 0;
  try {
    for (;;) {
      const wait = WAITS[Math.min(quiet, WAITS.length - 1)] ?? '0s';
      const query = { ...filter, ...from, ...(options.follow ? { wait } : {}), ...limitOf(left) };
      const lines = await at.streams[reads[options.kind]]({
        params: { crawl: id },
        query,
        signal: leave.signal,
      });
      const { outcomes, bookmark } = await printLines(context, lines, options);
      printed += outcomes;
      left -= outcomes;
      if (!bookmark) return;
      await acknowledge(at, { crawl: id, token: bookmark.token }, options);
      from = { after: bookmark.token };
      quiet = outcomes === 0 ? quiet + 1 : 0;
      if (options.follow && quiet > 0 && !bookmark.over) await sayWaiting(context, at, id);
      if (left > 0 && (options.follow ? !bookmark.over : bookmark.more)) continue;
      if (!options.json) context.terminal.out(endWords(printed, bookmark, options));
      return;
    }
  } catch (error) {
    // A person who has seen enough is not told of an error.
    if (!leave.signal.aborted) throw error;
  } finally {
    unlisten();
  }
}

/** On stderr: stdout is for results. */
async function sayWaiting({ terminal }: CliContext, { api }: CoordinatorAt, crawl: string): Promise<void> {
  const { name, state, progress } = await api.getCrawl({ params: { crawl } });
  const why = progress?.pause?.text ?? progress?.stall?.text;
  terminal.err(`  … ${clean(name)} is ${state}${why === undefined ? '' : `: ${clean(why)}`}\n`);
}

function fromOf({ after, consumer }: ResultOptions) {
  return { ...(after === undefined ? {} : { after }), ...(consumer === undefined ? {} : { consumer }) };
}

function limitOf(left: number): { limit?: number } {
  return Number.isFinite(left) ? { limit: left } : {};
}

async function acknowledge(
  { api }: CoordinatorAt,
  { crawl, token }: { crawl: string; token: string },
  { consumer }: ResultOptions,
): Promise<void> {
  if (consumer === undefined) return;
  await api.acknowledgeResults({ params: { crawl, consumer }, body: { token } });
}

type Line = (StreamedEntry & { token?: string | undefined }) | ({ kind: 'bookmark' } & Bookmark);

/** At the pace the reader takes them. */
async function printLines(
  { stdout, terminal }: CliContext,
  lines: AsyncIterable<unknown>,
  { json }: ResultOptions,
): Promise<{ outcomes: number; bookmark: Bookmark | undefined }> {
  const paint = painter(terminal.colour);
  let outcomes = 0;
  let bookmark: Bookmark | undefined;
  for await (const line of lines as AsyncIterable<Line>) {
    if (line.kind === 'bookmark') bookmark = line;
    else if (line.token !== undefined) outcomes++;
    const text = json ? jsonLine(line) : line.kind === 'bookmark' ? '' : lineOf(line, paint);
    if (text !== '' && !stdout.write(text)) await once(stdout, 'drain');
  }
  return { outcomes, bookmark };
}

function lineOf(entry: StreamedEntry, paint: ReturnType<typeof painter>): string {
  switch (entry.kind) {
    case 'record':
      return recordLine(entry.record as unknown as PageRecord, paint);
    case 'item':
      return jsonLine(entry.item);
    case 'links':
      return entry.edges
        .map((edge) => `  ${clean(entry.url)}  →  ${clean((edge as unknown as Edge).to)}\n`)
        .join('');
  }
}

function recordLine(record: PageRecord, paint: ReturnType<typeof painter>): string {
  const { verdict, reason, status, url } = record;
  const isStatus = status !== undefined && (reason === 'ok' || reason.startsWith('http-'));
  const outcome = isStatus ? String(status) : reasonName(reason);
  const style = verdict === 'done' ? 'good' : verdict === 'failed' ? 'bad' : 'warn';
  const size = padStart(bytes(record.bytes), 7);
  return `  ${paint(style, padEnd(outcome, 20))}  ${size}  ${clean(url)}\n`;
}

function endWords(
  printed: number,
  { more, over, state, absent = 0 }: Bookmark,
  { follow }: ResultOptions,
): string {
  const rest = more
    ? 'there are more: --limit shows more, --json all'
    : over
      ? `the crawl is ${state}`
      : `the crawl is ${state}${follow ? '' : '; --follow waits for more'}`;
  const lost =
    absent > 0 ? `   ${plural(absent, 'result')} in files that this coordinator does not have` : '';
  return `  ${plural(printed, 'result')}   ${rest}${lost}\n`;
}
