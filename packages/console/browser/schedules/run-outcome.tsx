import { Link } from '@tanstack/react-router';
import type { ScheduleRunShown } from '@webfarer/protocol/api';
import { Name } from '../parts/name.tsx';
import { scheduleText } from '../text/schedule-text.ts';
import { useTextOf } from '../text/use-text.tsx';

/** What became of a run, or why there was none. */
export function RunOutcome({ run }: { run: ScheduleRunShown }) {
  const words = useTextOf(scheduleText);
  const { kind, name, outcome, count } = run;
  const outcomes: Readonly<Record<string, string>> = words.outcomes;
  const said =
    outcome === undefined ? words.running : Object.hasOwn(outcomes, outcome) ? outcomes[outcome] : outcome;
  if (kind === 'skipped') return <span className="run-skipped">{words.skipped(count ?? 1, said ?? '')}</span>;
  return (
    <span className="run">
      {name === undefined || outcome === 'deleted' ? (
        <Name of={name ?? ''} />
      ) : (
        <Link to="/crawls/$crawl" params={{ crawl: name }} search={{}}>
          <Name of={name} />
        </Link>
      )}{' '}
      <span className="soft">{said}</span>
    </span>
  );
}
