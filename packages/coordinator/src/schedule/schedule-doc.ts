import type { Schedule } from '@webfarer/protocol/api';

/** Why a due instant has no run. */
export const skipReasons = ['overlap', 'too-soon', 'missed', 'not-started', 'clock'] as const;
export type SkipReason = (typeof skipReasons)[number];

/** How a run ended. */
export const runOutcomes = ['finished', 'limited', 'stopped', 'replaced', 'deleted'] as const;
export type RunOutcome = (typeof runOutcomes)[number];

/** A run that was started: a crawl in the catalog. */
export interface ScheduledRun {
  kind: 'run';
  /** The instant it was due: its identity, together with the schedule. */
  dueMs: number;
  /** The crawl's. */
  name: string;
  nonce: string;
  startedAtMs: number;
  /** Absent while it is in progress. */
  endedAtMs?: number;
  outcome?: RunOutcome;
}

/** Instants that passed without a run. */
export interface SkippedInstants {
  kind: 'skipped';
  why: SkipReason;
  /** The latest of them. */
  dueMs: number;
  count: number;
  atMs: number;
}

export type HistoryEntry = ScheduledRun | SkippedInstants;

/** A run that was decided on. Written before the crawl is created, so that any coordinator can create it. */
export interface StartingRun {
  dueMs: number;
  count: number;
  name: string;
  nonce: string;
  /** The run in progress that it replaces. */
  replaces?: { name: string; nonce: string };
  /** The crawl that a recrawl is compared with. */
  previous?: string;
}

export interface ScheduleError {
  atMs: number;
  code: string;
  /** What happened and why. */
  text: string;
  /** What the operator can do. */
  next: string;
}

/** What coordinators keep of a schedule. Every change is one compare-and-set of the whole document. */
export interface ScheduleState {
  /** Every instant up to this one was decided on. */
  markMs: number;
  /** Runs that were started. */
  count: number;
  /** Instants whose runs wait for the one in progress, earliest first. */
  waiting: number[];
  starting?: StartingRun;
  /** Latest last. */
  history: HistoryEntry[];
  lastError?: ScheduleError;
}

/** The document of a schedule in the registry. */
export interface ScheduleDoc {
  schedule: Schedule;
  /** Whose crawls it starts. */
  team: string;
  /** What its runs may do: that of the token or person that wrote it last. */
  powers: 'operator' | 'admin';
  createdAtMs: number;
  /** Changes when an operator changes the schedule, not when it runs. */
  revision: number;
  /** The first instant of an interval. */
  anchorMs: number;
  state: ScheduleState;
}

export const keptHistory = 100;

/** The run in progress. */
export function currentRun({ history }: ScheduleState): ScheduledRun | undefined {
  const last = lastRun({ history });
  return last && last.endedAtMs === undefined ? last : undefined;
}

export function lastRun({ history }: Pick<ScheduleState, 'history'>): ScheduledRun | undefined {
  return history.findLast((entry) => entry.kind === 'run');
}

/** What a recrawl is compared with: the last run that went to its end or its limit, or else the last one. */
export function comparableRun(state: Pick<ScheduleState, 'history'>): ScheduledRun | undefined {
  const isWhole = (entry: HistoryEntry) =>
    entry.kind === 'run' && (entry.outcome === 'finished' || entry.outcome === 'limited');
  return (state.history.findLast(isWhole) as ScheduledRun | undefined) ?? lastRun(state);
}

export function withEntry(state: ScheduleState, entry: HistoryEntry): ScheduleState {
  const { history } = state;
  const last = history.at(-1);
  // Instants that are skipped one after the other for the same reason are one entry.
  if (entry.kind === 'skipped' && last?.kind === 'skipped' && last.why === entry.why)
    return { ...state, history: [...history.slice(0, -1), { ...entry, count: last.count + entry.count }] };
  return { ...state, history: kept([...history, entry]) };
}

/** The run in progress stays, however many instants were skipped since. */
function kept(history: HistoryEntry[]): HistoryEntry[] {
  if (history.length <= keptHistory) return history;
  const run = history.findLastIndex(({ kind }) => kind === 'run');
  const oldest = run === 0 ? 1 : 0;
  return history.filter((_, n) => n !== oldest);
}
