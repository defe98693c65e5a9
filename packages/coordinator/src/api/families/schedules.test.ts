import { scheduleRoutes } from '@webfarer/protocol/api';
import { gateWith } from '../../admission/job-gate.fixture.ts';
import { expect, it } from 'vitest';
import { memoryRegistry, someSchedule } from '../../schedule/schedule.fixture.ts';
import { createSchedules } from '../../schedule/schedules.ts';
import { mostOwn } from '../../teams/own-documents.ts';
import { scheduleHandlers } from './schedules.ts';

const begin = Date.UTC(2026, 2, 28);

interface Input {
  params?: object;
  query?: object;
  body?: object;
  team?: string;
  scope?: string;
}

function world() {
  const registry = memoryRegistry(() => begin);
  const schedules = createSchedules({ registry, jobs: gateWith() });
  const handlers = scheduleHandlers({ schedules });
  type Name = keyof typeof handlers;
  /** Calls a handler and checks what it answers by the schema of its route. */
  async function call(name: Name, input: Input = {}): Promise<unknown> {
    const { answer, ...route } = scheduleRoutes[name];
    const parsed = {
      params: route.params.parse(input.params ?? {}),
      query: route.query.parse(input.query ?? {}),
      body: 'body' in route ? route.body.parse(input.body) : undefined,
      principal: { id: 'p1', scope: input.scope ?? 'operator', team: input.team ?? 'press' },
    };
    const value = await (handlers[name] as (call: unknown) => unknown)(parsed);
    return answer.kind === 'json' ? answer.schema.parse(value) : value;
  }
  return { registry, call };
}

const nightly = someSchedule({ when: { cron: '30 2 * * *' }, timeZone: 'Europe/Paris' });
const params = { schedule: 'nightly' };

it('creates, shows, lists, changes and deletes a schedule', async () => {
  const { call } = world();
  const created = await call('putSchedule', { params, body: { schedule: nightly, revision: 0 } });
  expect(created).toMatchObject({
    id: 'nightly',
    revision: 1,
    words: 'at 02:30 every day (Europe/Paris)',
    runs: 0,
    next: { utc: '2026-03-28T01:30:00.000Z', local: '2026-03-28T02:30:00+01:00' },
  });
  expect(await call('getSchedule', { params })).toEqual(created);
  expect(await call('listSchedules')).toEqual({ items: [created] });
  const off = { ...nightly, enabled: false };
  const changed = (await call('putSchedule', { params, body: { schedule: off } })) as { next?: unknown };
  expect(changed).toMatchObject({ revision: 2 });
  expect(changed.next).toBeUndefined();
  await call('deleteSchedule', { params });
  await expect(call('getSchedule', { params })).rejects.toMatchObject({ code: 'not-found' });
  await expect(call('deleteSchedule', { params })).rejects.toMatchObject({ code: 'not-found' });
});

it('previews instants across a change of the clocks, saved or not', async () => {
  const { call } = world();
  const instants = [
    { utc: '2026-03-28T01:30:00.000Z', local: '2026-03-28T02:30:00+01:00' },
    { utc: '2026-03-29T01:00:00.000Z', local: '2026-03-29T03:00:00+02:00' },
    { utc: '2026-03-30T00:30:00.000Z', local: '2026-03-30T02:30:00+02:00' },
  ];
  const expected = { words: 'at 02:30 every day (Europe/Paris)', instants };
  expect(await call('previewNewSchedule', { body: { schedule: nightly, count: 3 } })).toMatchObject(expected);
  await call('putSchedule', { params, body: { schedule: nightly } });
  expect(await call('previewSchedule', { params, query: { count: 3 } })).toMatchObject(expected);
});

it('shows runs and what was skipped, latest first, and the last error', async () => {
  const { call, registry } = world();
  await call('putSchedule', { params, body: { schedule: nightly } });
  const doc = await registry.get('schedule', 'nightly');
  const value = registry.value('nightly');
  value.state.history = [
    {
      kind: 'run',
      dueMs: begin,
      name: 'n 1',
      nonce: 'x',
      startedAtMs: begin,
      endedAtMs: begin + 5,
      outcome: 'finished',
    },
    { kind: 'skipped', why: 'missed', dueMs: begin + 9, count: 3, atMs: begin },
    { kind: 'run', dueMs: begin + 10, name: 'n 2', nonce: 'y', startedAtMs: begin + 11 },
  ];
  value.state.lastError = { atMs: begin, code: 'job-invalid', text: 'why', next: 'what to do' };
  await registry.put('schedule', 'nightly', doc?.version ?? 0, value);
  expect(await call('listScheduleRuns', { params })).toMatchObject({
    items: [
      { kind: 'run', name: 'n 2' },
      { kind: 'skipped', outcome: 'missed', count: 3 },
      { kind: 'run', name: 'n 1', outcome: 'finished', endedUtc: '2026-03-28T00:00:00.005Z' },
    ],
  });
  expect(await call('getSchedule', { params })).toMatchObject({
    lastRun: { name: 'n 2' },
    lastError: { code: 'job-invalid', text: 'why', next: 'what to do' },
  });
});

