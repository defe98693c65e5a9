import { WebfarerError } from '@webfarer/protocol';
import type { Schedule, ScheduleUnit } from '@webfarer/protocol/api';
import { Cron } from 'croner';
import { createZone, type Zone } from './zone.ts';

/** The instants at which a schedule is due, as milliseconds since 1970. */
export interface Timetable {
  /** The first instant after this one; undefined where there is none. */
  after(instantMs: number): number | undefined;
  /** The first instant counted from the end of a run. */
  afterEnd(endMs: number): number | undefined;
}

export interface TimetableOptions extends Pick<Schedule, 'when' | 'timeZone'> {
  /** The first instant of a schedule with an interval. */
  anchorMs: number;
}

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** Local times that a repeated hour can have: one each second. */
const MOST_REPEATED = 4 * 3_600;

export function createTimetable({ when, timeZone, anchorMs }: TimetableOptions): Timetable {
  const zone = createZone(timeZone);
  if ('cron' in when) {
    const after = cronTimes(when.cron, zone);
    return { after, afterEnd: after };
  }
  return intervalTimes(when, zone, anchorMs);
}

/** Throws where the expression cannot be read, or never comes true. */
export function checkCron(pattern: string): void {
  if (cronTimes(pattern, createZone('UTC'))(Date.UTC(2020, 0, 1)) !== undefined) return;
  throw new WebfarerError('usage', `the cron expression ${pattern} never comes true`, {
    next: 'Check its day and month.',
  });
}

/**
 * Croner only counts local times here, on a calendar without time zones; which instants they are is decided below. Its
 * own rules for clock changes depend on whether a field is a list.
 */
function localTimes(pattern: string): (localMs: number) => number | undefined {
  try {
    const cron = new Cron(pattern, { utcOffset: 0, mode: '5-or-6-parts', paused: true });
    const next = (localMs: number) => cron.nextRun(new Date(localMs))?.getTime();
    return (localMs) => {
      const found = next(localMs);
      if (found === undefined) return undefined;
      // Croner 11.0.0 takes a weekday on the 30th or 31st of February for a match, and so passes over the first of March.
      const marchMs = Date.UTC(new Date(found).getUTCFullYear(), 2, 1);
      const isPast = marchMs > localMs && found > marchMs && found < marchMs + 3 * DAY_MS;
      return isPast ? (next(marchMs - SECOND_MS) ?? found) : found;
    };
  } catch (error) {
    throw new WebfarerError('usage', `invalid cron expression: ${pattern}`, {
      next: `${(error as Error).message.replace(/^CronPattern: /, '')}. An example: 30 4 * * MON (Mondays at 04:30).`,
      cause: error,
    });
  }
}

function cronTimes(pattern: string, zone: Zone): Timetable['after'] {
  const nextLocal = localTimes(pattern);
  const hours = pattern.trim().split(/\s+/).at(-4) ?? '';
  // `*/10 * * * *` means an interval, whatever the clock on the wall is set to.
  const isInterval = hours.startsWith('*');
  const found = isInterval ? elapsedTimes(nextLocal, zone) : namedTimes(nextLocal, zone);
  return (instantMs) => found(instantMs);
}

/** Hours are named: every local time runs once, at the first valid moment where clocks are set forward over it. */
function namedTimes(nextLocal: (localMs: number) => number | undefined, zone: Zone): Timetable['after'] {
  return (instantMs) => {
    let local: number | undefined = zone.localAt(instantMs);
    for (let tries = 0; tries < MOST_REPEATED; tries++) {
      local = nextLocal(local);
      if (local === undefined) return undefined;
      const found = zone.firstOf(local);
      if (found > instantMs) return found;
    }
    return undefined;
  };
}

/** Every hour, or every Nth: both passes of a repeated hour count, and a skipped hour takes no time. */
function elapsedTimes(nextLocal: (localMs: number) => number | undefined, zone: Zone): Timetable['after'] {
  return function after(instantMs: number, offset = zone.offsetAt(instantMs)): number | undefined {
    const local = nextLocal(instantMs + offset);
    if (local === undefined) return undefined;
    const found = local - offset;
    if (zone.offsetAt(found) === offset)
      return zone.instantsOf(local).find((instant) => instant > instantMs) ?? found;
    // The clocks change before it: from then on with the new offset.
    let low = instantMs;
    let high = found;
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (zone.offsetAt(middle) === offset) low = middle;
      else high = middle;
    }
    return after(high - 1, zone.offsetAt(high));
  };
}

type Interval = Extract<Schedule['when'], { every: number }>;

function intervalTimes({ every, unit }: Interval, zone: Zone, anchorMs: number): Timetable {
  const stepMs = unit === 'minutes' ? every * MINUTE_MS : unit === 'hours' ? every * HOUR_MS : undefined;
  if (stepMs !== undefined)
    return {
      after: (instantMs) =>
        instantMs < anchorMs
          ? anchorMs
          : anchorMs + (Math.floor((instantMs - anchorMs) / stepMs) + 1) * stepMs,
      afterEnd: (endMs) => endMs + stepMs,
    };
  const anchorLocal = zone.localAt(anchorMs);
  return {
    after(instantMs) {
      if (instantMs < anchorMs) return anchorMs;
      const local = zone.localAt(instantMs);
      // An hour more or less at either end must not cost an instant.
      let step = Math.max(0, Math.floor((local - anchorLocal) / longest(every, unit)) - 1);
      for (;;) {
        const found = zone.firstOf(moved(anchorLocal, step * every, unit));
        if (found > instantMs) return found;
        step++;
      }
    },
    afterEnd(endMs) {
      const whole = Math.ceil(endMs / SECOND_MS) * SECOND_MS;
      return zone.firstOf(moved(zone.localAt(whole), every, unit));
    },
  };
}

/** No unit takes longer. */
function longest(every: number, unit: ScheduleUnit): number {
  const days = { minutes: 0, hours: 0, days: 1, weeks: 7, months: 31, years: 366 };
  return every * days[unit] * DAY_MS;
}

/** So many units later on the calendar; the day is clamped to the length of the month. */
function moved(localMs: number, count: number, unit: ScheduleUnit): number {
  if (unit === 'days' || unit === 'weeks') return localMs + count * (unit === 'weeks' ? 7 : 1) * DAY_MS;
  const from = new Date(localMs);
  const month = from.getUTCMonth() + count * (unit === 'years' ? 12 : 1);
  const lastDay = new Date(Date.UTC(from.getUTCFullYear(), month + 1, 0)).getUTCDate();
  const timeMs = ((localMs % DAY_MS) + DAY_MS) % DAY_MS;
  return Date.UTC(from.getUTCFullYear(), month, Math.min(from.getUTCDate(), lastDay)) + timeMs;
}
