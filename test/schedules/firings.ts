import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { systemClock } from '@webfarer/protocol';
import { scheduleSchema } from '@webfarer/protocol/api';
import { defaultTeam } from '@webfarer/protocol/job';
import type { Catalog } from '../../packages/coordinator/src/catalog/catalog.ts';
import { openRedisCatalog } from '../../packages/coordinator/src/catalog/redis-catalog.ts';
import { openStore } from '../../packages/coordinator/src/redis/store.ts';
import { redisRegistry } from '../../packages/coordinator/src/registry/redis-registry.ts';
import type { Registry, RegistryDoc } from '../../packages/coordinator/src/registry/registry.ts';
import type { ScheduleDoc } from '../../packages/coordinator/src/schedule/schedule-doc.ts';
import { until } from '../prove/lab.ts';
import { startRedis } from '../redis/servers.ts';

export interface FiringPlan {
  /** Due every second, each. */
  schedules: number;
  coordinators: number;
  /** Due instants of all schedules together. */
  count: number;
  /** At which of the points between the steps of its starts the nth coordinator dies. */
  killAt: (n: number) => number;
  control?: 'fresh-names';
}

export interface Firings {
  due: number;
  started: number;
  missing: number;
  twice: number;
  /** Coordinators killed with the run written down and no crawl, and with the crawl created and not recorded. */
  killed: { decided: number; created: number };
}

export const firingProgram = join(import.meta.dirname, 'firing-coordinator.ts');
const clock = systemClock();
const PATIENCE_MS = 120_000;

/** Real coordinators on one store that are killed while they fire; those that die are started again. */
export async function fire(plan: FiringPlan): Promise<Firings> {
  const redis = await startRedis({ settings: { appendonly: 'no' } });
  const store = await openStore({ url: redis.url, replicas: 0, clock });
  const registry = redisRegistry(store);
  const catalog = await openRedisCatalog(store, { nowMs: clock.now() });
  const killed = { decided: 0, created: 0 };
  const living = new Set<ChildProcess>();
  let isOver = false;
  let begun = 0;

  function start(): void {
    const killAt = String(plan.killAt(begun++));
    const child = spawn(process.execPath, [firingProgram, redis.url, killAt, plan.control ?? ''], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    living.add(child);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      for (const [, at] of text.matchAll(/killed (decided|created)/g)) killed[at as keyof typeof killed]++;
    });
    child.on('exit', () => {
      living.delete(child);
      if (!isOver) start();
    });
  }

  try {
    const names = Array.from({ length: plan.schedules }, (_, n) => `s${n}`);
    for (let n = 0; n < plan.coordinators; n++) start();
    const beganMs = await createAll(registry, names);
    const total = async () =>
      (await everyDoc(registry, names)).reduce((sum, doc) => sum + instantsOf(doc).length, 0);
    await until('enough instants to pass', async () => (await total()) >= plan.count, PATIENCE_MS);
    for (const name of names) await disable(registry, name);
    await until(
      'all starts to end',
      async () => (await everyDoc(registry, names)).every(isSettled),
      PATIENCE_MS,
    );
    const due = (await everyDoc(registry, names)).flatMap((doc) => instantsOf(doc, beganMs));
    const started = await startedIn(catalog);
    return { ...judge(due, started), killed };
  } finally {
    isOver = true;
    for (const child of living) child.kill('SIGKILL');
    await store.close();
    await redis.stop();
  }
}

/** `NAME SECOND` of each crawl. */
export async function startedIn(catalog: Pick<Catalog, 'list'>): Promise<string[]> {
  const started: string[] = [];
  for (let after: string | undefined = ''; after !== undefined; ) {
    const page: Awaited<ReturnType<Catalog['list']>> = await catalog.list({
      after,
      limit: 500,
      states: [],
      tags: [],
    });
    started.push(...page.entries.map(({ name }) => name.split(' ').slice(0, 2).join(' ')));
    after = page.next;
  }
  return started;
}

function judge(due: readonly string[], started: readonly string[]): Omit<Firings, 'killed'> {
  const times = new Map<string, number>();
  for (const name of started) times.set(name, (times.get(name) ?? 0) + 1);
  return {
    due: due.length,
    started: started.length,
    missing: due.filter((name) => !times.has(name)).length,
    twice:
      [...times.values()].filter((count) => count > 1).length +
      [...times.keys()].filter((name) => !due.includes(name)).length,
  };
}

type Doc = RegistryDoc<ScheduleDoc>;

export async function createAll(
  registry: Registry,
  names: readonly string[],
  missed: 'all' | 'once' = 'all',
): Promise<number> {
  const nowMs = Math.round(clock.now());
  for (const name of names) {
    const schedule = scheduleSchema.parse({
      name,
      when: { cron: '* * * * * *' },
      runName: `${name} {TIME}`,
      run: { job: { seeds: ['https://a.test/'] } },
      missed,
    });
    const state = { markMs: nowMs, count: 0, waiting: [], history: [] };
    const doc = { schedule, team: defaultTeam, createdAtMs: nowMs, revision: 1, anchorMs: nowMs, state };
    await registry.put('schedule', name, 0, doc);
  }
  return nowMs;
}

async function read(registry: Registry, name: string): Promise<Doc> {
  return (await registry.get('schedule', name)) as Doc;
}

export const everyDoc = (registry: Registry, names: readonly string[]) =>
  Promise.all(names.map((name) => read(registry, name)));

/** Every whole second since the beginning, up to the last one that was decided on: by arithmetic alone. */
function instantsOf({ id, value }: Doc, beganMs = value.createdAtMs): string[] {
  const first = Math.floor(beganMs / 1_000) + 1;
  const count = Math.max(0, Math.floor(value.state.markMs / 1_000) - first + 1);
  return Array.from({ length: count }, (_, n) => `${id} ${first + n}`);
}

export const isSettled = ({ value: { state } }: Doc) => !state.starting && state.waiting.length === 0;

export async function disable(registry: Registry, name: string): Promise<void> {
  for (;;) {
    const { version, value } = await read(registry, name);
    const off = { ...value, revision: value.revision + 1, schedule: { ...value.schedule, enabled: false } };
    if ((await registry.put('schedule', name, version, off)).kind === 'changed') return;
  }
}
