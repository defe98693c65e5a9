import type { DueTimes } from './next-due.ts';
import { newRun } from './new-run.ts';
import type { RunLook } from './runs.ts';
import {
  currentRun,
  lastRun,
  type ScheduleDoc,
  type ScheduleState,
  type SkipReason,
  withEntry,
} from './schedule-doc.ts';

export interface DecideOptions {
  id: string;
  doc: ScheduleDoc;
  times: DueTimes;
  nowMs: number;
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
/** A mark so far ahead was made by a clock that was wrong; nearer ones are waited for. */
export const AHEAD_MS = 86_400_000;

export function decide(options: DecideOptions): Decision {
  const { doc, nowMs, look } = options;
  const { state, schedule } = doc;
  const current = currentRun(state);
  if (current && look?.kind === 'over') return change(ended(state, look, nowMs));
  if (state.markMs > nowMs + AHEAD_MS) return change(afterWrongClock(state, nowMs));
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

/** Instants that were run under the wrong time are known by their crawls, and are not run again. */
function afterWrongClock(state: ScheduleState, nowMs: number): ScheduleState {
  const days = Math.round((state.markMs - nowMs) / 86_400_000);
  const back = withEntry(state, {
    kind: 'skipped',
    why: 'clock',
    dueMs: state.markMs,
    count: 0,
    atMs: nowMs,
  });
  return {
    ...back,
    markMs: nowMs,
    waiting: [],
    lastError: {
      atMs: nowMs,
      code: 'clock',
      text: `A coordinator ran this schedule with a clock that was ${days} days ahead.`,
      next: 'Check the time on the coordinators. The schedule continues from the present time.',
    },
  };
}

/** About the next instant whose time has come; undefined where there is none. */
function decideDue(options: DecideOptions): Decision | undefined {
  const { doc, times, nowMs } = options;
  const { schedule, state } = doc;
  const dueMs = nextOf(options);
  if (dueMs === undefined || times.startOf(dueMs) > nowMs) return undefined;
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
  // Started in the far future: by a clock that was wrong.
  if (startedAtMs === undefined || startedAtMs > nowMs + AHEAD_MS) return false;
  return nowMs - startedAtMs < minIntervalMs;
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
  const run = schedule.missed === 'skip' ? [] : found.instants;
  const without = found.before + found.instants.length - run.length;
  const moved = { ...state, markMs: lastMs, waiting: [...state.waiting, ...run].slice(-schedule.missedMost) };
  if (without === 0) return moved;
  return withEntry(moved, { kind: 'skipped', why: 'missed', dueMs: lastMs, count: without, atMs: nowMs });
}
