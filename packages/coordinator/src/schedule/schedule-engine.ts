import { type DatedClock, isStorageTrouble, WebfarerError, type WebfarerEvent } from '@webfarer/protocol';
import type { EventBus } from '../events/event-bus.ts';
import { createDuty, type Duty } from '../maintenance/duty.ts';
import type { Registry, RegistryDoc } from '../registry/registry.ts';
import { decide, isAhead } from './decide.ts';
import { createDueTimes, type DueTimes } from './next-due.ts';
import type { RunLook, ScheduledRuns, StartAnswer } from './runs.ts';
import { createScheduleTable } from './schedule-table.ts';
import {
  currentRun,
  type ScheduleDoc,
  type ScheduleError,
  type ScheduleState,
  type StartingRun,
  withEntry,
} from './schedule-doc.ts';
import { createRegistryTime } from './registry-time.ts';

export interface ScheduleEngineOptions {
  registry: Pick<Registry, 'get' | 'list' | 'put' | 'changes'>;
  runs: ScheduledRuns;
  /** For waits, and to be compared: schedules go by the time at the registry, which is one for all coordinators. */
  clock: DatedClock;
  events: Pick<EventBus, 'publish'>;
  failed: (error: unknown) => void;
  /** Two runs of a schedule never begin closer together. */
  minIntervalMs?: number;
  lookMs?: number;
  /** For proofs: called between the steps of a start. */
  failpoint: (at: 'decided' | 'created') => void;
}

const MIN_INTERVAL_MS = 10_000;
const LOOK_MS = 1_000;
/** How often a run in progress is looked at. */
const RUN_LOOK_MS = 3_000;
const RETRY_MS = 5_000;
/** After an error that is not the store's. */
const TROUBLE_MS = 60_000;
/** Steps of one schedule at one look; the rest follow at the next. */
const MOST_STEPS = 20;

/** A schedule as this coordinator has seen it last. */
interface Planned {
  doc: RegistryDoc<ScheduleDoc>;
  times: DueTimes;
  /** When there is something to do, by the time at the registry. */
  wakeAtMs: number;
  /** Since when it has been seen ahead of that time, by the monotonic clock. */
  aheadSinceMs: number | undefined;
}

/**
 * Starts the runs of all schedules. Any number of coordinators do the same: what is to be done is decided by a
 * compare-and-set of the schedule's document, in which the run is written down before its crawl is created. A
 * coordinator that dies in between leaves the rest to the others, and to create a crawl twice creates one.
 */
export function createScheduleEngine(options: ScheduleEngineOptions): Duty {
  const { registry, runs, clock, events } = options;
  const { minIntervalMs = MIN_INTERVAL_MS, lookMs = LOOK_MS, failpoint } = options;
  const table = createScheduleTable<Planned>({ registry, plan });
  const time = createRegistryTime({ clock, events, read: () => table.refresh() });
  const { nowMs } = time;

  function plan(doc: RegistryDoc<ScheduleDoc>, before: Planned | undefined): Planned {
    const isSame = before?.doc.value.revision === doc.value.revision;
    const times = isSame ? before.times : createDueTimes({ id: doc.id, ...doc.value });
    return { doc, times, wakeAtMs: 0, aheadSinceMs: before?.aheadSinceMs };
  }

  /** The document as it is after this change, or as another coordinator left it; undefined where it is gone. */
  async function change(
    planned: Planned,
    state: ScheduleState,
  ): Promise<{ doc: Planned['doc'] | undefined; won: boolean }> {
    const { id, version, value } = planned.doc;
    const answer = await registry.put('schedule', id, version, { ...value, state });
    return { doc: answer.doc as Planned['doc'] | undefined, won: answer.kind === 'changed' };
  }

  async function start(planned: Planned, run: StartingRun): Promise<ScheduleState | undefined> {
    const { state } = planned.doc.value;
    const { starting: _done, ...rest } = state;
    try {
      failpoint('decided');
      const answer = await runs.start(run, planned.doc.value);
      failpoint('created');
      return withRun({ ...rest, count: run.count }, { run, answer, nowMs: nowMs() });
    } catch (error) {
      if (isStorageTrouble(error)) throw error;
      return notStarted(rest, run, scheduleError(error, nowMs()));
    }
  }

  /** One step; false: nothing more to do before `wakeAtMs`. */
  async function step(planned: Planned, look: RunLook | undefined): Promise<Planned | undefined | false> {
    const { id, value } = planned.doc;
    const { starting } = value.state;
    const now = nowMs();
    planned.aheadSinceMs = isAhead(value.state, now) ? (planned.aheadSinceMs ?? clock.now()) : undefined;
    const aheadForMs = clock.now() - (planned.aheadSinceMs ?? clock.now());
    const decision = starting
      ? undefined
      : decide({ id, doc: value, times: planned.times, nowMs: now, aheadForMs, look, minIntervalMs });
    if (decision?.kind === 'wait') {
      planned.wakeAtMs = Math.min(
        decision.untilMs ?? Infinity,
        currentRun(value.state) ? now + RUN_LOOK_MS : Infinity,
      );
      return false;
    }
    const state = starting ? await start(planned, starting) : decision?.state;
    if (!state) return false;
    const { doc, won } = await change(planned, state);
    if (won && starting) events.publish(newsOf(id, state, starting));
    else if (won) for (const news of newsOfSkipped(id, value.state, state)) events.publish(news);
    return doc && plan(doc, planned);
  }

  async function work(given: Planned): Promise<void> {
    let planned = given;
    for (let steps = 0; steps < MOST_STEPS; steps++) {
      const current = currentRun(planned.doc.value.state);
      const look = current && !planned.doc.value.state.starting ? await runs.look(current) : undefined;
      const next = await step(planned, look);
      if (next === false) return;
      if (!next) return table.drop(planned.doc.id);
      planned = next;
      table.set(planned.doc.id, planned);
    }
  }

  async function lookAround(): Promise<number> {
    // What was to be done at a time that lies ahead again is to be decided again.
    if (await time.ask()) for (const planned of table.all()) planned.wakeAtMs = 0;
    let nearestMs = Infinity;
    for (const planned of table.all()) {
      if (planned.wakeAtMs <= nowMs()) await workOn(planned);
      nearestMs = Math.min(nearestMs, table.get(planned.doc.id)?.wakeAtMs ?? Infinity);
    }
    return Math.max(1, Math.min(lookMs, nearestMs - nowMs()));
  }

  async function workOn(planned: Planned): Promise<void> {
    try {
      await work(planned);
    } catch (error) {
      // The store is unreachable: nothing was changed, or what was is found again. Any other trouble is this schedule's alone.
      if (!isStorageTrouble(error)) await noteTrouble(planned, error).catch(() => undefined);
      const latest = table.get(planned.doc.id) ?? planned;
      latest.wakeAtMs = nowMs() + (isStorageTrouble(error) ? RETRY_MS : TROUBLE_MS);
    }
  }

  /** Where the schedule is shown, and once: it is tried again. */
  async function noteTrouble({ doc: { id } }: Planned, error: unknown): Promise<void> {
    const planned = table.get(id);
    if (!planned) return;
    const lastError = scheduleError(error, nowMs());
    const { state } = planned.doc.value;
    if (state.lastError?.text === lastError.text) return;
    const { doc, won } = await change(planned, { ...state, lastError });
    if (doc) table.set(id, plan(doc, planned));
    if (won) events.publish(failedWith(id, lastError));
  }

  return createDuty({ clock, step: lookAround, afterTroubleMs: lookMs, failed: options.failed });
}

