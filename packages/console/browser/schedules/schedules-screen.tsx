import { Button } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import type { ScheduleShown } from '@webfarer/protocol/api';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { textOfJob } from '../job/first-text.ts';
import { Name } from '../parts/name.tsx';
import { EmptyState, Failure } from '../parts/notices.tsx';
import { When } from '../parts/when.tsx';
import { scheduleText } from '../text/schedule-text.ts';
import { useText, useTextOf } from '../text/use-text.tsx';
import { RunOutcome } from './run-outcome.tsx';
import { ScheduleForm } from './schedule-form.tsx';
import '../style/crawl.css';
import '../style/job.css';
import '../style/schedules.css';

/** Of one look at the list. */
const pageSize = 50;
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
  const { loading } = useText();
  const { client } = useConnected();
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    queryKey: ['schedules'],
    initialPageParam: '',
    queryFn: ({ pageParam }) => client.listSchedules({ query: { after: pageParam, limit: pageSize } }),
    getNextPageParam: ({ next }) => next,
    refetchInterval: againMs,
    retry: false,
  });
  if (error) return <Failure error={error} again={() => void refetch()} />;
  if (!data) return <p className="soft">{loading}</p>;
  const all = data.pages.flatMap(({ items }) => items);
  if (all.length === 0)
    return (
      <EmptyState title={words.none}>
        <p>{words.noneLead}</p>
      </EmptyState>
    );
  return (
    <section className="panel part">
      <div className="scroll" tabIndex={0} role="group" aria-label={words.title}>
        <table className="schedules">
          <thead>
            <tr>
              <th>{words.name}</th>
              <th>{words.when}</th>
              <th>{words.next}</th>
              <th>{words.last}</th>
            </tr>
          </thead>
          <tbody>
            {all.map((schedule) => (
              <Row key={schedule.id} schedule={schedule} />
            ))}
          </tbody>
        </table>
      </div>
      {hasNextPage ? (
        <Button variant="default" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {words.more}
        </Button>
      ) : null}
    </section>
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
