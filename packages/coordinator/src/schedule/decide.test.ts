import type { ScheduleInput } from '@webfarer/protocol/api';
import { describe, expect, it } from 'vitest';
import { AHEAD_MS, decide, LATE_MS, SETTLED_MS } from './decide.ts';
import { createDueTimes } from './next-due.ts';
import { runNonce } from './new-run.ts';
import type { RunLook } from './runs.ts';
import { someDoc } from './schedule.fixture.ts';
import type { HistoryEntry, ScheduleDoc, ScheduledRun, ScheduleState } from './schedule-doc.ts';

const hour = 3_600_000;
const begin = Date.UTC(2026, 0, 1);
const minIntervalMs = 10_000;

function runOf(dueMs: number, more: Partial<ScheduledRun> = {}): ScheduledRun {
  return { kind: 'run', dueMs, name: `run ${dueMs}`, nonce: `n${dueMs}`, startedAtMs: dueMs, ...more };
}

/** An hourly schedule that has run at `begin`. */
function hourly(change: Partial<ScheduleInput>, more: Partial<ScheduleState> = {}): ScheduleDoc {
  const doc = someDoc(change, begin);
  return { ...doc, state: { ...doc.state, markMs: begin, count: 1, ...more } };
}

function decideAt(
  doc: ScheduleDoc,
  nowMs: number,
  look?: RunLook,
  { aheadForMs = SETTLED_MS, leastMs = minIntervalMs } = {},
) {
  const times = createDueTimes({ id: 's1', ...doc });
  return decide({ id: 's1', doc, times, nowMs, aheadForMs, look, minIntervalMs: leastMs });
}

/** Decides until nothing changes, but starts nothing. */
function stateAt(doc: ScheduleDoc, nowMs: number, look?: RunLook): ScheduleState {
  let { state } = doc;
  for (let n = 0; n < 50; n++) {
    const decision = decideAt({ ...doc, state }, nowMs, look);
    if (decision.kind === 'wait') return state;
    ({ state } = decision);
    if (state.starting) return state;
  }
  throw new Error('it never ends');
}

const over = runOf(begin, { endedAtMs: begin + 60_000, outcome: 'finished' });
const inProgress = { history: [runOf(begin)] };
const running: RunLook = { kind: 'running' };

it('waits for the next instant', () => {
  expect(decideAt(hourly({}), begin + 5)).toEqual({ kind: 'wait', untilMs: begin + hour });
});

it('starts the run of an instant, whose identity follows from schedule and instant', () => {
  const doc = hourly({ runName: 'm {COUNT} {DATE} {TIME}', timeZone: 'Europe/Paris' });
  const { starting, markMs } = stateAt(doc, begin + hour + 300);
  expect(markMs).toBe(begin + hour);
  expect(starting).toEqual({
    dueMs: begin + hour,
    count: 2,
    name: `m 2 2026-01-01T02:00:00 ${(begin + hour) / 1_000}`,
    nonce: runNonce('s1', doc, begin + hour),
  });
  expect(runNonce('s1', { createdAtMs: begin + 1 }, begin + hour)).not.toBe(starting?.nonce);
  expect(runNonce('s2', doc, begin + hour)).not.toBe(starting?.nonce);
});

it('starts nothing while it is disabled', () => {
  expect(decideAt(hourly({ enabled: false }), begin + 9 * hour)).toEqual({
    kind: 'wait',
    untilMs: undefined,
  });
});

it('names the run before for a recrawl', () => {
  const { starting } = stateAt(hourly({ recrawl: true }, { history: [over] }), begin + hour);
  expect(starting).toMatchObject({ previous: over.name });
});

it('compares a recrawl with the last run that went to its end, if there is one', () => {
  const stopped = runOf(begin + 1, { name: 'cut off', outcome: 'stopped', endedAtMs: begin + 2 });
  const named = (history: HistoryEntry[]) =>
    stateAt(hourly({ recrawl: true }, { history }), begin + hour).starting?.previous;
  expect(named([over, stopped])).toBe(over.name);
  expect(named([stopped])).toBe('cut off');
  expect(named([])).toBeUndefined();
});

it('records how and when a run ended', () => {
  const look = { kind: 'over', outcome: 'limited', endedAtMs: begin + 70 } as const;
  expect(stateAt(hourly({}, inProgress), begin + 100, look).history).toEqual([
    runOf(begin, { outcome: 'limited', endedAtMs: begin + 70 }),
  ]);
});

