import { WebfarerError } from '@webfarer/protocol';
import {
  missedRules,
  overlapRules,
  type ScheduleInput,
  type ScheduleShown,
  type ScheduleUnit,
} from '@webfarer/protocol/api';
import { jsonLine } from '@webfarer/protocol/crawl';
import { parseDuration } from '@webfarer/protocol/job';
import { Option } from 'commander';
import type { CliContext } from '../../context/context.ts';
import { collect, type CommandHome } from '../home.ts';
import { addAt, asking, reach, type RemoteOptions } from './remote.ts';
import { scheduleTable, sayRuns, sayWhen } from './schedule-lines.ts';
import { jobIn } from './start.ts';

interface AddOptions extends RemoteOptions {
  every?: string;
  cron?: string;
  first?: string;
  timeZone?: string;
  overlap?: ScheduleInput['overlap'];
  missed?: ScheduleInput['missed'];
  jitter?: string;
  runName?: string;
  tag?: string[];
  recrawl?: boolean;
  afterPrevious?: boolean;
  replace?: boolean;
}

/** `schedule add`, `ls`, `runs`, `pause`, `resume` and `rm`: when a coordinator starts crawls by itself. */
export function addScheduleCommand({ program, context }: CommandHome): void {
  const schedule = program
    .command('schedule')
    .description('Adds, lists, pauses, resumes and removes the schedules of a coordinator.')
    .helpCommand(false);
  const add = schedule
    .command('add')
    .description('starts a crawl again and again, as a job file or seeds describe it')
    .argument('<name>', 'name of the schedule: letters, digits, dots and dashes')
    .argument('<job.yml|url...>', 'a job file, or where the crawl begins')
    .option('--every <time>', "interval: 30min, 6h, 1d, 2w, '3 months'")
    .option('--cron <expression>', "five fields, or six with seconds first: '30 4 * * MON'")
    .option('--first <when>', 'first run of an interval: now, or 2026-12-01T04:30:00Z (default: in a minute)')
    .option('--time-zone <zone>', 'time zone of cron and of days: Europe/Paris', 'UTC')
    .addOption(
      new Option('--overlap <rule>', 'while a run is in progress').choices(overlapRules).default('skip'),
    )
    .addOption(
      new Option('--missed <rule>', 'due while no coordinator ran').choices(missedRules).default('once'),
    )
    .option('--after-previous', 'count from the end of the run before')
    .option('--jitter <time>', 'start each run up to this much later')
    .option('--run-name <template>', 'name of each crawl, with {COUNT}, {DATE} or {TIME}')
    .option('--tag <tag>', 'tag of each crawl; repeatable', collect)
    .option('--recrawl', 'fetch only what has changed since the last run')
    .option('--replace', 'replace a schedule of this name')
    .option('--json', 'the schedule as JSON');
  addAt(add).action((id: string, words: string[], options: AddOptions) =>
    create(context, { id, words, options }),
  );

  const ls = schedule.command('ls').alias('list').description('lists the schedules and when each runs next');
  addAt(ls.option('--json', 'as JSON lines')).action((options: RemoteOptions) => list(context, options));

  const runs = schedule
    .command('runs')
    .description('lists the last runs of a schedule and what was skipped, latest first')
    .argument('<name>');
  addAt(runs.option('--json', 'as JSON lines')).action(async (id: string, options: RemoteOptions) => {
    const at = await reach(context, options);
    sayRuns(
      context,
      (await asking(context, at, at.api.listScheduleRuns({ params: { schedule: id } }))).items,
      options,
    );
  });

  for (const [name, enabled, summary] of [
    ['pause', false, 'starts no more runs until it is resumed; a run in progress continues'],
    ['resume', true, 'starts runs again; those that were due meanwhile are not made up for'],
  ] as const) {
    const command = schedule.command(name).description(summary).argument('<name>');
    addAt(command.option('--json', 'the schedule as JSON')).action((id: string, options: RemoteOptions) =>
      enable(context, { id, enabled, options }),
    );
  }

  const rm = schedule.command('rm').description('removes a schedule; its crawls stay').argument('<name>');
  addAt(rm).action(async (id: string, options: RemoteOptions) => {
    const at = await reach(context, options);
    await asking(context, at, at.api.deleteSchedule({ params: { schedule: id } }));
    context.terminal.out(`  removed ${id}; its crawls stay\n`);
  });
}

