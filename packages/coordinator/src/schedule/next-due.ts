import { createHash } from 'node:crypto';
import type { Schedule } from '@webfarer/protocol/api';
import { createTimetable, type Timetable } from './timetable.ts';

/** What the next instant depends on beside the schedule. */
export interface LastRun {
  /** Absent while it is in progress. */
  endedAtMs?: number;
}

export interface PlannedSchedule {
  id: string;
  schedule: Pick<Schedule, 'when' | 'timeZone' | 'timing' | 'jitterMs'>;
  /** The first instant of a schedule with an interval. */
  anchorMs: number;
}

export interface DueTimes {
  /** The first instant after this one; undefined where there is none, or while the run before is in progress. */
  next(afterMs: number, lastRun: LastRun | undefined): number | undefined;
  /** When the run of an instant begins: the same in every process, at every look, and never after the next instant. */
  startOf(dueMs: number): number;
  /** The latest instants in this time, earliest first, and how many there were before them. */
  latest(afterMs: number, untilMs: number, most: number): { instants: number[]; before: number };
}

/** Instants of a long absence that are counted; there may be more. */
const MOST_COUNTED = 1_000;
/** Looked through from the end, so that years without a coordinator take no longer than a day. */
const WINDOWS_MS = [1, 24, 31 * 24, 400 * 24].map((hours) => hours * 3_600_000);
const MOST_IN_WINDOW = 4_000;

/** The first instant at which a schedule is due after this one, counted as its timing says. */
export function nextDue(
  planned: PlannedSchedule,
  afterMs: number,
  lastRun: LastRun | undefined,
): number | undefined {
  return createDueTimes(planned).next(afterMs, lastRun);
}

/** The same for many questions about one schedule. */
export function createDueTimes({ id, schedule, anchorMs }: PlannedSchedule): DueTimes {
  const times = createTimetable({ ...schedule, anchorMs });

  function next(afterMs: number, lastRun: LastRun | undefined): number | undefined {
    if (schedule.timing === 'regular' || !lastRun) return times.after(afterMs);
    // An instant that was skipped is the new beginning.
    return lastRun.endedAtMs === undefined ? undefined : times.afterEnd(Math.max(afterMs, lastRun.endedAtMs));
  }

  return {
    next,
    startOf(dueMs) {
      if (schedule.jitterMs === 0) return dueMs;
      const following = times.after(dueMs);
      const roomMs = Math.min(schedule.jitterMs, (following ?? Infinity) - dueMs);
      return dueMs + Math.floor(share(`${id}\n${dueMs}`) * roomMs);
    },
    latest(afterMs, untilMs, most) {
      for (const windowMs of [...WINDOWS_MS, Infinity]) {
        const fromMs = Math.max(afterMs, untilMs - windowMs);
        const instants = within(times, fromMs, untilMs);
        if (fromMs > afterMs && instants.length < most) continue;
        const counted = fromMs > afterMs ? countUpTo(times, afterMs, fromMs) : 0;
        const before = counted + Math.max(0, instants.length - most);
        return { instants: instants.slice(-most), before };
      }
      return { instants: [], before: 0 };
    },
  };
}

/** The last ones of at most so many: windows are small where instants are dense. */
function within(times: Timetable, afterMs: number, untilMs: number): number[] {
  const found: number[] = [];
  let at = times.after(afterMs);
  while (at !== undefined && at <= untilMs && found.length < MOST_IN_WINDOW) {
    found.push(at);
    at = times.after(at);
  }
  return found;
}

function countUpTo(times: Timetable, afterMs: number, untilMs: number): number {
  let count = 0;
  let at = times.after(afterMs);
  while (at !== undefined && at <= untilMs && count < MOST_COUNTED) {
    count++;
    at = times.after(at);
  }
  return count;
}

/** From 0 up to 1, by the text alone. */
function share(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32BE(0) / 2 ** 32;
}