interface Started {
  run: StartingRun;
  answer: StartAnswer;
  nowMs: number;
}

function withRun(state: ScheduleState, { run, answer, nowMs }: Started): ScheduleState {
  const { lastError: _solved, ...rest } = state;
  const replaced = currentRun(rest);
  const history = rest.history.map((entry) =>
    entry === replaced ? ({ ...replaced, endedAtMs: nowMs, outcome: 'replaced' } as const) : entry,
  );
  const { dueMs } = run;
  const about = answer.kind === 'stands' ? answer : { name: run.name, nonce: run.nonce };
  return withEntry(
    { ...rest, history },
    {
      kind: 'run',
      dueMs,
      name: about.name,
      nonce: about.nonce,
      startedAtMs: nowMs,
      ...(answer.kind === 'deleted' ? { endedAtMs: nowMs, outcome: 'deleted' } : {}),
    },
  );
}

function notStarted(state: ScheduleState, { dueMs }: StartingRun, lastError: ScheduleError): ScheduleState {
  const { atMs } = lastError;
  const entry = { kind: 'skipped', why: 'not-started', dueMs, count: 1, atMs } as const;
  return { ...withEntry(state, entry), lastError };
}

function newsOf(schedule: string, { count, lastError }: ScheduleState, run: StartingRun): WebfarerEvent {
  const { dueMs, name } = run;
  if (count === run.count || !lastError) return { type: 'schedule-run', schedule, name, dueMs };
  return failedWith(schedule, lastError);
}

/** What an operator would otherwise not hear of: overlaps are as the schedule says, and in its history. */
function newsOfSkipped(schedule: string, before: ScheduleState, after: ScheduleState): WebfarerEvent[] {
  if (after.lastError && after.lastError !== before.lastError) return [failedWith(schedule, after.lastError)];
  const entry = after.history.at(-1);
  const last = before.history.at(-1);
  if (entry?.kind !== 'skipped' || entry === last || entry.why === 'overlap') return [];
  const known = last?.kind === 'skipped' && last.why === entry.why ? last.count : 0;
  const { why, dueMs } = entry;
  return [{ type: 'schedule-skipped', schedule, why, count: entry.count - known, dueMs }];
}

function failedWith(schedule: string, { text: message, next }: ScheduleError): WebfarerEvent {
  return { type: 'schedule-failed', schedule, message, next };
}

function scheduleError(error: unknown, atMs: number): ScheduleError {
  const known = error instanceof WebfarerError ? error : undefined;
  const next = known?.next ?? 'Fix the job of the schedule and save the schedule again.';
  const text = error instanceof Error ? error.message : String(error);
  return { atMs, code: known?.code ?? 'internal', text, next };
}
