import type { SchedulePreview } from '@webfarer/protocol/api';
import { When } from '../parts/when.tsx';
import { scheduleText } from '../text/schedule-text.ts';
import { useTextOf } from '../text/use-text.tsx';

/** A schedule in words, and its next runs in local time. */
export function NextRuns({ preview }: { preview: SchedulePreview }) {
  const words = useTextOf(scheduleText);
  const { words: sentence, instants } = preview;
  return (
    <>
      <p className="schedule-words" lang="en">
        <bdi>{sentence}</bdi>
      </p>
      {instants.length === 0 ? <p className="soft">{words.noRuns}</p> : null}
      <ol className="next-runs" aria-label={words.nextRuns}>
        {instants.map(({ utc, startsUtc, local }) => (
          <li key={utc}>
            <When atMs={Date.parse(startsUtc)} />
            {isElsewhere(utc, local) ? (
              <span className="soft">
                <bdi>{local.replace('T', ' ').replace(/:\d\d(?=[+-]|Z)/, ' ')}</bdi>
              </span>
            ) : null}
          </li>
        ))}
      </ol>
    </>
  );
}

/** Whether the clocks of the schedule's time zone show another time than the reader's. */
function isElsewhere(utc: string, local: string): boolean {
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)$/.exec(local) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1);
  return offset !== -new Date(utc).getTimezoneOffset();
}
