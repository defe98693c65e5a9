// watches: packages/coordinator/src/members, packages/coordinator/src/network, packages/coordinator/src/link
// watches: packages/coordinator/src/own-crawls, packages/worker/src/link, packages/worker/src/session
// misses: workers that are not shared out between coordinators, and hosts that starve
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type FakeWeb, startFakeWeb } from '../fake-web/server.ts';
import { type CoordinatorProcess, type Network, startNetwork } from '../network/launcher.ts';
import { type LightWorker, startLightWorkers } from '../network/light-workers.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { startRedis } from '../redis/servers.ts';
import { controlBreadth, proveBreadth } from './breadth.ts';
import { proveWater, type Stage } from './dry-and-water.ts';
import { argument, labJob, until, workFolder, writeJob } from './lab.ts';

// ci: rated, because it judges how soon workers are shared out.

const sizes = {
  quick: { workers: 60, kills: 1, hosts: 200, requests: 800 },
  full: { workers: 60, kills: 10, hosts: 500, requests: 15_000 },
} as const;
const SHARE_MS = 10_000;
const RECONNECT_MS = 2_000;
const TAKEN_HOSTS = 15;
/** Long enough for a round of sharing out that should not be there. */
const QUIET_MS = 4_000;

/**
 * Three coordinators hold sixty workers and a fourth joins, without a job of its own; then coordinators are killed and
 * come back. After that a worker holds many slow hosts while another one has none; and many hosts of unequal size wait for
 * few hands, once more with their order turned round, where some must wait for too long. The parts are chosen with
 * `--part shares|water|breadth|control`.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const size = quick ? sizes.quick : sizes.full;
  const only = argument(args, '--part');
  const kills = Number(argument(args, '--count') ?? size.kills);
  const fake = await startFakeWeb({ size: 'L', seed: 7 });
  const result: Record<string, unknown> = {};
  let ok = true;
  let [tooSlow, tooEasy] = [false, false];
  const part = async (name: string, work: (stage: Stage) => Promise<ProofResult>) => {
    if (only !== undefined && only !== name) return;
    const found = await onStage(fake, name, work);
    const said = !found.ok
      ? 'DOES NOT HOLD'
      : found.tooSlow
        ? 'too slow'
        : found.tooEasy
          ? 'too easy'
          : 'holds';
    console.error(`  ${name}: ${said} ${JSON.stringify(found.result)}`);
    ok &&= found.ok;
    tooSlow ||= found.tooSlow === true;
    tooEasy ||= found.tooEasy === true;
    Object.assign(result, found.result);
  };
  try {
    await part('shares', (stage) => proveShares(stage, { workers: size.workers, kills }));
    await part('water', (stage) => proveWater(stage, TAKEN_HOSTS));
    await part('breadth', (stage) => proveBreadth(stage, size));
    await part('control', (stage) => controlBreadth(stage, size));
    return { ok, tooSlow, tooEasy, result: { ...result, sizes: size } };
  } finally {
    await fake.stop();
  }
}

async function onStage(
  fake: FakeWeb,
  name: string,
  work: (stage: Stage) => Promise<ProofResult>,
): Promise<ProofResult> {
  await fake.reset();
  const redis = await startRedis({});
  const folder = workFolder(`coordinators-${name}`);
  try {
    return await work({ fake, redis, under: folder.path });
  } finally {
    await redis.stop();
    folder.remove();
  }
}

async function proveShares(
  { fake, redis, under }: Stage,
  size: { workers: number; kills: number },
): Promise<ProofResult> {
  const job = join(under, 'job.json');
  await writeJob(job, labJob(fake));
  const network = await startNetwork({ job, under, coordinators: 3, workers: 0, store: redis.url });
  let workers: LightWorker[] = [];
  try {
    const first = network.coordinators[0] as CoordinatorProcess;
    await seeEachOther(network);
    const token = (await readFile(join(first.folder, 'worker.token'), 'utf8')).trim();
    const urlOf = (n: number) => (network.coordinators[n % 3] as CoordinatorProcess).url();
    workers = await startLightWorkers({ count: size.workers, urlOf, token, folder: join(under, 'light') });
    const joined = await fourthJoins(network, workers);
    const times: number[] = [];
    for (let kill = 0; kill < size.kills; kill++) times.push(...(await killOne(network, workers, kill)));
    const reconnectP99Ms = Math.round(percentile(times, 0.99));
    return {
      tooSlow: joined.tooSlow === true || reconnectP99Ms >= RECONNECT_MS,
      ok: joined.ok,
      result: { ...joined.result, reconnectP99Ms, reconnects: times.length, kills: size.kills },
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.stop().catch(() => undefined)));
    await network.end();
  }
}

/** Until everybody knows everybody. */
async function seeEachOther(network: Network): Promise<void> {
  const alive = network.coordinators.filter(({ running }) => running);
  const knowsAll = async (one: CoordinatorProcess) => {
    const status = await one.status().catch(() => undefined);
    return status?.peers.length === alive.length;
  };
  await until(
    'all coordinators to see each other',
    async () => (await Promise.all(alive.map(knowsAll))).every(Boolean),
    30_000,
  );
}

