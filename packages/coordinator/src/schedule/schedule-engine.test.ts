import { type DatedClock, WebfarerError, type WebfarerEvent } from '@webfarer/protocol';
import type { ScheduleInput } from '@webfarer/protocol/api';
import { afterEach, expect, it } from 'vitest';
import type { Duty } from '../maintenance/duty.ts';
import { memoryRegistry, memoryRuns, someDoc } from './schedule.fixture.ts';
import { createScheduleEngine, type ScheduleEngineOptions } from './schedule-engine.ts';

const minute = 60_000;
const begin = Date.UTC(2026, 0, 1);
const engines: Duty[] = [];

afterEach(async () => {
  await Promise.all(engines.splice(0).map((engine) => engine.stop()));
});

/** Time passes only when a test says so; everything that sleeps until then is woken. */
function stoppedClock(): DatedClock & {
  pass(ms: number): Promise<void>;
  setWall(byMs: number): void;
} {
  let now = begin;
  let aheadMs = 0;
  let sleepers: { untilMs: number; wake: () => void }[] = [];
  const settle = async () => {
    // Engines work through promises alone: after so many turns they sleep again.
    for (let turn = 0; turn < 200; turn++) await Promise.resolve();
  };
  return {
    now: () => now,
    wall: () => now + aheadMs,
    setWall: (byMs) => void (aheadMs += byMs),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        sleepers.push({ untilMs: now + ms, wake: resolve });
      }),
    async pass(ms) {
      const untilMs = now + ms;
      for (;;) {
        await settle();
        const next = Math.min(...sleepers.map((sleeper) => sleeper.untilMs));
        if (next > untilMs) break;
        now = Math.max(now, next);
        const due = sleepers.filter((sleeper) => sleeper.untilMs <= now);
        sleepers = sleepers.filter((sleeper) => sleeper.untilMs > now);
        for (const { wake } of due) wake();
      }
      now = untilMs;
    },
  };
}

async function world(change: Partial<ScheduleInput> = {}) {
  const clock = stoppedClock();
  const registry = memoryRegistry(() => clock.wall());
  const runs = memoryRuns();
  const events: WebfarerEvent[] = [];
  const doc = someDoc(
    { when: { every: 10, unit: 'minutes' }, runName: 'run {COUNT}', ...change },
    begin,
    begin + minute,
  );
  await registry.put('schedule', 's1', 0, doc);
  function engine(options: Partial<ScheduleEngineOptions> = {}): Duty {
    const one = createScheduleEngine({
      registry,
      runs,
      clock,
      events: { publish: (event) => events.push(event) },
      failed: (error) => {
        throw error;
      },
      failpoint: () => undefined,
      // It wakes for what is due in any case.
      lookMs: 30_000,
      ...options,
    });
    engines.push(one);
    one.start();
    return one;
  }
  const finish = (name: string) => void runs.looks.set(name, { kind: 'over', outcome: 'finished' });
  return { clock, registry, runs, events, engine, finish };
}

it('starts each run once, however many engines look', async () => {
  const { clock, runs, events, engine, finish, registry } = await world();
  for (let n = 0; n < 5; n++) engine();
  for (let n = 1; n <= 3; n++) finish(`run ${n}`);
  await clock.pass(22 * minute);
  expect(runs.created).toEqual(['run 1', 'run 2', 'run 3']);
  expect(events.filter(({ type }) => type === 'schedule-run')).toHaveLength(3);
  expect(registry.value('s1').state).toMatchObject({ count: 3, waiting: [] });
});

it.each(['decided', 'created'] as const)(
  'finishes what an engine left that died when it had %s',
  async (at) => {
    const { clock, runs, engine, registry } = await world();
    const never = new Promise<never>(() => undefined);
    const dying = engine({
      runs: {
        ...runs,
        async start(run, given) {
          if (at === 'created') await runs.start(run, given);
          return await never;
        },
      },
    });
    await clock.pass(2 * minute);
    expect(runs.created).toEqual(at === 'created' ? ['run 1'] : []);
    expect(registry.value('s1').state.starting).toMatchObject({ name: 'run 1' });
    engine();
    await clock.pass(minute);
    expect(runs.created).toEqual(['run 1']);
    expect(registry.value('s1').state).toMatchObject({ count: 1, history: [{ kind: 'run', name: 'run 1' }] });
    engines.splice(engines.indexOf(dying), 1);
  },
);

it('does not start a run again that was deleted before it was recorded', async () => {
  const { clock, runs, engine, registry } = await world();
  await clock.pass(0);
  runs.deleted.add('x');
  const start = runs.start;
  runs.start = (run, given) => {
    runs.deleted.add(run.nonce);
    return start(run, given);
  };
  engine();
  await clock.pass(2 * minute);
  expect(runs.created).toEqual([]);
  expect(registry.value('s1').state.history).toMatchObject([{ kind: 'run', outcome: 'deleted' }]);
});

