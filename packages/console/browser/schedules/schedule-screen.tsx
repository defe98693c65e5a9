import { Button } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { useConnected, useMayOperate } from '../api/connected.tsx';
import { Confirm } from '../network/confirm.tsx';
import { Name } from '../parts/name.tsx';
import { Failure, Problem } from '../parts/notices.tsx';
import { When } from '../parts/when.tsx';
import { scheduleText } from '../text/schedule-text.ts';
import { useText, useTextOf } from '../text/use-text.tsx';
import { NextRuns } from './next-runs.tsx';
import { RunOutcome } from './run-outcome.tsx';
import { ScheduleForm } from './schedule-form.tsx';
import { jobTextOf } from './schedule-values.ts';
import { shownRuns } from './use-preview.ts';
import '../style/crawl.css';
import '../style/editor.css';
import '../style/job.css';
import '../style/schedules.css';

const againMs = 15_000;

/** One schedule: its next ten runs, its last ones and what was skipped, and what it starts. */
export function ScheduleScreen() {
  const words = useTextOf(scheduleText);
  const { loading } = useText();
  const { client } = useConnected();
  const navigate = useNavigate();
  const mayOperate = useMayOperate();
  const { schedule: id } = useParams({ from: '/schedules/$schedule' });
  const { edit = false } = useSearch({ from: '/schedules/$schedule' });
  const params = { schedule: id };
  const asked = useQuery({
    queryKey: ['schedule', id],
    queryFn: () => client.getSchedule({ params }),
    refetchInterval: againMs,
    retry: false,
  });
  const preview = useQuery({
    queryKey: ['schedule', id, 'preview', asked.data?.revision, asked.data?.runs],
    enabled: asked.data?.schedule.enabled === true,
    queryFn: () => client.previewSchedule({ params, query: { count: shownRuns } }),
    retry: false,
  });
  const runs = useQuery({
    queryKey: ['schedule', id, 'runs'],
    queryFn: () => client.listScheduleRuns({ params }),
    refetchInterval: againMs,
    retry: false,
  });
  if (asked.error) return <Failure error={asked.error} again={() => void asked.refetch()} />;
  if (!asked.data) return <p className="soft">{loading}</p>;
  const { schedule, lastError, words: sentence } = asked.data;
  const show = (search: { edit?: boolean }) => void navigate({ to: '/schedules/$schedule', params, search });
  return (
    <>
      <Link to="/schedules" className="crumb">
        {words.title}
      </Link>
      <div className="crawl-head">
        <h1>
          <Name of={schedule.name} />
        </h1>
        {schedule.enabled ? null : <span className="state paused">{words.paused}</span>}
        {mayOperate && !edit ? (
          <Actions id={id} shown={asked.data} edit={() => show({ edit: true })} />
        ) : null}
      </div>
      {lastError ? (
        <p className="problem">
          <bdi>{`${lastError.text} ${lastError.next}`}</bdi>
        </p>
      ) : null}
      {edit && mayOperate ? (
        <ScheduleForm key={asked.data.revision} before={asked.data} firstJob="" cancel={() => show({})} />
      ) : (
        <>
          <div className="job-sides">
            <section className="panel part schedule-next" aria-labelledby="next-runs">
              <h2 id="next-runs">{words.nextRuns}</h2>
              {preview.data && schedule.enabled ? (
                <NextRuns preview={preview.data} />
              ) : (
                <p lang="en">
                  <bdi>{sentence}</bdi>
                </p>
              )}
            </section>
            <section className="panel part schedule-next" aria-labelledby="last-runs">
              <h2 id="last-runs">{words.lastRuns}</h2>
              {runs.data?.items.length === 0 ? <p className="soft">{words.never}</p> : null}
              <ol className="next-runs">
                {runs.data?.items.map((run) => (
                  <li key={`${run.kind} ${run.dueUtc}`}>
                    <When atMs={Date.parse(run.dueUtc)} />
                    <RunOutcome run={run} />
                  </li>
                ))}
              </ol>
            </section>
          </div>
          <section className="panel part schedule-job" aria-labelledby="scheduled-job">
            <h2 id="scheduled-job">{words.job}</h2>
            <pre className="yaml-view" tabIndex={0}>
              {jobTextOf(asked.data)}
            </pre>
          </section>
        </>
      )}
    </>
  );
}

type Shown = Parameters<typeof jobTextOf>[0];

function Actions({ id, shown, edit }: { id: string; shown: Shown; edit: () => void }) {
  const words = useTextOf(scheduleText);
  const { client } = useConnected();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [isAsking, setAsking] = useState(false);
  const { schedule, revision } = shown;
  const params = { schedule: id };
  const toggle = useMutation({
    mutationFn: () =>
      client.putSchedule({
        params,
        body: { schedule: { ...schedule, enabled: !schedule.enabled }, revision },
      }),
    onSettled: () => queries.invalidateQueries(),
  });
  const remove = useMutation({
    mutationFn: () => client.deleteSchedule({ params }),
    async onSuccess() {
      await navigate({ to: '/schedules', search: {} });
      await queries.invalidateQueries({ queryKey: ['schedules'] });
    },
  });
  return (
    <div className="actions">
      {toggle.error ? <Problem error={toggle.error} /> : null}
      {remove.error ? <Problem error={remove.error} /> : null}
      <Button variant="default" loading={toggle.isPending} onClick={() => toggle.mutate()}>
        {schedule.enabled ? words.pause : words.resume}
      </Button>
      <Button variant="default" onClick={edit}>
        {words.edit}
      </Button>
      <Button variant="default" onClick={() => setAsking(true)}>
        {words.delete}
      </Button>
      {isAsking ? (
        <Confirm
          title={words.deleteTitle(schedule.name)}
          doing={words.delete}
          cancel={() => setAsking(false)}
          confirm={() => {
            setAsking(false);
            remove.mutate();
          }}
        >
          <p>{words.deleteLead}</p>
        </Confirm>
      ) : null}
    </div>
  );
}