describe('while a run is in progress', () => {
  it('skips the instant', () => {
    const { starting, markMs, history } = stateAt(hourly({}, inProgress), begin + hour, running);
    expect([starting, markMs]).toEqual([undefined, begin + hour]);
    expect(history.at(-1)).toEqual({
      kind: 'skipped',
      why: 'overlap',
      dueMs: begin + hour,
      count: 1,
      atMs: begin + hour,
    });
  });

  it('queues one, which begins when the run has ended', () => {
    const queued = stateAt(hourly({ overlap: 'queue' }, inProgress), begin + hour, running);
    expect([queued.waiting, queued.starting]).toEqual([[begin + hour], undefined]);
    const still = stateAt(hourly({ overlap: 'queue' }, queued), begin + 2 * hour, running);
    expect(still.waiting).toEqual([begin + hour]);
    expect(still.history.at(-1)).toMatchObject({ why: 'overlap', dueMs: begin + 2 * hour });
    const ended = stateAt(hourly({ overlap: 'queue' }, still), begin + 2 * hour + 5, {
      kind: 'over',
      outcome: 'finished',
    });
    expect(ended.starting).toMatchObject({ dueMs: begin + hour });
    expect(ended.waiting).toEqual([]);
  });

  it('replaces it', () => {
    const { starting } = stateAt(hourly({ overlap: 'replace' }, inProgress), begin + hour, running);
    expect(starting).toMatchObject({ dueMs: begin + hour, replaces: { name: `run ${begin}` } });
  });

  it('replaces only a paused one', () => {
    const doc = hourly({ overlap: 'replace-paused' }, inProgress);
    expect(stateAt(doc, begin + hour, running).starting).toBeUndefined();
    expect(stateAt(doc, begin + hour, { kind: 'paused' }).starting).toMatchObject({ dueMs: begin + hour });
  });

  it('has no instant where they are counted from its end', () => {
    const doc = hourly({ timing: 'after-previous' }, inProgress);
    expect(decideAt(doc, begin + 9 * hour, running)).toEqual({ kind: 'wait', untilMs: undefined });
    const ended = stateAt(doc, begin + 9 * hour, { kind: 'over', outcome: 'finished' });
    expect(decideAt({ ...doc, state: ended }, begin + 9 * hour)).toEqual({
      kind: 'wait',
      untilMs: begin + 10 * hour,
    });
  });
});

describe('after a time without coordinators', () => {
  /** Instants 1 to 5 are late; the sixth is on time. */
  const backMs = begin + 6 * hour + 1;
  const back = (change: Partial<ScheduleInput>) => stateAt(hourly(change, { history: [over] }), backMs);

  it('skips what was missed and runs what is due now', () => {
    const state = back({ missed: 'skip' });
    expect(state.starting).toMatchObject({ dueMs: begin + 6 * hour });
    expect(state.history.at(-1)).toMatchObject({ why: 'missed', count: 5, dueMs: begin + 5 * hour });
  });

  it('runs the last one missed', () => {
    const state = stateAt(hourly({ missed: 'once' }, { history: [over] }), backMs + hour / 2);
    expect(state.starting).toMatchObject({ dueMs: begin + 6 * hour });
    expect(state.history.at(-1)).toMatchObject({ why: 'missed', count: 5 });
  });

  it('runs all up to a number, one after the other', () => {
    const state = stateAt(hourly({ missed: 'all', missedMost: 3 }, { history: [over] }), backMs + hour / 2);
    expect(state.starting).toMatchObject({ dueMs: begin + 4 * hour });
    expect(state.waiting).toEqual([begin + 5 * hour, begin + 6 * hour]);
    expect(state.history.at(-1)).toMatchObject({ why: 'missed', count: 3 });
  });

  it('is not taken for such a time when a look is a little late', () => {
    const state = stateAt(hourly({ missed: 'skip' }), begin + hour + LATE_MS - 1);
    expect(state.starting).toMatchObject({ dueMs: begin + hour });
  });
});

