import { z } from 'zod';
import { pageOf, paging, route } from './route.ts';
import { scheduleSchema } from './schedule-schema.ts';

const family = 'schedules';
const id = z
  .string()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u, 'letters, digits, dots, dashes and underscores; at most 100')
  .describe('The id of the schedule');
const params = z.strictObject({ schedule: id });
const count = z.int().min(1).max(100).default(10).describe('How many instants');

/** An instant at which a run is due. */
const dueInstant = z
  .object({
    utc: z.string(),
    local: z.string().describe('In the time zone of the schedule, with its offset from UTC'),
    startsUtc: z.string().describe('When the run starts: the same, or later by the jitter'),
  })
  .meta({ id: 'DueInstant' });

const preview = z
  .object({
    words: z.string().describe('When it runs, as a sentence'),
    instants: z
      .array(dueInstant)
      .describe('What is due next, if no run takes longer than the time between two'),
  })
  .meta({ id: 'SchedulePreview' });
export type SchedulePreview = z.infer<typeof preview>;

const run = z
  .object({
    kind: z.enum(['run', 'skipped']),
    dueUtc: z.string().describe('The instant; of several that were skipped the last'),
    name: z.string().optional().describe('The name of the crawl'),
    startedUtc: z.string().optional(),
    endedUtc: z.string().optional().describe('Absent while it is in progress'),
    outcome: z
      .string()
      .optional()
      .describe(
        'Of a run: finished, limited, stopped, replaced or deleted. Of skipped instants why: overlap, too-soon, missed, not-started or clock',
      ),
    count: z.int().optional().describe('How many instants were skipped; of a long absence at least'),
  })
  .meta({ id: 'ScheduleRun' });
export type ScheduleRunShown = z.infer<typeof run>;

const shown = z
  .object({
    id: z.string(),
    revision: z.int().describe('Changes when the schedule is changed, not when it runs'),
    createdUtc: z.string(),
    words: z.string(),
    schedule: scheduleSchema,
    runs: z.int().describe('Runs that were started'),
    next: dueInstant.optional().describe('Absent where it is disabled, or waits for the run in progress'),
    waiting: z.array(z.string()).describe('Instants whose runs wait for the one in progress, UTC'),
    lastRun: run.optional(),
    lastError: z
      .object({ atUtc: z.string(), code: z.string(), text: z.string(), next: z.string() })
      .optional()
      .describe('Why the last run could not be started, and what to do'),
  })
  .meta({ id: 'ScheduleShown' });
export type ScheduleShown = z.infer<typeof shown>;

export const scheduleRoutes = {
  listSchedules: route({
    method: 'GET',
    path: '/v1/schedules',
    scope: 'viewer',
    family,
    summary: 'List schedules in the order of their ids',
    query: z.strictObject(paging),
    answer: { kind: 'json', status: 200, schema: pageOf(shown) },
  }),
  getSchedule: route({
    method: 'GET',
    path: '/v1/schedules/{schedule}',
    scope: 'viewer',
    family,
    summary: 'Show a schedule, when it runs next and how its last run went',
    params,
    answer: { kind: 'json', status: 200, schema: shown },
  }),
  putSchedule: route({
    method: 'PUT',
    path: '/v1/schedules/{schedule}',
    scope: 'operator',
    family,
    summary: 'Create a schedule or change it; instants before the change are not made up for',
    params,
    body: z.strictObject({
      schedule: scheduleSchema,
      revision: z
        .int()
        .min(0)
        .optional()
        .describe(
          'Only if the schedule still has this revision, 0 if there must be none; else the answer is 409',
        ),
    }),
    refusals: ['quota'],
    answer: { kind: 'json', status: 200, schema: shown },
  }),
  deleteSchedule: route({
    method: 'DELETE',
    path: '/v1/schedules/{schedule}',
    scope: 'operator',
    family,
    summary: 'Delete a schedule; its crawls stay',
    params,
    answer: { kind: 'none' },
  }),
  listScheduleRuns: route({
    method: 'GET',
    path: '/v1/schedules/{schedule}/runs',
    scope: 'viewer',
    family,
    summary: 'List the last runs of a schedule and what was skipped, latest first',
    params,
    answer: { kind: 'json', status: 200, schema: z.object({ items: z.array(run) }) },
  }),
  previewSchedule: route({
    method: 'GET',
    path: '/v1/schedules/{schedule}/preview',
    scope: 'viewer',
    family,
    summary: 'Show when a schedule is due next, in words, in UTC and in local time',
    params,
    query: z.strictObject({ count }),
    answer: { kind: 'json', status: 200, schema: preview },
  }),
  previewNewSchedule: route({
    method: 'POST',
    path: '/v1/schedule-preview',
    scope: 'operator',
    family,
    summary: 'Check a schedule without saving it, and show when it would be due',
    refusals: ['not-found'],
    body: z.strictObject({ schedule: scheduleSchema, count }),
    answer: { kind: 'json', status: 200, schema: preview },
  }),
};
