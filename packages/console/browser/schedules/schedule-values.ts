import type { ScheduleInput, ScheduleShown, ScheduleUnit } from '@webfarer/protocol/api';
import { writtenAs } from '@webfarer/protocol/job';

/** What the form holds of a schedule, as a person types it. */
export interface ScheduleValues {
  name: string;
  kind: 'every' | 'cron';
  every: number | '';
  unit: ScheduleUnit;
  /** As the field of the browser has it, in local time; empty: a minute after it is saved. */
  startsAt: string;
  cron: string;
  timeZone: string;
  overlap: NonNullable<ScheduleInput['overlap']>;
  missed: NonNullable<ScheduleInput['missed']>;
  recrawl: boolean;
  tags: string;
}

export function newValues(timeZone: string): ScheduleValues {
  return {
    name: '',
    kind: 'every',
    every: 1,
    unit: 'days',
    startsAt: '',
    cron: '0 6 * * 1',
    timeZone,
    overlap: 'skip',
    missed: 'once',
    recrawl: false,
    tags: '',
  };
}

export function valuesOf({ schedule }: ScheduleShown): ScheduleValues {
  const { name, when, timeZone, overlap, missed, recrawl, tags } = schedule;
  const rest = { name, timeZone, overlap, missed, recrawl, tags: tags.join(', ') };
  if ('cron' in when) return { ...newValues(timeZone), ...rest, kind: 'cron', cron: when.cron };
  const { every, unit, startsAt } = when;
  return { ...newValues(timeZone), ...rest, kind: 'every', every, unit, startsAt: localField(startsAt) };
}

/** An instant as `datetime-local` has it. */
function localField(instant: string | undefined): string {
  if (instant === undefined || instant === 'now') return '';
  const at = new Date(instant);
  const two = (n: number) => String(n).padStart(2, '0');
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The text of the job of a schedule, whatever form it was saved in. */
export function jobTextOf({ schedule: { run } }: ScheduleShown): string {
  if ('job' in run) return typeof run.job === 'string' ? run.job : writtenAs(run.job);
  return writtenAs({ policy: run.policy, seeds: run.seeds });
}

/** What is sent. What the form does not show stays as it was. */
export function scheduleOf(
  values: ScheduleValues,
  run: ScheduleInput['run'],
  before: ScheduleInput | undefined,
): ScheduleInput {
  const { kind, every, unit, startsAt, cron, tags, ...rest } = values;
  const begins = startsAt === '' ? {} : { startsAt: new Date(startsAt).toISOString() };
  return {
    ...before,
    ...rest,
    name: rest.name.trim(),
    when: kind === 'cron' ? { cron } : { every: every === '' ? 1 : every, unit, ...begins },
    run,
    tags: [...new Set(tags.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== ''),
  };
}

/** An id made of a name: letters, digits and dashes. */
export function idOf(name: string): string {
  const plain = name
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}._-]+/gu, '-')
    .replaceAll(/^[^\p{L}\p{N}]+|-+$/gu, '');
  return plain.slice(0, 100);
}
