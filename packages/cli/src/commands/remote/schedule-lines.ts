import type { ScheduleRunShown, ScheduleShown } from '@webfarer/protocol/api';
import { jsonLine } from '@webfarer/protocol/crawl';
import { shellWords } from '../../context/command-line.ts';
import type { CliContext } from '../../context/context.ts';
import { count, longSpan, plural, timeOfDay } from '../../terminal/format.ts';
import { tableLines } from '../../terminal/table.ts';
import { usableColumns } from '../../terminal/terminal.ts';
import { clean, painter } from '../../terminal/text.ts';
import type { RemoteOptions } from './remote.ts';

/** One schedule after it was written: when it runs, and what to type to see that. */
export function sayWhen(context: CliContext, shown: ScheduleShown, { json }: RemoteOptions): void {
  const { terminal, launcher } = context;
  if (json) return terminal.out(jsonLine(shown));
  terminal.out(`  ${clean(shown.id)}: ${clean(shown.words)}\n`);
  if (!shown.schedule.enabled)
    return terminal.out(`  paused; resume it:  ${launcher} schedule resume ${shown.id}\n`);
  terminal.out(`  next run ${nextWords(context, shown)}\n`);
  terminal.out(`  follow it:  ${launcher} results ${shellWords([shown.id])} --follow\n`);
}

/** `in 7 days, at 04:30:00`; in words where none is due. */
function nextWords({ clock }: CliContext, { next, waiting }: ScheduleShown): string {
  if (waiting.length > 0) return `after the one in progress; ${plural(waiting.length, 'run')} waiting`;
  if (next === undefined) return 'after the one in progress';
  const [startMs, nowMs] = [Date.parse(next.startsUtc), clock.now()];
  return startMs - nowMs < 5_000 ? 'now' : `in ${longSpan(startMs - nowMs)}, at ${timeOfDay(startMs, nowMs)}`;
}

export function scheduleTable(context: CliContext, found: readonly ScheduleShown[]): string[] {
  const { terminal } = context;
  const size = { columns: usableColumns(terminal), paint: painter(terminal.colour) };
  const lines = tableLines(
    found,
    [
      { title: 'schedule', value: ({ id }) => id },
      { title: 'when', value: ({ words }) => words, wide: true, cut: 'end' },
      {
        title: 'next run',
        value: (one) => (one.schedule.enabled ? nextWords(context, one) : 'paused'),
        style: ({ schedule }) => (schedule.enabled ? 'plain' : 'warn'),
      },
      { title: 'runs', value: ({ runs }) => count(runs), right: true },
      {
        title: 'last run',
        value: ({ lastRun }) => (lastRun ? outcomeOf(lastRun) : ''),
        wide: true,
        cut: 'end',
      },
    ],
    size,
  );
  const troubles = found.flatMap(({ id, lastError }) =>
    lastError ? [`  ! ${clean(id)}: ${clean(lastError.text)} ${clean(lastError.next)}`] : [],
  );
  return [...lines, ...troubles];
}

function outcomeOf({ kind, name, outcome, count: skipped }: ScheduleRunShown): string {
  if (kind === 'skipped') return `${plural(skipped ?? 1, 'instant')} skipped: ${outcome ?? ''}`;
  return `${outcome ?? 'running'}: ${name ?? ''}`;
}

export function sayRuns(
  context: CliContext,
  runs: readonly ScheduleRunShown[],
  { json }: RemoteOptions,
): void {
  const { terminal, clock } = context;
  if (json) {
    for (const run of runs) terminal.out(jsonLine(run));
    return;
  }
  if (runs.length === 0) return terminal.out('  it has not run yet\n');
  const nowMs = clock.now();
  const lines = tableLines(
    runs,
    [
      { title: 'due', value: ({ dueUtc }) => timeOfDay(Date.parse(dueUtc), nowMs) },
      { title: 'outcome', value: ({ kind, outcome = 'running' }) => (kind === 'run' ? outcome : 'skipped') },
      {
        title: 'crawl',
        value: (run) => (run.kind === 'run' ? (run.name ?? '') : outcomeOf(run)),
        wide: true,
      },
    ],
    { columns: usableColumns(terminal), paint: painter(terminal.colour) },
  );
  for (const line of lines) terminal.out(`${line}\n`);
}