describe('clocks that are wrong', () => {
  it('never begin two runs within the minimum interval', () => {
    const soon = runOf(begin, {
      startedAtMs: begin + hour - 5,
      endedAtMs: begin + hour - 1,
      outcome: 'finished',
    });
    const state = stateAt(hourly({}, { history: [soon] }), begin + hour);
    expect(state.starting).toBeUndefined();
    expect(state.history.at(-1)).toMatchObject({ why: 'too-soon', dueMs: begin + hour });
  });

  it('skip no instant where the last run began a moment ahead and no interval is asked for', () => {
    const ahead = runOf(begin, {
      startedAtMs: begin + hour + 5,
      endedAtMs: begin + hour + 5,
      outcome: 'finished',
    });
    const decision = decideAt(hourly({}, { history: [ahead] }), begin + hour, undefined, { leastMs: 0 });
    expect(decision).toMatchObject({ kind: 'change', state: { starting: { dueMs: begin + hour } } });
  });

  it('are waited for where they are a little ahead', () => {
    const doc = hourly({}, { markMs: begin + hour, history: [over] });
    const nowMs = begin + hour - AHEAD_MS;
    expect(decideAt(doc, nowMs)).toEqual({ kind: 'wait', untilMs: begin + 2 * hour });
  });

  it('cost no instant: those that were passed over are run, the one that was run is not run again', () => {
    // At half past, by a clock that was five hours ahead: four instants were missed, one was run.
    const early = runOf(begin + 5 * hour, {
      startedAtMs: begin + 5.5 * hour,
      endedAtMs: begin + 5.6 * hour,
      outcome: 'finished',
    });
    const missed: HistoryEntry = {
      kind: 'skipped',
      why: 'missed',
      dueMs: begin + 4 * hour,
      count: 4,
      atMs: 0,
    };
    const doc = hourly({}, { markMs: begin + 5 * hour, history: [over, missed, early] });
    let nowMs = begin + hour / 2;
    let state = stateAt(doc, nowMs);
    expect(state).toMatchObject({ markMs: nowMs - SETTLED_MS - LATE_MS, lastError: { code: 'clock' } });
    expect(state.lastError?.text).toContain('5 hours ahead');
    expect(decideAt({ ...doc, state }, nowMs)).toEqual({ kind: 'wait', untilMs: begin + hour });
    const run: number[] = [];
    for (nowMs = begin + hour; nowMs <= begin + 6 * hour; nowMs += hour) {
      state = stateAt({ ...doc, state }, nowMs);
      if (!state.starting) continue;
      run.push((state.starting.dueMs - begin) / hour);
      const { starting, ...rest } = state;
      const entry = runOf(starting.dueMs, { startedAtMs: nowMs, endedAtMs: nowMs + 1, outcome: 'finished' });
      state = { ...rest, history: [...rest.history, entry] };
    }
    expect(run).toEqual([1, 2, 3, 4, 6]);
    expect(state.history.at(-2)).toMatchObject({ kind: 'skipped', why: 'clock', count: 1 });
  });

  it('hold back neither what waits for the end of a run nor what may not begin too soon', () => {
    const early = runOf(begin + 1, {
      startedAtMs: begin + hour,
      endedAtMs: begin + hour + 1,
      outcome: 'finished',
    });
    const doc = hourly({ timing: 'after-previous' }, { markMs: begin + 1, history: [early] });
    const state = stateAt(doc, begin + 2);
    expect(state.history[0]).toMatchObject({ startedAtMs: begin + 2, endedAtMs: begin + 2 });
    expect(decideAt({ ...doc, state }, begin + 2)).toEqual({ kind: 'wait', untilMs: begin + 2 + hour });
  });

  it('cost no instant that was due before it was noticed', () => {
    const doc = hourly({ missed: 'skip' }, { markMs: begin + 5 * hour, history: [over] });
    const state = stateAt(doc, begin + hour + SETTLED_MS + 1_000);
    expect(state.starting).toMatchObject({ dueMs: begin + hour });
  });

  it('are believed to be ahead only once they have been for a while', () => {
    const doc = hourly({}, { markMs: begin + 5 * hour, history: [over] });
    expect(decideAt(doc, begin + hour, undefined, { aheadForMs: 1_000 })).toEqual({
      kind: 'wait',
      untilMs: begin + hour + SETTLED_MS - 1_000,
    });
  });

  it('that jump years ahead start at most as many runs as are allowed', () => {
    const state = stateAt(
      hourly({ missed: 'all', missedMost: 4 }, { history: [over] }),
      begin + 9_000 * hour,
    );
    expect(1 + state.waiting.length).toBeLessThanOrEqual(5);
  });
});
