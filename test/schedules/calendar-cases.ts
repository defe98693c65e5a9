import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import type { Schedule } from '@webfarer/protocol/api';

/** One schedule over one span of time. */
export interface CalendarCase {
  zone: string;
  when: Schedule['when'];
  anchorMs: number;
  /** Instants after this one, up to and with `toMs`. */
  fromMs: number;
  toMs: number;
}

export interface ClockChange {
  zone: string;
  atMs: number;
  forward: boolean;
}

export const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
export const fiveYears = { fromMs: Date.UTC(2026, 0, 1), toMs: Date.UTC(2031, 0, 1) };
/** Hours change by one and by half; north and south. */
export const zones = ['Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];

const crons = [
  '30 2 * * *',
  '0 2 * * *',
  '15 1 * * *',
  '0,15,30,45 1,2,3 * * *',
  '*/30 2 * * *',
  '0 0-5 * * *',
  '0 * * * *',
  '*/15 * * * *',
  '30 */2 * * *',
  '30 2 * * 0',
  '45 1 1-7 * 0',
  '0 3 1 * *',
];

function ask<T>(question: unknown): T {
  const script = join(import.meta.dirname, 'oracle.py');
  const answer = execFileSync('python3', [script], {
    input: JSON.stringify(question),
    maxBuffer: 512 * 1_048_576,
    encoding: 'utf8',
  });
  return JSON.parse(answer) as T;
}

/** Which database of time zones Python reads: the two sides may have different ones. */
export function pythonZones(): string {
  const code =
    'import zoneinfo, os; p = [os.path.join(d, "tzdata.zi") for d in zoneinfo.TZPATH]; ' +
    'f = [x for x in p if os.path.exists(x)]; print(open(f[0]).readline().strip("# \\n") if f else "unknown version")';
  return execFileSync('python3', ['-c', code], { encoding: 'utf8' }).trim();
}

export function clockChanges(): ClockChange[] {
  return ask({ zones, ...fiveYears });
}

/** What another implementation makes of the cases, in their order. */
export function outsideInstants(cases: readonly CalendarCase[]): number[][] {
  return ask({
    cases: cases.map(({ zone, when, anchorMs, fromMs, toMs }) => ({ zone, ...when, anchorMs, fromMs, toMs })),
  });
}

/** Every kind of schedule, around one change of the clocks. */
export function casesAround({ zone, atMs }: ClockChange, aroundMs: number): CalendarCase[] {
  const span = { zone, fromMs: atMs - aroundMs, toMs: atMs + aroundMs };
  // Half an hour into what is skipped or repeated, some time before.
  const inside = atMs + hourMs / 2;
  const every = [
    { every: 45, unit: 'minutes', anchorMs: inside - 3 * dayMs },
    { every: 5, unit: 'hours', anchorMs: inside - 3 * dayMs },
    { every: 1, unit: 'days', anchorMs: inside - 10 * dayMs - hourMs },
    { every: 1, unit: 'days', anchorMs: inside - 9 * dayMs },
    { every: 3, unit: 'days', anchorMs: inside - 9 * dayMs },
    { every: 2, unit: 'weeks', anchorMs: inside - 28 * dayMs - hourMs },
  ] as const;
  return [
    ...crons.map((cron) => ({ ...span, when: { cron }, anchorMs: 0 })),
    ...every.map(({ anchorMs, ...when }) => ({ ...span, when, anchorMs })),
  ];
}

/** Schedules that run seldom, over all five years. */
export function seldomCases(): CalendarCase[] {
  const { fromMs, toMs } = fiveYears;
  const every = [
    { every: 1, unit: 'months', anchorMs: Date.UTC(2026, 0, 31, 1, 30) },
    { every: 5, unit: 'months', anchorMs: Date.UTC(2026, 0, 30, 15, 30) },
    { every: 1, unit: 'years', anchorMs: Date.UTC(2028, 1, 29, 12) },
    { every: 1, unit: 'days', anchorMs: Date.UTC(2026, 0, 1, 7, 30) },
    { every: 1, unit: 'days', anchorMs: Date.UTC(2026, 0, 1, 1, 30) },
    { every: 1, unit: 'weeks', anchorMs: Date.UTC(2026, 0, 3, 15, 30) },
  ] as const;
  return zones.flatMap((zone) => [
    ...every.map(({ anchorMs, ...when }) => ({ zone, when, anchorMs, fromMs, toMs })),
    ...['30 2 * * *', '45 1 1-7 * 0', '0 3 29 2 *', '0 0 31 * *', '15 2 * 3,10 6'].map((cron) => ({
      zone,
      when: { cron },
      anchorMs: 0,
      fromMs,
      toMs,
    })),
  ]);
}
