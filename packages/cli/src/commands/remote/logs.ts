import { type WebfarerEvent, WebfarerError } from '@webfarer/protocol';
import type { CrawlDetail, LoggedEvent } from '@webfarer/protocol/api';
import { jsonLine } from '@webfarer/protocol/crawl';
import { Option } from 'commander';
import type { CliContext } from '../../context/context.ts';
import type { CoordinatorAt } from '../../network/coordinator-at.ts';
import { serverSentIn } from '../../network/server-sent.ts';
import { timeOfDay } from '../../terminal/format.ts';
import { clean, painter, type Style } from '../../terminal/text.ts';
import { eventWords } from '../../view/event-words.ts';
import { type CommandHome, lineLimit } from '../home.ts';
import { awaitCrawl } from './await-crawl.ts';
import { addAt, asking, findCrawl, reach, type RemoteOptions } from './remote.ts';

interface LogOptions extends RemoteOptions {
  follow?: boolean;
  pages?: boolean;
  level: LoggedEvent['level'];
  limit?: string;
}

const USUAL_LINES = 200;
const AGAIN_MS = 1_000;
const over: ReadonlySet<unknown> = new Set(['finished', 'limited', 'stopped']);

export function addLogsCommand({ program, context }: CommandHome): void {
  const command = program
    .command('logs')
    .description(
      'Prints what happened to a crawl at a coordinator, or everything that happened there: starts, pauses, waits, troubles, ends.',
    )
    .argument(
      '[crawl]',
      'name of the crawl, or of a schedule: its latest run (default: the whole coordinator)',
    )
    .addOption(
      new Option('--level <level>', 'only events of at least this level')
        .choices(['info', 'warn', 'error'])
        .default('info'),
    )
    .option('--limit <n>', 'the most events of the past, the latest ones', String(USUAL_LINES))
    .option('--follow', 'then print what happens, until the crawl is over')
    .option('--pages', 'with --follow: also a line for every page')
    .option('--json', 'as JSON lines');
  addAt(command).action(async (named: string | undefined, options: LogOptions) => {
    await print(context, named, options);
  });
}

async function print(context: CliContext, named: string | undefined, options: LogOptions): Promise<void> {
  const at = await reach(context, options);
  const crawl =
    named === undefined
      ? undefined
      : await (options.follow
          ? awaitCrawl(context, at, named)
          : asking(context, at, findCrawl(context, at, named)));
  const write = writer(context, crawl, options);
  const past = async (): Promise<ReadonlySet<string>> => {
    const events = await asking(context, at, pastEvents(at, crawl, options));
    for (const event of events) write(event);
    return new Set(events.map((event) => jsonLine(event)));
  };
  if (!options.follow || (crawl && over.has(crawl.state))) await past();
  else await follow(context, { at, crawl, past, write });
}

async function pastEvents(
  { streams }: CoordinatorAt,
  crawl: CrawlDetail | undefined,
  options: LogOptions,
): Promise<LoggedEvent[]> {
  const query = { limit: lineLimit(options.limit, USUAL_LINES), level: options.level };
  const lines = crawl
    ? await streams.readCrawlLog({ params: { crawl: crawl.id }, query })
    : await streams.readLog({ query });
  const events: LoggedEvent[] = [];
  for await (const event of lines) events.push(event);
  return events;
}

interface Following {
  at: CoordinatorAt;
  crawl: CrawlDetail | undefined;
  /** Prints what happened before, and answers it. */
  past: () => Promise<ReadonlySet<string>>;
  write: (event: LoggedEvent) => void;
}

/** First listens, then prints the past: what happens in between is in both, and printed once. */
async function follow(context: CliContext, { at, crawl, past, write }: Following): Promise<void> {
  const leave = new AbortController();
  const unlisten = context.onInterrupt(() => leave.abort());
  let after: string | undefined;
  let before: ReadonlySet<string> = new Set();
  try {
    while (!leave.signal.aborted) {
      try {
        const query = {
          topic: 'events',
          ...(crawl ? { crawl: crawl.id } : {}),
          ...(after ? { after } : {}),
        } as const;
        const texts = await at.streams.followEvents({ query, signal: leave.signal });
        for await (const { type, id, data } of serverSentIn(texts)) {
          if (after === undefined) before = await past();
          after = id;
          if (type !== 'events') continue;
          const { events } = JSON.parse(data) as { events: LoggedEvent[] };
          for (const event of events) if (!before.has(jsonLine(event))) write(event);
          if (crawl && events.some((event) => event.type === 'crawl-state' && over.has(event['state'])))
            return;
        }
      } catch (error) {
        if (leave.signal.aborted) return;
        if (!(error instanceof WebfarerError) || !['link-lost', 'starting'].includes(error.code)) throw error;
        context.terminal.err(`  … ${clean(error.message)}; retrying\n`);
      }
      await context.clock.sleep(AGAIN_MS, leave.signal).catch(() => undefined);
    }
  } finally {
    unlisten();
  }
}

const rank = { debug: -1, info: 0, warn: 1, error: 2 } as const;
const styles: Record<string, Style> = { warn: 'warn', error: 'bad' };

/** Prints events whose level is wanted. */
function writer(
  { terminal, clock }: CliContext,
  crawl: CrawlDetail | undefined,
  { json, pages, level }: LogOptions,
): (event: LoggedEvent) => void {
  const paint = painter(terminal.colour);
  const least = pages ? rank.debug : rank[level];
  return (event) => {
    if (rank[event.level] < least) return;
    if (json) return terminal.out(jsonLine(event));
    const { at, level: _level, ...rest } = event;
    const { text } = eventWords(rest as unknown as WebfarerEvent, (id) => crawl?.name ?? id);
    const time = paint('quiet', timeOfDay(Date.parse(at), clock.now()));
    terminal.out(`  ${time}  ${paint(styles[event.level] ?? 'plain', clean(text))}\n`);
  };
}
