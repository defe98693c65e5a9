import { expect, it } from 'vitest';
import { testClock } from '../frontier/suite/clock.fixture.ts';
import { gateWith } from '../admission/job-gate.fixture.ts';
import { createSchedules } from './schedules.ts';
import { memoryRegistry, someSchedule } from './schedule.fixture.ts';

const begin = Date.UTC(2026, 0, 1);
const minute = 60_000;

const sender = { scope: 'operator', team: 'press' } as const;
const given = (schedule = someSchedule(), revision?: number) => ({ schedule, sender, revision });

function world() {
  const clock = testClock(begin);
  const registry = memoryRegistry(() => clock.wall());
  return { clock, registry, schedules: createSchedules({ registry, jobs: gateWith() }) };
}

it('first runs a new interval a minute after its creation, or when it says', async () => {
  const { schedules } = world();
  expect(await schedules.put('s1', given())).toMatchObject({ revision: 1, anchorMs: begin + minute });
  const startsAt = '2026-02-01T10:00:00+01:00';
  const later = someSchedule({ when: { every: 1, unit: 'days', startsAt } });
  expect(await schedules.put('s2', given(later))).toMatchObject({ anchorMs: Date.UTC(2026, 1, 1, 9) });
});

it('begins at the wall clock after the machine was suspended', async () => {
  const { schedules, clock } = world();
  const slept = 8 * 60 * minute;
  clock.jump(slept);
  expect(await schedules.put('s1', given())).toMatchObject({
    createdAtMs: begin + slept,
    anchorMs: begin + slept + minute,
  });
});

it('starts an interval now by its own clock, and keeps that instant when it is written again', async () => {
  const { schedules, clock } = world();
  const now = someSchedule({ when: { every: 1, unit: 'days', startsAt: 'now' } });
  const first = await schedules.put('s1', given(now));
  expect(first.anchorMs).toBeGreaterThan(first.state.markMs);
  expect(first.anchorMs).toBeLessThan(begin + minute);
  expect(first.schedule.when).toMatchObject({ startsAt: new Date(first.anchorMs).toISOString() });
  clock.advance(minute);
  const paused = await schedules.put('s1', given({ ...first.schedule, enabled: false }));
  expect(paused.anchorMs).toBe(first.anchorMs);
  expect((await schedules.put('s1', given(now))).anchorMs).toBeGreaterThan(begin + minute);
});

it('changes a schedule and keeps what became of its runs', async () => {
  const { schedules, registry, clock } = world();
  await schedules.put('s1', given());
  const doc = await registry.get('schedule', 's1');
  const ran = { ...registry.value('s1') };
  ran.state = { ...ran.state, count: 4, lastError: { atMs: 1, code: 'usage', text: 'a', next: 'b' } };
  await registry.put('schedule', 's1', doc?.version ?? 0, ran);
  clock.advance(90 * minute);
  const changed = await schedules.put('s1', given(someSchedule({ name: 'other' }), 1));
  expect(changed).toMatchObject({
    revision: 2,
    anchorMs: begin + minute,
    schedule: { name: 'other' },
    state: { count: 4, markMs: begin + 90 * minute },
  });
  expect(changed.state.lastError).toBeUndefined();
  await expect(schedules.put('s1', given(someSchedule(), 1))).rejects.toMatchObject({ code: 'conflict' });
  await expect(schedules.put('s1', given(someSchedule(), 0))).rejects.toMatchObject({ code: 'conflict' });
});

it('answers an error where this version cannot read the schedule, and can delete it', async () => {
  const { schedules, registry } = world();
  await registry.put('schedule', 's1', 0, { of: 'a later version' });
  const refused = { code: 'conflict', message: 'This version cannot read the schedule s1.' };
  await expect(schedules.get('s1')).rejects.toMatchObject(refused);
  await expect(schedules.put('s1', given())).rejects.toMatchObject(refused);
  expect(await schedules.remove('s1')).toBe(true);
  expect(await schedules.put('s1', given())).toMatchObject({ revision: 1 });
});

it('changes a schedule that runs in the same moment', async () => {
  const { schedules, registry } = world();
  await schedules.put('s1', given());
  const { put } = registry;
  let isFirst = true;
  registry.put = async (kind, id, version, value) => {
    if (isFirst) {
      isFirst = false;
      const there = registry.value('s1');
      await put(kind, id, version, { ...there, state: { ...there.state, count: 9 } });
    }
    return await put(kind, id, version, value);
  };
  expect(await schedules.put('s1', given(someSchedule({ name: 'other' })))).toMatchObject({
    state: { count: 9 },
  });
});

it('refuses what could not run, and says why', async () => {
  const { schedules } = world();
  const refused = (change: Parameters<typeof someSchedule>[0]) =>
    schedules.draft(someSchedule(change), { scope: 'admin', team: 'press' });
  await expect(refused({ when: { cron: '0 0 30 2 *' } })).rejects.toThrow('never comes true');
  await expect(refused({ run: { job: 'seeds: [' } })).rejects.toMatchObject({ code: 'job-invalid' });
  await expect(refused({ run: { job: { seeds: [] } } })).rejects.toMatchObject({ code: 'job-invalid' });
  const secret = 'seeds: ["https://me:secret@a.test/"]';
  await expect(refused({ run: { job: secret } })).rejects.toThrow('contains a password');
  await expect(refused({ run: { job: 'seeds: [{file: /etc/passwd}]' } })).rejects.toThrow('seed file');
  await expect(refused({ run: { job: 'seeds: [https://a.test/]\nteam: other\n' } })).rejects.toThrow(
    'team press',
  );
  await expect(refused({ run: { job: 'seeds: [https://a.test/]' } })).resolves.toMatchObject({
    powers: 'admin',
  });
});

it('removes a schedule once', async () => {
  const { schedules } = world();
  await schedules.put('s1', given());
  expect(await schedules.remove('s1')).toBe(true);
  expect(await schedules.remove('s1')).toBe(false);
  expect(await schedules.get('s1')).toBeUndefined();
});

it('runs with the powers of its last writer, and keeps those of an admin while a change is harmless', async () => {
  const { schedules } = world();
  const reaching = (more: object) =>
    someSchedule({
      run: { job: { seeds: ['https://a.test/'], fetch: { allowPrivate: ['10.0.0.0/8'] }, ...more } },
    });
  const put = (schedule: ReturnType<typeof someSchedule>, scope: 'operator' | 'admin') =>
    schedules.put('s1', { schedule, sender: { scope, team: 'press' }, revision: undefined });
  await expect(put(reaching({}), 'operator')).rejects.toMatchObject({ code: 'forbidden' });
  expect(await put(reaching({}), 'admin')).toMatchObject({ powers: 'admin' });
  expect(await put(reaching({ limits: { pages: 3 } }), 'operator')).toMatchObject({ powers: 'admin' });
  await expect(put(reaching({ seeds: ['https://b.test/'] }), 'operator')).rejects.toThrow('seeds[]');
  expect(await put(someSchedule(), 'operator')).toMatchObject({ powers: 'operator' });
  await expect(put(reaching({}), 'operator')).rejects.toMatchObject({ code: 'forbidden' });
});