it('keeps an error about one schedule with that schedule, and goes on with the others', async () => {
  const { clock, runs, events, engine, registry } = await world();
  const other = someDoc(
    { when: { every: 10, unit: 'minutes' }, runName: 'other {COUNT}' },
    begin,
    begin + minute,
  );
  await registry.put('schedule', 's2', 0, other);
  const { start, look } = runs;
  runs.start = (run, given) => {
    if (run.name.startsWith('run')) throw new Error('ENAMETOOLONG: name too long');
    return start(run, given);
  };
  engine();
  await clock.pass(2 * minute);
  expect(runs.created).toEqual(['other 1']);
  expect(registry.value('s1').state.lastError).toMatchObject({
    code: 'internal',
    text: 'ENAMETOOLONG: name too long',
  });
  expect(events).toContainEqual(expect.objectContaining({ type: 'schedule-failed', schedule: 's1' }));
  // A run that cannot be looked at is no better reason to end everything.
  Object.assign(runs, { start, look: () => Promise.reject(new TypeError('broken')) });
  await clock.pass(20 * minute);
  const failed = events.filter((event) => event.type === 'schedule-failed' && event.schedule === 's2');
  expect(failed).toHaveLength(1);
  Object.assign(runs, { look });
  runs.looks.set('other 1', { kind: 'over', outcome: 'finished' });
  await clock.pass(20 * minute);
  expect(runs.created).toContain('other 2');
});

it('says why a run could not be started and what to do, and tries the next instant', async () => {
  const { clock, runs, events, engine, registry } = await world();
  runs.refuse = new WebfarerError('job-invalid', 'The job is not valid: seeds', { next: 'Add a seed.' });
  engine();
  await clock.pass(2 * minute);
  expect(registry.value('s1').state).toMatchObject({
    count: 0,
    lastError: { code: 'job-invalid', text: 'The job is not valid: seeds', next: 'Add a seed.' },
    history: [{ kind: 'skipped', why: 'not-started' }],
  });
  expect(events.at(-1)).toMatchObject({ type: 'schedule-failed', schedule: 's1', next: 'Add a seed.' });
  await clock.pass(10 * minute);
  expect(runs.created).toEqual(['run 1']);
  expect(registry.value('s1').state.lastError).toBeUndefined();
});

it('keeps trying while the store is unreachable', async () => {
  const { clock, runs, engine, registry } = await world();
  runs.refuse = new WebfarerError('store-silent', 'the store does not answer');
  engine();
  await clock.pass(2 * minute);
  expect(runs.created).toEqual(['run 1']);
  expect(registry.value('s1').state.lastError).toBeUndefined();
});

it('stops the run that it replaces', async () => {
  const { clock, runs, engine, registry } = await world({ overlap: 'replace' });
  engine();
  await clock.pass(15 * minute);
  expect([runs.created, runs.stopped]).toEqual([['run 1', 'run 2'], ['run 1']]);
  expect(registry.value('s1').state.history).toMatchObject([{ outcome: 'replaced' }, { name: 'run 2' }]);
});

it('goes by the time at the registry, says that its own differs, and reports what was missed', async () => {
  const { clock, runs, events, engine, finish, registry } = await world();
  for (let n = 1; n <= 3; n++) finish(`run ${n}`);
  const right: DatedClock = { ...clock, wall: () => clock.now() + 60 * minute };
  engine({ clock: right });
  await clock.pass(22 * minute);
  expect(runs.created).toEqual(['run 1', 'run 2', 'run 3']);
  expect(registry.value('s1').state.markMs).toBe(begin + 21 * minute);
  expect(events).toContainEqual({ type: 'clock-differs', byMs: 60 * minute });
  expect(events.filter(({ type }) => type === 'clock-differs')).toHaveLength(1);
  // Two instants pass while it stands still.
  clock.setWall(25 * minute);
  await clock.pass(minute);
  expect(runs.created).toHaveLength(4);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'schedule-skipped', why: 'missed', count: 1 }),
  );
});

it('loses no run to a clock that was an hour ahead for seconds, and says what became of them', async () => {
  const { clock, runs, events, engine, finish } = await world();
  engine();
  for (let n = 1; n <= 20; n++) finish(`run ${n}`);
  await clock.pass(2 * minute);
  expect(runs.created).toHaveLength(1);
  clock.setWall(60 * minute);
  await clock.pass(35_000);
  clock.setWall(-60 * minute);
  await clock.pass(100 * minute);
  // Due at 1, 11, … 101: 61 ran early, for the one that was missed.
  expect(runs.created).toHaveLength(11);
  const failed = events.filter((event) => event.type === 'schedule-failed');
  expect(failed).toMatchObject([
    { schedule: 's1', message: expect.stringContaining('minutes ahead') as string },
  ]);
  expect(events).toContainEqual(
    expect.objectContaining({ type: 'schedule-skipped', why: 'clock', count: 1 }),
  );
});

it('follows the wall clock when it is set, reports it, and starts no run twice', async () => {
  const { clock, runs, events, engine, finish } = await world();
  engine();
  await clock.pass(2 * minute);
  finish('run 1');
  clock.setWall(-60 * minute);
  await clock.pass(30 * minute);
  expect(runs.created).toEqual(['run 1']);
  expect(events).toContainEqual({ type: 'clock-jumped', byMs: -60 * minute });
  clock.setWall(60 * minute);
  await clock.pass(minute);
  expect(runs.created).toEqual(['run 1', 'run 2']);
});

it('follows a schedule that is created, changed or disabled while it looks', async () => {
  const { clock, runs, engine, registry, finish } = await world();
  engine();
  await clock.pass(2 * minute);
  finish('run 1');
  const doc = (await registry.get('schedule', 's1')) as {
    version: number;
    value: ReturnType<typeof someDoc>;
  };
  const off = { ...doc.value, revision: 2, schedule: { ...doc.value.schedule, enabled: false } };
  await registry.put('schedule', 's1', doc.version, off);
  await registry.put('schedule', 's2', 0, someDoc({ runName: 'other {COUNT}' }, begin, begin + 12 * minute));
  await clock.pass(30 * minute);
  expect(runs.created).toEqual(['run 1', 'other 1']);
});