async function create(
  context: CliContext,
  { id, words, options }: { id: string; words: string[]; options: AddOptions },
): Promise<void> {
  const { overlap, missed, runName, tag, recrawl = false, timeZone = 'UTC' } = options;
  const job = await jobIn(words, context.cwd);
  const schedule: ScheduleInput = {
    name: id,
    when: whenOf(options),
    timeZone,
    timing: options.afterPrevious ? 'after-previous' : 'regular',
    ...(overlap ? { overlap } : {}),
    ...(missed ? { missed } : {}),
    ...(options.jitter === undefined ? {} : { jitterMs: timeOf('--jitter', options.jitter) }),
    ...(runName === undefined ? {} : { runName }),
    run: { job },
    tags: tag ?? [],
    recrawl,
  };
  const at = await reach(context, options);
  const body = { schedule, ...(options.replace ? {} : { revision: 0 }) };
  const put = at.api.putSchedule({ params: { schedule: id }, body }).catch((error: unknown) => {
    if (!(error instanceof WebfarerError) || error.code !== 'conflict' || options.replace) throw error;
    throw new WebfarerError('conflict', `There is a schedule ${id} already.`, {
      next: 'Choose another name, or replace it with --replace.',
    });
  });
  sayWhen(context, await asking(context, at, put), options);
  if (!options.json && job.retention === undefined)
    context.terminal.out('  each run is kept until someone deletes it, unless its job sets retention\n');
}

const units: readonly (readonly [RegExp, ScheduleUnit])[] = [
  [/^(?:min|minutes?)$/, 'minutes'],
  [/^(?:h|hours?)$/, 'hours'],
  [/^(?:d|days?)$/, 'days'],
  [/^(?:w|weeks?)$/, 'weeks'],
  [/^months?$/, 'months'],
  [/^(?:y|years?)$/, 'years'],
];

function whenOf({ every, cron, first }: AddOptions): ScheduleInput['when'] {
  if ((every === undefined) === (cron === undefined))
    throw new WebfarerError('usage', 'A schedule needs an interval or a cron expression.', {
      next: "Give one of them: --every 1d, or --cron '30 4 * * MON'",
    });
  if (cron !== undefined && first !== undefined)
    throw new WebfarerError(
      'usage',
      '--first is for intervals; a cron expression says itself when it runs.',
      {
        next: 'Leave --first out, or use --every.',
      },
    );
  if (cron !== undefined) return { cron };
  const [, amount = '', word = ''] = /^\s*(\d+)\s*([a-z]+)\s*$/i.exec(every ?? '') ?? [];
  const unit = units.find(([pattern]) => pattern.test(word.toLowerCase()))?.[1];
  if (unit === undefined)
    throw new WebfarerError('usage', `--every ${every} is not an interval.`, {
      next: "For example 30min, 6h, 1d, 2w or '3 months'.",
    });
  return { every: Number(amount), unit, ...(first === undefined ? {} : { startsAt: firstOf(first) }) };
}

function firstOf(text: string): string {
  if (text === 'now') return text;
  const atMs = Date.parse(text);
  if (Number.isFinite(atMs)) return new Date(atMs).toISOString();
  throw new WebfarerError('usage', `--first ${text} is not a time.`, {
    next: 'Write now, or a date and time such as 2026-12-01T04:30:00Z.',
  });
}

function timeOf(option: string, text: string): number {
  const ms = parseDuration(text);
  if (ms !== undefined) return ms;
  throw new WebfarerError('usage', `${option} ${text} is not a time.`, { next: 'For example 90s or 10min.' });
}

interface SchedulePage {
  items: ScheduleShown[];
  next?: string | undefined;
}

async function list(context: CliContext, options: RemoteOptions): Promise<void> {
  const { terminal, launcher } = context;
  const at = await reach(context, options);
  const found: ScheduleShown[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const { items, next }: SchedulePage = await asking(
      context,
      at,
      at.api.listSchedules({ query: { after } }),
    );
    found.push(...items);
    after = next;
  }
  if (options.json) for (const one of found) terminal.out(jsonLine(one));
  else if (found.length === 0)
    terminal.out(`  no schedule yet   add one:  ${launcher} schedule add weekly job.yml --every 1w\n`);
  else for (const line of scheduleTable(context, found)) terminal.out(`${line}\n`);
}

/** The document as it is, with one field changed; refused if it changed in between. */
async function enable(
  context: CliContext,
  { id, enabled, options }: { id: string; enabled: boolean; options: RemoteOptions },
): Promise<void> {
  const at = await reach(context, options);
  const params = { schedule: id };
  const { schedule, revision } = await asking(context, at, at.api.getSchedule({ params }));
  const body = { schedule: { ...schedule, enabled }, revision };
  sayWhen(context, await asking(context, at, at.api.putSchedule({ params, body })), options);
}
