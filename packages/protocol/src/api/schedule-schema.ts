import { z } from 'zod';
import { tags } from './crawls.ts';

/** Units of `every`. Minutes and hours are elapsed time; the others are dates of the schedule's time zone. */
export const scheduleUnits = ['minutes', 'hours', 'days', 'weeks', 'months', 'years'] as const;
export type ScheduleUnit = (typeof scheduleUnits)[number];

/** `regular`: the times of the clock and the calendar. `after-previous`: counted from the end of the run before. */
export const scheduleTimings = ['regular', 'after-previous'] as const;
export const overlapRules = ['skip', 'queue', 'replace', 'replace-paused'] as const;
export const missedRules = ['skip', 'once', 'all'] as const;

/** What a run-name template may contain. */
export const runNameFields = ['COUNT', 'DATE', 'TIME'] as const;

const mostEvery = 10_000;
const mostJitterMs = 86_400_000;
const mostJobChars = 100_000;
const mostSeeds = 10_000;

const cronForm = /^\s*\S+(\s+\S+){4,5}\s*$/;

const cron = z
  .string()
  .max(200)
  .regex(cronForm, 'a cron expression has 5 fields, or 6 with seconds first')
  .describe('5 fields: minute, hour, day, month, weekday; or 6, with seconds first');

const when = z
  .union([
    z.strictObject({ cron }),
    z.strictObject({
      every: z.int().min(1).max(mostEvery),
      unit: z.enum(scheduleUnits),
      startsAt: z
        .union([z.literal('now'), z.iso.datetime({ offset: true })])
        .optional()
        .describe(
          'The first run, from which the others are counted: an instant, or now; a minute after the creation if absent',
        ),
    }),
  ])
  .meta({ id: 'ScheduleTimes' });

const runName = z
  .string()
  .min(1)
  .max(200)
  .refine((text) => runNameFields.some((field) => text.includes(`{${field}}`)), {
    error: `a run name contains ${runNameFields.map((field) => `{${field}}`).join(', ')}, or several of them`,
  })
  .describe('{COUNT}: number of the run; {DATE}: local date and time it was due; {TIME}: seconds since 1970');

const job = z
  .union([z.string().min(1).max(mostJobChars), z.record(z.string(), z.unknown())])
  .describe('The text of a job file, or the same as JSON. Passwords are refused, since schedules are stored');

const run = z
  .union([
    z.strictObject({ job }),
    z.strictObject({
      policy: z.string().min(1).max(200).describe('The name of a policy'),
      seeds: z.array(z.string().min(1).max(8_192)).min(1).max(mostSeeds),
    }),
  ])
  .meta({ id: 'ScheduledJob' });

/** A schedule as an operator writes it. */
export const scheduleSchema = z
  .strictObject({
    name: z.string().min(1).max(200).describe('What people call it'),
    enabled: z.boolean().default(true),
    when,
    timeZone: z
      .string()
      .max(100)
      .refine(isTimeZone, { error: 'not an IANA time zone; examples: UTC, Europe/Paris, America/New_York' })
      .default('UTC'),
    timing: z
      .enum(scheduleTimings)
      .default('regular')
      .describe('after-previous: counted from the end of the run before'),
    overlap: z
      .enum(overlapRules)
      .default('skip')
      .describe(
        'What happens while a run is in progress: skip the new one, queue one, replace the old one, or replace it only if it is paused',
      ),
    jitterMs: z
      .int()
      .min(0)
      .max(mostJitterMs)
      .default(0)
      .describe('Each run starts up to this much later; the delay of an instant never changes'),
    missed: z
      .enum(missedRules)
      .default('once')
      .describe('Runs that were due while no coordinator was up: skip them, run the last one, or run all'),
    missedMost: z
      .int()
      .min(1)
      .max(100)
      .default(10)
      .describe('With missed: all, the most to run, latest first'),
    runName: runName.optional().describe('The name of a run; NAME {DATE} if absent'),
    run,
    tags: tags.default([]),
    recrawl: z.boolean().default(false).describe('A run only fetches what has changed since the last one'),
  })
  .meta({ id: 'Schedule' });

/** With all defaults. */
export type Schedule = z.output<typeof scheduleSchema>;
export type ScheduleInput = z.input<typeof scheduleSchema>;

/** Names of the IANA database only: an offset such as +01:00 knows no summer time. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en-US', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
