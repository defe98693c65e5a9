import { scheduleSchema, type ScheduleShown } from '@webfarer/protocol/api';
import { expect, it } from 'vitest';
import { idOf, jobTextOf, newValues, scheduleOf, valuesOf } from './schedule-values.ts';

const run = { job: 'seeds: [a.example]\n' };
const shown = (schedule: Parameters<typeof scheduleSchema.parse>[0]): ScheduleShown => ({
  id: 'a',
  revision: 1,
  createdUtc: '',
  words: '',
  schedule: scheduleSchema.parse(schedule),
  runs: 0,
  waiting: [],
});

it('sends what the form holds, and what it does not show as it was', () => {
  const values = {
    ...newValues('Europe/Paris'),
    name: ' Weekly ',
    every: 2,
    unit: 'weeks' as const,
    tags: 'a, b,a',
  };
  const before = { ...scheduleOf(values, run, undefined), jitterMs: 5_000, enabled: false };
  const made = scheduleSchema.parse(scheduleOf(values, run, before));
  expect(made).toMatchObject({
    name: 'Weekly',
    when: { every: 2, unit: 'weeks' },
    timeZone: 'Europe/Paris',
    tags: ['a', 'b'],
    jitterMs: 5_000,
    enabled: false,
  });
  expect(made).not.toHaveProperty('kind');
});

it('comes back to the form as it was sent', () => {
  for (const when of [
    { cron: '0 6 * * 1' },
    { every: 3, unit: 'hours', startsAt: '2026-11-17T18:30:00.000Z' },
  ]) {
    const saved = shown({ name: 'a', when, timeZone: 'UTC', run, tags: ['x'] });
    expect(scheduleOf(valuesOf(saved), run, saved.schedule)).toEqual(saved.schedule);
  }
});

it('shows the job of every kind of run as text', () => {
  const when = { cron: '0 6 * * 1' };
  expect(jobTextOf(shown({ name: 'a', when, run }))).toBe(run.job);
  expect(jobTextOf(shown({ name: 'a', when, run: { job: { seeds: ['a'] } } }))).toBe('seeds:\n  - a\n');
  expect(jobTextOf(shown({ name: 'a', when, run: { policy: 'p', seeds: ['a'] } }))).toBe(
    'policy: p\nseeds:\n  - a\n',
  );
});

it('makes ids of names', () => {
  expect(['Every Monday!', '<script>', 'Müllers Museum', '--- ', '..a'].map(idOf)).toEqual([
    'every-monday',
    'script',
    'müllers-museum',
    '',
    'a',
  ]);
});
