import { type Clock, WebfarerError } from '@webfarer/protocol';
import type { Schedule } from '@webfarer/protocol/api';
import type { Registry, RegistryDoc } from '../registry/registry.ts';
import { checkJobOf, type PolicyJob } from './job-of-run.ts';
import type { ScheduleDoc } from './schedule-doc.ts';
import { readScheduleDoc } from './schedule-table.ts';
import { checkCron } from './timetable.ts';

export interface SchedulesOptions {
  registry: Pick<Registry, 'get' | 'list' | 'put' | 'remove'>;
  clock: Pick<Clock, 'now'>;
  policyJob: PolicyJob;
}

/** Schedules as operators see and change them. */
export interface Schedules {
  get(id: string): Promise<ScheduleDoc | undefined>;
  list(page: {
    after: string;
    limit: number;
  }): Promise<{ found: [id: string, ScheduleDoc][]; next: string | undefined }>;
  /** Creates or changes one; refused where it no longer has this revision. Runs in progress are left alone. */
  put(id: string, given: GivenSchedule): Promise<ScheduleDoc>;
  /** False: there is none. */
  remove(id: string): Promise<boolean>;
  /** Throws where the schedule could not run. */
  check(what: Pick<ScheduleDoc, 'schedule' | 'team'>): Promise<void>;
  /** As it would be if it were created now. */
  fresh(what: Pick<ScheduleDoc, 'schedule' | 'team'>): ScheduleDoc;
}

export interface GivenSchedule {
  schedule: Schedule;
  /** Of a new schedule; one that exists keeps its own. */
  team: string;
  /** That the schedule must still have; 0: there must be none. Undefined: whatever it has. */
  revision: number | undefined;
}

/** A new schedule with an interval first runs after this time, so that its operator can watch. */
const FIRST_RUN_MS = 60_000;
/** One that starts now is due after its beginning, since nothing is made up for. */
const NOW_MS = 1_000;

export function createSchedules({ registry, clock, policyJob }: SchedulesOptions): Schedules {
  async function find(id: string): Promise<RegistryDoc<ScheduleDoc> | undefined> {
    const doc = await registry.get('schedule', id);
    return doc && readScheduleDoc(doc);
  }

  function fresh({ schedule: given, team }: Pick<ScheduleDoc, 'schedule' | 'team'>): ScheduleDoc {
    const nowMs = Math.round(clock.now());
    const schedule = dated(given, nowMs);
    const state = { markMs: nowMs, count: 0, waiting: [], history: [] };
    return { schedule, team, createdAtMs: nowMs, revision: 1, anchorMs: anchorOf(schedule, nowMs), state };
  }

  async function check(what: Pick<ScheduleDoc, 'schedule' | 'team'>): Promise<void> {
    const { schedule } = what;
    if ('cron' in schedule.when) checkCron(schedule.when.cron);
    await checkJobOf(what, policyJob);
  }

  /** Instants before the change belong to the schedule before it. */
  function changed(before: ScheduleDoc, given: Schedule): ScheduleDoc {
    const nowMs = Math.round(clock.now());
    const schedule = dated(given, nowMs);
    const { lastError: _old, ...state } = before.state;
    const isSameTime = JSON.stringify(before.schedule.when) === JSON.stringify(schedule.when);
    return {
      ...before,
      schedule,
      revision: before.revision + 1,
      anchorMs: isSameTime ? before.anchorMs : anchorOf(schedule, nowMs),
      state: {
        ...state,
        markMs: Math.max(state.markMs, nowMs),
        waiting: schedule.enabled ? state.waiting : [],
      },
    };
  }

  return {
    fresh,
    check,
    async get(id) {
      return (await find(id))?.value;
    },
    async list(page) {
      const { docs, next } = await registry.list('schedule', page);
      const found = docs.flatMap((doc): [string, ScheduleDoc][] => {
        const read = readScheduleDoc(doc);
        return read ? [[doc.id, read.value]] : [];
      });
      return { found, next };
    },
    async put(id, { schedule, team, revision }) {
      for (;;) {
        const before = await find(id);
        await check({ schedule, team: before?.value.team ?? team });
        if (revision !== undefined && revision !== (before?.value.revision ?? 0))
          throw new WebfarerError('conflict', `the schedule ${id} has another revision than ${revision}`, {
            next: 'Read it again and repeat the change.',
          });
        const value = before ? changed(before.value, schedule) : fresh({ schedule, team });
        const answer = await registry.put('schedule', id, before?.version ?? 0, value);
        // Else it ran in between, or another operator was faster.
        if (answer.kind === 'changed') return value;
      }
    },
    async remove(id) {
      for (;;) {
        const doc = await registry.get('schedule', id);
        if (!doc) return false;
        if ((await registry.remove('schedule', id, doc.version)).kind === 'changed') return true;
      }
    },
  };
}

/** With `now` as the instant that it meant when the schedule was written. */
function dated(schedule: Schedule, nowMs: number): Schedule {
  const { when } = schedule;
  if (!('every' in when) || when.startsAt !== 'now') return schedule;
  return { ...schedule, when: { ...when, startsAt: new Date(nowMs + NOW_MS).toISOString() } };
}

function anchorOf({ when }: Pick<Schedule, 'when'>, nowMs: number): number {
  const startsAt = 'every' in when ? when.startsAt : undefined;
  return startsAt === undefined ? nowMs + FIRST_RUN_MS : Date.parse(startsAt);
}
