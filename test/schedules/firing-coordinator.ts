import { randomUUID } from 'node:crypto';
import { type DatedClock, systemClock } from '@webfarer/protocol';
import { openRedisCatalog } from '../../packages/coordinator/src/catalog/redis-catalog.ts';
import { openStore } from '../../packages/coordinator/src/redis/store.ts';
import { redisRegistry } from '../../packages/coordinator/src/registry/redis-registry.ts';
import { createCatalogRuns } from '../../packages/coordinator/src/schedule/catalog-runs.ts';
import type { ScheduledRuns } from '../../packages/coordinator/src/schedule/runs.ts';
import { createScheduleEngine } from '../../packages/coordinator/src/schedule/schedule-engine.ts';

/**
 * The part of a coordinator that fires schedules, on a shared store: `node firing-coordinator.ts URL KILL-AT CONTROL AHEAD`.
 * Kills itself, as kill -9 does, when it passes the given number of points between the steps of a start; 0: never.
 * CONTROL `fresh-names`: a run is not known by schedule and instant, but by chance; `own-clock`: schedules go by the clock of
 * the process. AHEAD: by how many ms its wall clock is ahead in the first nine seconds.
 */
const [url = '', killAt = '0', control = '', ahead = '0'] = process.argv.slice(2);
const system = systemClock();
const bornAtMs = system.now();
const clock: DatedClock = {
  ...system,
  wall: () => system.wall() + (system.now() - bornAtMs < 9_000 ? Number(ahead) : 0),
};
const store = await openStore({ url, replicas: 0, clock });
const catalog = await openRedisCatalog(store, { nowMs: clock.now() });
const shared = redisRegistry(store);
const registry: typeof shared =
  control === 'own-clock'
    ? { ...shared, changes: async (since) => ({ ...(await shared.changes(since)), nowMs: clock.wall() }) }
    : shared;
const runs = createCatalogRuns({
  catalog,
  clock,
  durability: 'available',
  baseFolder: import.meta.dirname,
  jobs: { admit: (input) => Promise.resolve(input) },
  mayOpen: () => Promise.resolve(),
  // Nothing is crawled: each run ends at once.
  stateOf: () => Promise.resolve('finished'),
  open: () => Promise.resolve(),
  close: () => Promise.resolve(),
  unbegun: false,
});
const byChance: ScheduledRuns = {
  ...runs,
  start(run, doc) {
    const nonce = randomUUID();
    return runs.start({ ...run, nonce, name: `${run.name} ${nonce.slice(0, 8)}` }, doc);
  },
};
let points = 0;
const engine = createScheduleEngine({
  registry,
  runs: control === 'fresh-names' ? byChance : runs,
  clock,
  events: {
    publish({ type }) {
      process.stdout.write(`event ${type}\n`);
      return 0;
    },
  },
  failed(error) {
    console.error(error);
    process.exit(1);
  },
  minIntervalMs: 0,
  lookMs: 200,
  failpoint(at) {
    if (++points !== Number(killAt)) return;
    process.stdout.write(`killed ${at}\n`);
    process.kill(process.pid, 'SIGKILL');
  },
});
engine.start();
process.stdout.write('ready\n');
