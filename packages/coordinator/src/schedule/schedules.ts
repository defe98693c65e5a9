import { WebfarerError } from '@webfarer/protocol';
import { type Schedule, scopeCovers } from '@webfarer/protocol/api';
import type { Registry, RegistryDoc } from '../registry/registry.ts';
import type { JobGate, JobSender } from '../admission/admit-job.ts';
import { askedJob, checkJobOf, checkStorable } from './job-of-run.ts';
import type { ScheduleDoc } from './schedule-doc.ts';
import { readScheduleDoc } from './schedule-table.ts';
import { checkCron } from './timetable.ts';

export interface SchedulesOptions {
  registry: Pick<Registry, 'get' | 'list' | 'put' | 'remove' | 'changes'>;
  jobs: Pick<JobGate, 'admit' | 'admitChange'>;
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
  /** As it would be if its sender created it now. Throws where it could not run. */
  draft(schedule: Schedule, sender: JobSender): Promise<ScheduleDoc>;
}

export interface GivenSchedule {
  schedule: Schedule;
  /** A new schedule is of its team; one that exists keeps its own. */
  sender: JobSender;
  /** That the schedule must still have; 0: there must be none. Undefined: whatever it has. */
  revision: number | undefined;
}

/** A new schedule with an interval first runs after this time, so that its operator can watch. */
const FIRST_RUN_MS = 60_000;
/** One that starts now is due after its beginning, since nothing is made up for. */
const NOW_MS = 1_000;

type WhatRuns = Pick<ScheduleDoc, 'schedule' | 'team' | 'powers'>;

export function createSchedules({ registry, jobs }: SchedulesOptions): Schedules {
  async function find(id: string): Promise<RegistryDoc<ScheduleDoc> | undefined> {
    const doc = await registry.get('schedule', id);
    const read = doc && readScheduleDoc(doc);
    if (doc && !read) throw unreadable(id);
    return read;
  }

  /** The clock that its runs are decided by. */
  const nowAt = async () => (await registry.changes('')).nowMs;

  function fresh({ schedule: given, team, powers }: WhatRuns, nowMs: number): ScheduleDoc {
    const schedule = dated(given, nowMs);
    const state = { markMs: nowMs, count: 0, waiting: [], history: [] };
    const anchorMs = anchorOf(schedule, nowMs);
    return { schedule, team, powers, createdAtMs: nowMs, revision: 1, anchorMs, state };
  }

  /**
   * What the runs of a schedule may do once the sender has written it. Who is no admin may change what is harmless in the
   * schedule of one, which then still has the powers of an admin.
   */
  async function powersOf(
    what: Pick<WhatRuns, 'schedule' | 'team'>,
    { before, sender }: { before: ScheduleDoc | undefined; sender: JobSender },
  ): Promise<ScheduleDoc['powers']> {
    if ('cron' in what.schedule.when) checkCron(what.schedule.when.cron);
    const own = scopeCovers(sender.scope, 'admin') ? 'admin' : 'operator';
    try {
      await checkJobOf({ ...what, powers: own }, jobs);
      return own;
    } catch (error) {
      const isRefused = error instanceof WebfarerError && error.code === 'forbidden';
      if (!isRefused || before?.powers !== 'admin' || own === 'admin') throw error;
      const was = await jobs.admit(askedJob(before, 'run'), { scope: 'admin', team: before.team });
      const after = askedJob({ ...what, powers: own }, 'run');
      checkStorable(await jobs.admitChange({ before: was, after }, { scope: own, team: what.team }));
      return 'admin';
    }
  }

  /** Instants before the change belong to the schedule before it. */
  function changed(
    before: ScheduleDoc,
    { schedule: given, powers }: Pick<WhatRuns, 'schedule' | 'powers'>,
    nowMs: number,
  ): ScheduleDoc {
    const schedule = dated(given, nowMs);
    const { lastError: _old, ...state } = before.state;
    const isSameTime = JSON.stringify(before.schedule.when) === JSON.stringify(schedule.when);
    return {
      ...before,
      schedule,
      powers,
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
    async draft(schedule, sender) {
      const what = { schedule, team: sender.team };
      const powers = await powersOf(what, { before: undefined, sender });
      return fresh({ ...what, powers }, await nowAt());
    },
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
    async put(id, { schedule, sender, revision }) {
      for (;;) {
        const before = await find(id);
        const what = { schedule, team: before?.value.team ?? sender.team };
        const powers = await powersOf(what, { before: before?.value, sender });
        if (revision !== undefined && revision !== (before?.value.revision ?? 0))
          throw new WebfarerError('conflict', `the schedule ${id} has another revision than ${revision}`, {
            next: 'Read it again and repeat the change.',
          });
        const nowMs = await nowAt();
        const value = before
          ? changed(before.value, { schedule, powers }, nowMs)
          : fresh({ ...what, powers }, nowMs);
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

function unreadable(id: string): WebfarerError {
  return new WebfarerError('conflict', `This version cannot read the schedule ${id}.`, {
    next: 'Use a coordinator of the version that wrote it. Or have an admin delete the schedule, and create it again.',
  });
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
