import { Button, NativeSelect, NumberInput, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { missedRules, overlapRules, type ScheduleShown, scheduleUnits } from '@webfarer/protocol/api';
import { type FormEvent, useId, useMemo, useState } from 'react';
import { useConnected } from '../api/connected.tsx';
import { readJob, useTextDocument } from '../job/use-job-document.ts';
import { usePolicyNames } from '../job/use-policy-names.ts';
import { YamlEditor } from '../job/yaml-editor.tsx';
import { Problem } from '../parts/notices.tsx';
import { scheduleText } from '../text/schedule-text.ts';
import { useTextOf } from '../text/use-text.tsx';
import { NextRuns } from './next-runs.tsx';
import { idOf, jobTextOf, newValues, scheduleOf, type ScheduleValues, valuesOf } from './schedule-values.ts';
import { usePreview } from './use-preview.ts';

/** When a job does not read: the times are worth seeing all the same. */
const standIn = { job: { seeds: ['example.org'] } };

/** A schedule that is new or changed: when, and what. Its next ten runs are shown while it is written. */
export function ScheduleForm({
  before,
  firstJob,
  cancel,
}: {
  before?: ScheduleShown;
  firstJob: string;
  cancel: () => void;
}) {
  const words = useTextOf(scheduleText);
  const { client } = useConnected();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [values, setValues] = useState<ScheduleValues>(() =>
    before ? valuesOf(before) : newValues(Intl.DateTimeFormat().resolvedOptions().timeZone),
  );
  const document = useTextDocument(() => (before ? jobTextOf(before) : firstJob), readJob);
  const policies = usePolicyNames();
  const complete = useMemo(() => ({ known: { policy: policies } }), [policies]);
  const run = { job: document.text };
  const id = before?.id ?? idOf(values.name);
  const named = values.name.trim() === '' ? { ...values, name: words.unnamed } : values;
  const preview = usePreview(scheduleOf(named, document.read.ok ? run : standIn, before?.schedule));
  const save = useMutation({
    mutationFn: () =>
      client.putSchedule({
        params: { schedule: id },
        body: { schedule: scheduleOf(values, run, before?.schedule), revision: before?.revision ?? 0 },
      }),
    async onSuccess(saved) {
      await queries.invalidateQueries();
      cancel();
      return navigate({ to: '/schedules/$schedule', params: { schedule: saved.id }, search: {} });
    },
  });
  const isReady = document.read.ok && id !== '' && preview.data !== undefined && !preview.error;

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isReady) save.mutate();
  }

  return (
    <form onSubmit={submit}>
      <div className="job-sides">
        <section className="panel part job-form" aria-label={words.when}>
          <Times values={values} change={(next) => setValues({ ...values, ...next })} />
        </section>
        <section className="panel part schedule-next" aria-label={words.nextRuns}>
          <h2>{words.nextRuns}</h2>
          {preview.error ? <Problem error={preview.error} /> : null}
          {preview.data && !preview.error ? <NextRuns preview={preview.data} /> : null}
        </section>
      </div>
      <section className="panel part schedule-job" aria-label={words.job}>
        <h2>{words.job}</h2>
        <YamlEditor
          label={words.job}
          text={document.text}
          change={document.change}
          places={document.places}
          complete={complete}
        />
      </section>
      <div className="panel job-foot">
        <span className="soft">{id === '' ? words.needsName : document.read.ok ? '' : words.needsJob}</span>
        {save.error ? <Problem error={save.error} /> : null}
        <Button variant="default" onClick={cancel}>
          {words.cancel}
        </Button>
        <Button type="submit" disabled={!isReady} loading={save.isPending}>
          {before ? words.save : words.create}
        </Button>
      </div>
    </form>
  );
}

function Times({
  values,
  change,
}: {
  values: ScheduleValues;
  change: (next: Partial<ScheduleValues>) => void;
}) {
  const words = useTextOf(scheduleText);
  const zones = useId();
  const all = useMemo(() => Intl.supportedValuesOf('timeZone'), []);
  return (
    <>
      <div className="job-pair">
        <TextInput
          label={words.name}
          required
          value={values.name}
          maxLength={200}
          onChange={({ currentTarget }) => change({ name: currentTarget.value })}
        />
        <TextInput
          label={words.timeZone}
          value={values.timeZone}
          list={zones}
          onChange={({ currentTarget }) => change({ timeZone: currentTarget.value })}
        />
        <datalist id={zones}>
          {all.map((zone) => (
            <option key={zone} value={zone} />
          ))}
        </datalist>
      </div>
      <NativeSelect
        label={words.kind}
        value={values.kind}
        data={(['every', 'cron'] as const).map((value) => ({ value, label: words.kinds[value] }))}
        onChange={({ currentTarget }) => change({ kind: currentTarget.value as ScheduleValues['kind'] })}
      />
      {values.kind === 'cron' ? (
        <TextInput
          label={words.cron}
          description={words.cronHint}
          value={values.cron}
          spellCheck={false}
          onChange={({ currentTarget }) => change({ cron: currentTarget.value })}
        />
      ) : (
        <div className="schedule-every">
          <NumberInput
            label={words.every}
            value={values.every}
            min={1}
            max={10_000}
            allowDecimal={false}
            hideControls
            onChange={(every) => change({ every: typeof every === 'number' ? every : '' })}
          />
          <NativeSelect
            label={words.unit}
            value={values.unit}
            data={scheduleUnits.map((value) => ({ value, label: words.units[value] }))}
            onChange={({ currentTarget }) => change({ unit: currentTarget.value as ScheduleValues['unit'] })}
          />
          <TextInput
            type="datetime-local"
            label={words.startsAt}
            value={values.startsAt}
            onChange={({ currentTarget }) => change({ startsAt: currentTarget.value })}
          />
        </div>
      )}
      <div className="job-pair">
        <NativeSelect
          label={words.overlap}
          value={values.overlap}
          data={overlapRules.map((value) => ({ value, label: words.overlaps[value] }))}
          onChange={({ currentTarget }) =>
            change({ overlap: currentTarget.value as ScheduleValues['overlap'] })
          }
        />
        <NativeSelect
          label={words.missed}
          value={values.missed}
          data={missedRules.map((value) => ({ value, label: words.misseds[value] }))}
          onChange={({ currentTarget }) =>
            change({ missed: currentTarget.value as ScheduleValues['missed'] })
          }
        />
        <TextInput
          label={words.tags}
          placeholder={words.tagsHint}
          value={values.tags}
          onChange={({ currentTarget }) => change({ tags: currentTarget.value })}
        />
        <label className="schedule-check">
          <input
            type="checkbox"
            checked={values.recrawl}
            onChange={({ currentTarget }) => change({ recrawl: currentTarget.checked })}
          />
          {words.recrawl}
        </label>
      </div>
    </>
  );
}
