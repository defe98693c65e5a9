import { WebfarerError } from '@webfarer/protocol';
import {
  type Schedule,
  type SchedulePreview,
  type ScheduleRunShown,
  type scheduleRoutes,
  type ScheduleShown,
  scopeCovers,
} from '@webfarer/protocol/api';
import { defaultTeam } from '@webfarer/protocol/job';
import { describeSchedule } from '../../schedule/describe-schedule.ts';
import { createDueTimes, type DueTimes } from '../../schedule/next-due.ts';
import { type HistoryEntry, lastRun, type ScheduleDoc } from '../../schedule/schedule-doc.ts';
import { createZone, type Zone } from '../../schedule/zone.ts';
import type { ApiParts } from '../call/api-parts.ts';
import type { HandlersOf, Principal } from '../call/call.ts';
import { inputOf, shownJob } from '../call/job-input.ts';
import { requireRoom } from '../../teams/own-documents.ts';

/** Write schedules, and see what became of them. */
export function scheduleHandlers({
  schedules,
}: Pick<ApiParts, 'schedules'>): HandlersOf<typeof scheduleRoutes> {
  /** One of another team is as if there were none. */
  async function find(id: string, principal: Principal): Promise<ScheduleDoc> {
    const doc = await schedules.get(id);
    if (doc && maySee(principal, doc)) return doc;
    throw noSchedule(id);
  }

  async function* own(principal: Principal) {
    for (let after: string | undefined = ''; after !== undefined; ) {
      const page = await schedules.list({ after, limit: 500 });
      yield* page.found.filter(([, doc]) => maySee(principal, doc));
      after = page.next;
    }
  }

  return {
    async listSchedules({ query, principal }) {
      const { found, next } = await schedules.list(query);
      const seen = found.filter(([, doc]) => maySee(principal, doc));
      return {
        items: seen.map(([id, doc]) => shown(id, doc, principal)),
        ...(next === undefined ? {} : { next }),
      };
    },
    getSchedule: async ({ params: { schedule: id }, principal }) =>
      shown(id, await find(id, principal), principal),
    async putSchedule({ params: { schedule: id }, body: { schedule, revision }, principal }) {
      const there = await schedules.get(id);
      if (there && !maySee(principal, there)) throw idTaken(id);
      if (!there) await requireRoom('schedule', principal, own(principal));
      const doc = await schedules.put(id, { schedule, revision, sender: senderOf(principal) });
      return shown(id, doc, principal);
    },
    async deleteSchedule({ params: { schedule: id }, principal }) {
      // One that cannot be read does not say whose it is.
      if (principal.scope !== 'admin') await find(id, principal);
      if (!(await schedules.remove(id))) throw noSchedule(id);
      return undefined;
    },
    async listScheduleRuns({ params: { schedule: id }, principal }) {
      const { state } = await find(id, principal);
      return { items: state.history.toReversed().map(entryShown) };
    },
    async previewSchedule({ params: { schedule: id }, query, principal }) {
      return preview(id, await find(id, principal), query.count);
    },
    async previewNewSchedule({ body: { schedule, count }, principal }) {
      return preview('new', await schedules.draft(schedule, senderOf(principal)), count);
    },
  };
}

const teamIn = ({ team }: Principal) => team || defaultTeam;
const senderOf = (principal: Principal) => ({ scope: principal.scope, team: teamIn(principal) });

function maySee(principal: Principal, { team }: Pick<ScheduleDoc, 'team'>): boolean {
  return principal.scope === 'admin' || team === teamIn(principal);
}

function noSchedule(id: string): WebfarerError {
  return new WebfarerError('not-found', `there is no schedule ${JSON.stringify(id)}`, {
    next: 'GET /v1/schedules lists the schedules there are.',
  });
}

function idTaken(id: string): WebfarerError {
  return new WebfarerError('conflict', `the schedule id ${JSON.stringify(id)} is taken`, {
    next: 'Choose another id.',
  });
}

/** Those who may change it see all of it; a viewer does not see the values of request headers. */
function readable(schedule: Schedule, { scope }: Principal): Schedule {
  if (scopeCovers(scope, 'operator') || !('job' in schedule.run)) return schedule;
  return { ...schedule, run: { job: shownJob(inputOf(schedule.run.job)) } };
}

const utc = (ms: number) => new Date(ms).toISOString();

function shown(id: string, doc: ScheduleDoc, principal: Principal): ScheduleShown {
  const { schedule, state, revision, createdAtMs } = doc;
  const times = createDueTimes({ id, ...doc });
  const last = lastRun(state);
  const nextMs = schedule.enabled ? times.next(state.markMs, last) : undefined;
  const { lastError } = state;
  return {
    id,
    revision,
    createdUtc: utc(createdAtMs),
    words: describeSchedule(schedule),
    schedule: readable(schedule, principal),
    runs: state.count,
    ...(nextMs === undefined ? {} : { next: instant(nextMs, times, createZone(schedule.timeZone)) }),
    waiting: state.waiting.map(utc),
    ...(last ? { lastRun: entryShown(last) } : {}),
    ...(lastError
      ? {
          lastError: {
            atUtc: utc(lastError.atMs),
            code: lastError.code,
            text: lastError.text,
            next: lastError.next,
          },
        }
      : {}),
  };
}

function entryShown(entry: HistoryEntry): ScheduleRunShown {
  const dueUtc = utc(entry.dueMs);
  if (entry.kind === 'skipped') return { kind: 'skipped', dueUtc, outcome: entry.why, count: entry.count };
  const { name, startedAtMs, endedAtMs, outcome } = entry;
  return {
    kind: 'run',
    dueUtc,
    name,
    startedUtc: utc(startedAtMs),
    ...(endedAtMs === undefined ? {} : { endedUtc: utc(endedAtMs) }),
    ...(outcome === undefined ? {} : { outcome }),
  };
}

function preview(id: string, doc: ScheduleDoc, count: number): SchedulePreview {
  const { schedule, state } = doc;
  const times = createDueTimes({ id, ...doc });
  const zone = createZone(schedule.timeZone);
  const instants: SchedulePreview['instants'] = [];
  let at: number | undefined = state.markMs;
  while (instants.length < count) {
    // Each run counts as ended when it began: what is counted from its end then is as early as it can be.
    at = times.next(at, instants.length === 0 ? lastRun(state) : { endedAtMs: at });
    if (at === undefined) break;
    instants.push(instant(at, times, zone));
  }
  return { words: describeSchedule(schedule), instants };
}

function instant(dueMs: number, times: DueTimes, zone: Zone): SchedulePreview['instants'][number] {
  return { utc: utc(dueMs), local: localText(dueMs, zone), startsUtc: utc(times.startOf(dueMs)) };
}

/** `2026-03-29T03:00:00+02:00` */
function localText(ms: number, zone: Zone): string {
  const minutes = Math.round(zone.offsetAt(ms) / 60_000);
  const two = (n: number) => String(n).padStart(2, '0');
  const offset = `${minutes < 0 ? '-' : '+'}${two(Math.floor(Math.abs(minutes) / 60))}:${two(Math.abs(minutes) % 60)}`;
  return new Date(zone.localAt(ms)).toISOString().slice(0, 19) + offset;
}