it('keeps schedules of one team from the others', async () => {
  const { call } = world();
  await call('putSchedule', { params, body: { schedule: nightly } });
  const team = 'sales';
  expect(await call('listSchedules', { team })).toEqual({ items: [] });
  for (const name of ['getSchedule', 'deleteSchedule', 'listScheduleRuns', 'previewSchedule'] as const)
    await expect(call(name, { params, team })).rejects.toMatchObject({ code: 'not-found' });
  const body = { schedule: nightly };
  await expect(call('putSchedule', { params, team, body })).rejects.toMatchObject({ code: 'conflict' });
});

it.each([
  ['runs a module', { scraper: './mine.ts' }],
  ['reaches a private address', { fetch: { allowPrivate: ['10.0.0.0/8'] } }],
  ['uses a proxy', { fetch: { proxy: [{ use: 'socks5://127.0.0.1:9050' }] } }],
])('lets only an admin schedule a job that %s', async (_what, power) => {
  const { call } = world();
  const job = { seeds: ['https://a.test/'], ...power };
  const asText = JSON.stringify(job);
  for (const run of [{ job }, { job: asText }]) {
    const schedule = { ...nightly, run };
    const refused = { code: 'forbidden' };
    await expect(call('putSchedule', { params, body: { schedule } })).rejects.toMatchObject(refused);
    await expect(call('previewNewSchedule', { body: { schedule, count: 1 } })).rejects.toMatchObject(refused);
  }
  const schedule = { ...nightly, run: { job } };
  await call('putSchedule', { params, body: { schedule }, scope: 'admin' });
  // An operator may change when it runs, but not add to what it may do.
  await call('putSchedule', { params, body: { schedule: { ...schedule, enabled: false } } });
  const more = { ...job, fetch: { allowPrivate: ['192.168.0.0/16'] } };
  await expect(
    call('putSchedule', { params, body: { schedule: { ...nightly, run: { job: more } } } }),
  ).rejects.toMatchObject({ code: 'forbidden' });
});

it('refuses a store, reserved keys and reserved tags in the job of a schedule', async () => {
  const { call } = world();
  const put = (change: object) =>
    call('putSchedule', { params, body: { schedule: { ...nightly, ...change } } });
  const seeds = ['https://a.test/'];
  await expect(put({ run: { job: { seeds, store: 'redis://127.0.0.1:1' } } })).rejects.toMatchObject({
    code: 'usage',
  });
  await expect(
    put({ run: { job: 'seeds: [a.test]\nthresholds: { constructor: "< 1" }' } }),
  ).rejects.toThrow();
  await expect(put({ tags: ['webfarer:origin:x'] })).rejects.toThrow('reserved');
});

it('shows a viewer the names of request headers, not their values', async () => {
  const { call } = world();
  const job = { seeds: ['https://a.test/'], fetch: { headers: { 'X-Key': 'swordfish' } } };
  const text = 'seeds: [https://a.test/]\nfetch: { headers: { X-Key: swordfish } }';
  for (const run of [{ job }, { job: text }]) {
    await call('putSchedule', { params, body: { schedule: { ...nightly, run } } });
    const seen = JSON.stringify([
      await call('getSchedule', { params, scope: 'viewer' }),
      await call('listSchedules', { scope: 'viewer' }),
    ]);
    expect(seen).toContain('X-Key');
    expect(seen).not.toContain('swordfish');
    expect(JSON.stringify(await call('getSchedule', { params }))).toContain('swordfish');
  }
});

it('takes no more schedules of a team than it may have', async () => {
  const { call } = world();
  const put = (schedule: string, more = {}) =>
    call('putSchedule', { params: { schedule }, body: { schedule: nightly }, ...more });
  for (let n = 0; n < mostOwn.schedule; n++) await put(`s${n}`);
  await expect(put('more')).rejects.toMatchObject({ code: 'quota' });
  await expect(put('s0')).resolves.toMatchObject({ revision: 2 });
  await expect(put('more', { team: 'web' })).resolves.toMatchObject({ revision: 1 });
  await expect(put('more-of-an-admin', { scope: 'admin' })).resolves.toMatchObject({ revision: 1 });
});
