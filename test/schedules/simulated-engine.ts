import type { DatedClock } from '@webfarer/protocol';
import { scheduleSchema } from '@webfarer/protocol/api';
import { createScheduleEngine } from '../../packages/coordinator/src/schedule/schedule-engine.ts';
import { memoryRegistry, memoryRuns } from '../../packages/coordinator/src/schedule/schedule.fixture.ts';
import type { CalendarCase } from './calendar-cases.ts';

/** Time that jumps to whatever is slept for, until its end. */
function jumpingClock(fromMs: number, toMs: number): DatedClock & { over: Promise<void> } {
  let now = fromMs;
  let end: () => void;
  const over = new Promise<void>((resolve) => (end = resolve));
  return {
    over,
    now: () => now,
    wall: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal?.aborted) return reject(signal.reason as Error);
        now = Math.min(now + ms, toMs + 1);
        if (now <= toMs) return void setImmediate(resolve);
        signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
        end();
      }),
  };
}

/** The instants for which the engine started runs, for each case; all of them are over the same time. */
export async function simulate(cases: readonly CalendarCase[]): Promise<number[][]> {
  const { fromMs = 0, toMs = 0 } = cases[0] ?? {};
  const clock = jumpingClock(fromMs, toMs);
  const registry = memoryRegistry(() => clock.wall());
  const started = new Map<string, number[]>(cases.map((_, n) => [`s${n}`, []]));
  for (const [n, { when, zone, anchorMs }] of cases.entries()) {
    const schedule = scheduleSchema.parse({
      name: `s${n}`,
      when,
      timeZone: zone,
      runName: `s${n} {TIME}`,
      run: { job: { seeds: ['https://a.test/'] } },
    });
    const state = { markMs: fromMs, count: 0, waiting: [], history: [] };
    const doc = { schedule, team: 'default', createdAtMs: fromMs, revision: 1, anchorMs, state };
    await registry.put('schedule', `s${n}`, 0, doc);
  }
  const runs = memoryRuns();
  const engine = createScheduleEngine({
    registry,
    runs: {
      ...runs,
      async start(run, doc) {
        started.get(doc.schedule.name)?.push(run.dueMs);
        return await runs.start(run, doc);
      },
      look: () => Promise.resolve({ kind: 'over', outcome: 'finished' }),
    },
    clock,
    events: { publish: () => 0 },
    failed: (error) => {
      throw error;
    },
    failpoint: () => undefined,
    lookMs: 3_600_000,
  });
  engine.start();
  await clock.over;
  await engine.stop();
  return [...started.values()];
}