function sharesOf(workers: readonly LightWorker[], coordinators: number): number[] {
  const counts = new Map<string, number>();
  for (const worker of workers) {
    const at = worker.coordinator();
    if (at !== undefined) counts.set(at, (counts.get(at) ?? 0) + 1);
  }
  const shares = [...counts.values()];
  while (shares.length < coordinators) shares.push(0);
  return shares.toSorted((a, b) => a - b);
}

function isEven(shares: readonly number[], workers: number): boolean {
  const linked = shares.reduce((sum, share) => sum + share, 0);
  return linked === workers && shares.every((share) => Math.abs(share - workers / shares.length) <= 1);
}

/** The fewest who must move: who has too much gives, or who has too little is given, whichever is more. */
function fewestMoves(before: readonly number[], workers: number): number {
  const even = workers / before.length;
  const [least, most] = [Math.ceil(even - 1), Math.floor(even + 1)];
  const over = before.reduce((sum, share) => sum + Math.max(0, share - most), 0);
  const under = before.reduce((sum, share) => sum + Math.max(0, least - share), 0);
  return Math.max(over, under);
}

async function fourthJoins(network: Network, workers: LightWorker[]): Promise<ProofResult> {
  const before = [0, ...sharesOf(workers, 3)];
  const links = workers.map((worker) => worker.links.length);
  await network.addCoordinator({ withoutJob: true });
  const startedAt = performance.now();
  const shares = () => sharesOf(workers, 4);
  await until('even shares', () => isEven(shares(), workers.length), 3 * SHARE_MS).catch(() => undefined);
  const shareMs = performance.now() - startedAt;
  await later(QUIET_MS);
  const moved = workers.reduce((sum, worker, n) => sum + worker.links.length - (links[n] ?? 0), 0);
  const needed = fewestMoves(before, workers.length);
  const even = isEven(shares(), workers.length);
  return {
    tooSlow: shareMs >= SHARE_MS,
    ok: even && moved <= needed,
    result: { shares: shares(), moved, needed, shareSeconds: Math.round(shareMs / 100) / 10 },
  };
}

/** How long each of its workers was without a coordinator, in ms. */
async function killOne(network: Network, workers: LightWorker[], kill: number): Promise<number[]> {
  const victim = network.coordinators[kill % network.coordinators.length] as CoordinatorProcess;
  const { coordinator } = await victim.status();
  const orphans = workers.filter((worker) => worker.coordinator() === coordinator.id);
  // Before: some are linked again before we hear that it is dead.
  const killedAt = performance.now();
  await victim.kill();
  const found = (worker: LightWorker) =>
    worker.links.find(({ atMs, coordinator: at }) => atMs > killedAt && at !== coordinator.id);
  await until('all workers of the killed one to be linked', () => orphans.every((one) => found(one)), 60_000);
  await victim.start();
  await seeEachOther(network);
  const even = () => isEven(sharesOf(workers, network.coordinators.length), workers.length);
  await until('even shares again', even, 60_000);
  return orphans.map((worker) => (found(worker)?.atMs ?? Number.POSITIVE_INFINITY) - killedAt);
}

function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.POSITIVE_INFINITY;
}

function later(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
