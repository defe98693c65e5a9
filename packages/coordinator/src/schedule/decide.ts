import type { DueTimes } from './next-due.ts';
import { newRun } from './new-run.ts';
import type { RunLook } from './runs.ts';
import {
  currentRun,
  lastRun,
  type ScheduleDoc,
  type ScheduledRun,
  type ScheduleState,
  type SkipReason,
  withEntry,
} from './schedule-doc.ts';

export interface DecideOptions {
  id: string;
  doc: ScheduleDoc;
  times: DueTimes;
  /** At the registry: one clock for all who decide. */
  nowMs: number;
  /** For how long the schedule has been ahead of the time without a break. */
  aheadForMs: number;
  /** The run in progress; undefined where there is none. */
  look: RunLook | undefined;
  minIntervalMs: number;
}

/** One step of a schedule: nothing but what it is given decides. */
export type Decision =
  /** The state becomes this, and then there may be more to decide. */
  | { kind: 'change'; state: ScheduleState }
  /** Nothing to do before this time; undefined: not until the document changes or the run in progress ends. */
  | { kind: 'wait'; untilMs: number | undefined };

/** An instant that is found this late was missed: coordinators look every second. */
export const LATE_MS = 120_000;
/** What was decided so far in the future was decided by a clock that was wrong; less is waited for. */
export const AHEAD_MS = 120_000;
/** The wrong clock may be the one that is behind, for a moment. Less than `LATE_MS`, so that no instant is missed meanwhile. */
export const SETTLED_MS = 60_000;

/** Whether it was decided on, or run, by a clock that was ahead of this time. */
export function isAhead(state: ScheduleState, nowMs: number): boolean {
  const run = lastRun(state);
  return Math.max(state.markMs, run?.startedAtMs ?? 0, run?.endedAtMs ?? 0) > nowMs + AHEAD_MS;
}

export function decide(options: DecideOptions): Decision {
  const { doc, nowMs, look } = options;
  const { state, schedule } = doc;
  const current = currentRun(state);
  if (current && look?.kind === 'over') return change(ended(state, look, nowMs));
  if (isAhead(state, nowMs)) {
    const leftMs = SETTLED_MS - options.aheadForMs;
    return leftMs > 0 ? { kind: 'wait', untilMs: nowMs + leftMs } : change(afterWrongClock(options));
  }
  if (!schedule.enabled) return { kind: 'wait', untilMs: undefined };
  return decideDue(options) ?? decideWaiting(options);
}

const change = (state: ScheduleState): Decision => ({ kind: 'change', state });

function ended(state: ScheduleState, look: RunLook & { kind: 'over' }, nowMs: number): ScheduleState {
  const current = currentRun(state);
  const { outcome, endedAtMs = nowMs } = look;
  const end = { endedAtMs: Math.max(endedAtMs, current?.startedAtMs ?? 0), outcome };
  return {
    ...state,
    history: state.history.map((entry) => (entry === current ? { ...current, ...end } : entry)),
  };
}

/**
 * Goes back to the last instant that was decided in time: instants that the wrong clock passed over get their runs when they are due. Those that it ran are
 * in the history, and are not run again.
 */
function afterWrongClock({ doc: { state }, nowMs, aheadForMs }: DecideOptions): ScheduleState {
  const { startedAtMs = 0, endedAtMs = 0 } = lastRun(state) ?? {};
  const aheadMs = Math.max(state.markMs, startedAtMs, endedAtMs) - nowMs;
  const decidedMs = state.history.findLast(({ dueMs }) => dueMs <= nowMs)?.dueMs ?? 0;
  // What was due meanwhile is late. How long the wrong clock was believed before is not known.
  const markMs = Math.min(state.markMs, Math.max(decidedMs, nowMs - aheadForMs - LATE_MS));
  const history = state.history.map((entry) => (entry.kind === 'run' ? notAfter(entry, nowMs) : entry));
  return {
    ...withEntry(
      { ...state, history },
      { kind: 'skipped', why: 'clock', dueMs: markMs, count: 0, atMs: nowMs },
    ),
    markMs,
    waiting: state.waiting.filter((dueMs) => dueMs <= nowMs),
    lastError: {
      atMs: nowMs,
      code: 'clock',
      text: `The schedule was decided by a clock that was ${shownDuration(aheadMs)} ahead.`,
      next: 'Check the time on the coordinators and the store. The schedule continues from the present time: instants that were passed over run when they are due, those that ran early do not run again.',
    },
  };
}

/** What waits for the end of a run, or for some time after its start, waits from the present. */
function notAfter(run: ScheduledRun, nowMs: number): ScheduledRun {
  const { startedAtMs, endedAtMs } = run;
  return {
    ...run,
    startedAtMs: Math.min(startedAtMs, nowMs),
    ...(endedAtMs === undefined ? {} : { endedAtMs: Math.min(endedAtMs, nowMs) }),
  };
}

function shownDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes < 120) return `${minutes} minutes`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours} hours` : `${Math.round(hours / 24)} days`;
}

/** A clock that was ahead has run it before its time. */
function hasRun({ history }: ScheduleState, dueMs: number): boolean {
  return history.some((entry) => entry.kind === 'run' && entry.dueMs === dueMs);
}

/** About the next instant whose time has come; undefined where there is none. */
function decideDue(options: DecideOptions): Decision | undefined {
  const { doc, times, nowMs } = options;
  const { schedule, state } = doc;
  const dueMs = nextOf(options);
  if (dueMs === undefined || times.startOf(dueMs) > nowMs) return undefined;
  if (hasRun(state, dueMs)) return change(skipped(options, 'clock', dueMs));
  if (nowMs - times.startOf(dueMs) > LATE_MS) return change(missed(options, dueMs));
  const isBusy = currentRun(state) !== undefined || state.waiting.length > 0;
  if (!isBusy)
    return change(isTooSoon(options) ? skipped(options, 'too-soon', dueMs) : started(options, dueMs));
  switch (schedule.overlap) {
    case 'skip':
      return change(skipped(options, 'overlap', dueMs));
    case 'queue':
      return change(
        state.waiting.length > 0
          ? skipped(options, 'overlap', dueMs)
          : { ...state, markMs: dueMs, waiting: [dueMs] },
      );
    case 'replace':
    case 'replace-paused': {
      const may = schedule.overlap === 'replace' || options.look?.kind === 'paused';
      if (!may) return change(skipped(options, 'overlap', dueMs));
      if (isTooSoon(options)) return change(skipped(options, 'too-soon', dueMs));
      // Those that wait are older than the one that replaces them.
      return change(started({ ...options, doc: { ...doc, state: { ...state, waiting: [] } } }, dueMs));
    }
  }
}

/** Those that wait begin one after the other. */
function decideWaiting(options: DecideOptions): Decision {
  const { doc, times, nowMs, minIntervalMs } = options;
  const { state } = doc;
  const [first, ...rest] = state.waiting;
  const dueMs = nextOf(options);
  const nextMs = dueMs === undefined ? undefined : times.startOf(dueMs);
  if (first === undefined || currentRun(state)) return { kind: 'wait', untilMs: nextMs };
  const freeAtMs = (lastRun(state)?.startedAtMs ?? -Infinity) + minIntervalMs;
  if (isTooSoon(options))
    return { kind: 'wait', untilMs: Math.min(nextMs ?? Infinity, Math.max(freeAtMs, nowMs + 1)) };
  return change(started({ ...options, doc: { ...doc, state: { ...state, waiting: rest } } }, first));
}

function nextOf({ doc: { state }, times }: DecideOptions): number | undefined {
  return times.next(state.markMs, lastRun(state));
}

/** Whatever the clocks say, two runs never begin closer together than this. */
function isTooSoon({ doc: { state }, nowMs, minIntervalMs }: DecideOptions): boolean {
  const startedAtMs = lastRun(state)?.startedAtMs;
  // Coordinators know the time of the registry to a few milliseconds: the last start may lie ahead.
  return startedAtMs !== undefined && Math.max(0, nowMs - startedAtMs) < minIntervalMs;
}

function started({ id, doc }: DecideOptions, dueMs: number): ScheduleState {
  const { state } = doc;
  return { ...state, markMs: Math.max(state.markMs, dueMs), starting: newRun(id, doc, dueMs) };
}

function skipped({ doc: { state }, nowMs }: DecideOptions, why: SkipReason, dueMs: number): ScheduleState {
  const entry = { kind: 'skipped', why, dueMs, count: 1, atMs: nowMs } as const;
  return withEntry({ ...state, markMs: dueMs }, entry);
}

/** No coordinator was up, or none could reach the store, when instants passed. */
function missed(options: DecideOptions, firstMs: number): ScheduleState {
  const { doc, times, nowMs } = options;
  const { schedule, state } = doc;
  const untilMs = nowMs - LATE_MS;
  const most = schedule.missed === 'all' ? schedule.missedMost : 1;
  const found =
    schedule.timing === 'after-previous'
      ? { instants: [firstMs], before: 0 }
      : times.latest(firstMs - 1, Math.max(firstMs, untilMs), most);
  const lastMs = found.instants.at(-1) ?? firstMs;
  const run = schedule.missed === 'skip' ? [] : found.instants.filter((dueMs) => !hasRun(state, dueMs));
  const without = found.before + found.instants.length - run.length;
  const moved = { ...state, markMs: lastMs, waiting: [...state.waiting, ...run].slice(-schedule.missedMost) };
  if (without === 0) return moved;
  return withEntry(moved, { kind: 'skipped', why: 'missed', dueMs: lastMs, count: without, atMs: nowMs });
}
