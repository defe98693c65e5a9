import { type ChildProcess, spawn } from 'node:child_process';
import { systemClock } from '@webfarer/protocol';
import { openRedisCatalog } from '../../packages/coordinator/src/catalog/redis-catalog.ts';
import { openStore } from '../../packages/coordinator/src/redis/store.ts';
import { redisRegistry } from '../../packages/coordinator/src/registry/redis-registry.ts';
import { until } from '../prove/lab.ts';
import { startRedis } from '../redis/servers.ts';
import { createAll, disable, everyDoc, firingProgram, isSettled, startedIn } from './firings.ts';

export interface SkewedFirings {
  due: number;
  /** Due by the clock of this machine, and without a crawl. */
  missing: number;
  /** Crawls of instants that had not come yet, or came before the beginning. */
  early: number;
  twice: number;
  /** Coordinators that reported that their clock differs from the store's. */
  differing: number;
}

const names = ['s0', 's1'];
const clock = systemClock();
const HOUR_MS = 3_600_000;
const WRONG_MS = 9_000;
const PATIENCE_MS = 120_000;

/**
 * Schedules are due every second, `missed: once`. Two coordinators with a right clock are joined by one whose clock is an hour
 * ahead for nine seconds, by one an hour behind, and are suspended, one alone and then all. Every second must have its one crawl.
 * `own-clock`: each decides by its own clock.
 */
export async function fireSkewed(control?: 'own-clock'): Promise<SkewedFirings> {
  const redis = await startRedis({ settings: { appendonly: 'no' } });
  const store = await openStore({ url: redis.url, replicas: 0, clock });
  const registry = redisRegistry(store);
  const catalog = await openRedisCatalog(store, { nowMs: clock.now() });
  const children: { process: ChildProcess; said: string }[] = [];
  const start = async (aheadMs: number) => {
    const words = [firingProgram, redis.url, '0', control ?? '', String(aheadMs)];
    const born = spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'inherit'] });
    const child = { process: born, said: '' };
    born.stdout.setEncoding('utf8').on('data', (text: string) => (child.said += text));
    children.push(child);
    await until('a coordinator to be ready', () => child.said.includes('ready'), PATIENCE_MS);
    return child;
  };
  const suspend = async (some: typeof children, ms: number) => {
    for (const child of some) child.process.kill('SIGSTOP');
    await clock.sleep(ms);
    for (const child of some) child.process.kill('SIGCONT');
  };
  try {
    const first = await start(0);
    await start(0);
    const beganMs = await createAll(registry, names, 'once');
    await clock.sleep(3_000);
    const wrong = [await start(HOUR_MS)];
    await clock.sleep(WRONG_MS + 2_000);
    if (control === undefined) {
      await suspend([first], 3_000);
      await suspend(children, 5_000);
      wrong.push(await start(-HOUR_MS));
      await clock.sleep(WRONG_MS + 2_000);
    }
    const endMs = clock.wall();
    for (const name of names) await disable(registry, name);
    const rest = async () => (await everyDoc(registry, names)).every(isSettled);
    await until('all starts to end', rest, PATIENCE_MS);
    const differing = wrong.filter(({ said }) => said.includes('event clock-differs')).length;
    return { ...judge(await startedIn(catalog), beganMs, endMs), differing };
  } finally {
    for (const child of children) child.process.kill('SIGKILL');
    await store.close();
    await redis.stop();
  }
}

/** Coordinators look every 0.2 s, but machines that run proofs are busy: the last seconds may still have been to come. */
const AT_THE_END_S = 5;

function judge(started: readonly string[], beganMs: number, endMs: number): Omit<SkewedFirings, 'differing'> {
  const [from, to] = [Math.floor(beganMs / 1_000) + 1, Math.floor(endMs / 1_000)];
  const seconds = started.map((name) => Number(name.split(' ')[1]));
  const all = names.flatMap((name) =>
    Array.from({ length: to - AT_THE_END_S - from + 1 }, (_, n) => `${name} ${from + n}`),
  );
  const has = new Set(started);
  return {
    due: all.length,
    missing: all.filter((name) => !has.has(name)).length,
    early: seconds.filter((second) => second < from || second > to + 1).length,
    twice: started.length - has.size,
  };
}
