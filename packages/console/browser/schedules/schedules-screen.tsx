import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ScheduleShown } from '@webfarer/protocol/api';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { textOfJob } from '../job/first-text.ts';
import { Name } from '../parts/name.tsx';
import { Failure } from '../parts/notices.tsx';
import { PagedTable } from '../parts/paged-table.tsx';
import { When } from '../parts/when.tsx';
import { scheduleText } from '../text/schedule-text.ts';
import { useText, useTextOf } from '../text/use-text.tsx';
import { RunOutcome } from './run-outcome.tsx';
import { ScheduleForm } from './schedule-form.tsx';
import '../style/crawl.css';
import '../style/job.css';

const againMs = 15_000;

/** Crawls that begin on their own: when next, and how the last one went. */
export function SchedulesScreen() {
  const words = useTextOf(scheduleText);
  const navigate = useNavigate();
  const mayOperate = useMayOperate();
  const { create = false, from } = useSearch({ from: '/schedules' });
  const show = (search: { create?: boolean }) => void navigate({ to: '/schedules', search });
  if (create && mayOperate) return <NewSchedule from={from} cancel={() => show({})} />;
  return (
    <>
      <div className="crawl-head">
        <h1>{words.title}</h1>
        <div className="actions">
          <Link to="/policies">{words.policies}</Link>
          {mayOperate ? <Button onClick={() => show({ create: true })}>{words.new}</Button> : null}
        </div>
      </div>
      <ScheduleList />
    </>
  );
}

function NewSchedule({ from, cancel }: { from: string | undefined; cancel: () => void }) {
  const words = useTextOf(scheduleText);
  const { loading } = useText();
  const { client } = useConnected();
  const { data, error, refetch } = useQuery({
    queryKey: ['job of', from],
    enabled: from !== undefined,
    queryFn: () => client.getCrawl({ params: { crawl: from ?? '' } }),
    retry: false,
  });
  if (error) return <Failure error={error} again={() => void refetch()} />;
  if (from !== undefined && !data) return <p className="soft">{loading}</p>;
  // Each run has a name of its own.
  const firstJob = data
    ? textOfJob(data.job, data.name).replace(/^name: .*\n/, '')
    : 'seeds:\n  - example.org\n';
  return (
    <>
      <div className="job-head">
        <h1>{words.new}</h1>
        <p className="soft">{words.newLead}</p>
      </div>
      <ScheduleForm firstJob={firstJob} cancel={cancel} />
    </>
  );
}

function ScheduleList() {
  const words = useTextOf(scheduleText);
  const { client } = useConnected();
  return (
    <PagedTable
      name="schedules"
      fetchPage={(query) => client.listSchedules({ query })}
      againMs={againMs}
      words={words}
      heads={[words.name, words.when, words.next, words.last]}
      row={(schedule) => <Row key={schedule.id} schedule={schedule} />}
    />
  );
}

function Row({ schedule: shown }: { schedule: ScheduleShown }) {
  const words = useTextOf(scheduleText);
  const { id, schedule, next, lastRun, lastError, words: sentence } = shown;
  return (
    <tr className={schedule.enabled ? '' : 'soft'}>
      <td>
        <Link to="/schedules/$schedule" params={{ schedule: id }} search={{}}>
          <Name of={schedule.name} />
        </Link>
      </td>
      <td lang="en">
        <bdi>{sentence}</bdi>
      </td>
      <td>
        {next ? <When atMs={Date.parse(next.startsUtc)} /> : schedule.enabled ? words.waits : words.paused}
      </td>
      <td>
        {lastRun ? <RunOutcome run={lastRun} /> : words.never}
        {lastError ? <span className="problem">{words.failed}</span> : null}
      </td>
    </tr>
  );
}
