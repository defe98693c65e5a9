// watches: packages/coordinator/src/redis/migration, packages/coordinator/src/redis
// watches: packages/coordinator/src/frontier/redis
// misses: URLs lost while groups move between shards
import { type MoveStep, openMover } from '../../packages/coordinator/src/redis.ts';
import { type HostKey, systemClock } from '../../packages/protocol/src/index.ts';
import type { ProofOptions, ProofResult } from '../prove.ts';
import { openCrawlStore } from '../redis/crawl-store.ts';
import { until } from '../redis/form-cluster.ts';
import { type RedisServers, startRedis } from '../redis/servers.ts';
import { type Judgement, longestStall, simulateCrawl, type Simulation } from '../redis/simulated-crawl.ts';
import { argument } from './lab.ts';

const shards = 3;
const hosts = 60;
/** Pages between two moves, and while a group is on its way. */
const pagesBetween = 100;
/** Every second move is cut off after one of these and taken on by another mover. */
const cuts: MoveStep[] = ['copied', 'closed', 'claimed', 'emptied', 'copying'];

interface Trial extends Partial<Judgement> {
  moves: number;
  cutOff: number;
  stallMs: number;
  /** What ended it before its time. */
  broken?: string;
}

/**
 * Groups move between the shards of a strict cluster while two processes crawl; some moves are cut off and
 * resumed. Every URL of the graph must be settled once, and no host asked too soon. The same moves of groups that
 * are not closed must lose URLs: otherwise the trial shows nothing.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const moves = Number(argument(args, '--count') ?? (quick ? 3 : 10));
  const controls = quick ? 2 : Math.ceil(moves / 3);
  const closed = await trial(moves, true);
  const control = await trial(controls, false);
  const { finished, lost = 1, duplicates = 1, gapViolations = 1, addsUp } = closed;
  const lostWithoutClosing = control.lost ?? 0;
  const isHarmed = lostWithoutClosing > 0 || control.broken !== undefined;
  const isExact = finished === true && addsUp === true && lost + duplicates + gapViolations === 0;
  return {
    ok: isExact && closed.moves === moves,
    tooEasy: !isHarmed,
    result: {
      ...closed,
      lostWithoutClosing,
      withoutClosing: control,
      sizes: { moves, controls, hosts, shards, processes: 2 },
    },
  };
}

async function trial(moves: number, closing: boolean): Promise<Trial> {
  const servers = await startRedis({ primaries: shards, replicasEach: 1, nodeTimeoutMs: 1_000 });
  try {
    const store = await openCrawlStore(servers, { processes: 2, replicas: 1 });
    const times = { gapMs: 50, leaseTtlMs: 5_000, maxFetchMs: 500 };
    const simulation = await simulateCrawl({ ...store, hosts, times });
    const result: Trial = { moves: 0, cutOff: 0, stallMs: 0 };
    for (let n = 0; n < moves; n++) {
      await goesOn(simulation, pagesBetween);
      const cut = closing && n % 2 === 1 ? cuts[((n - 1) / 2) % cuts.length] : undefined;
      const { host } = simulation.settled[Math.floor(Math.random() * simulation.settled.length)] as {
        host: HostKey;
      };
      const moving = moveOne({ servers, simulation, closing, cut, group: store.groupOf(host) });
      // An open group may lose so much that the move itself notices.
      await (closing ? moving : moving.catch((error: unknown) => (result.broken = String(error))));
      result.moves += 1;
      if (cut) result.cutOff += 1;
      console.error(JSON.stringify({ move: n + 1, closing, cut, settled: simulation.settled.length }));
    }
    // A group that lost its queue never ends: the control need not wait for long.
    const ended = simulation.end(closing ? 60_000 : 5_000);
    Object.assign(result, await ended.catch((error: unknown) => ({ broken: String(error) })));
    result.stallMs = longestStall(simulation.settled);
    await store.close();
    return result;
  } finally {
    await servers.stop();
  }
}

async function goesOn({ settled }: Simulation, pages: number): Promise<void> {
  const { length } = settled;
  await until(() => Promise.resolve(settled.length >= length + pages), 'the crawl goes on', 30_000);
}

interface OneMove {
  servers: RedisServers;
  simulation: Simulation;
  closing: boolean;
  cut: MoveStep | undefined;
  /** One in which the crawl has a host. */
  group: number;
}

/** Moves one group to the next shard. The crawl goes on meanwhile, elsewhere or, unclosed, there. */
async function moveOne({ servers, simulation, closing, cut, group }: OneMove): Promise<void> {
  const open = (onStep: (step: MoveStep) => Promise<void>) =>
    openMover({
      url: servers.url,
      clock: systemClock(),
      closing,
      onStep: (_group, step) => onStep(step),
    });
  const mover = await open(async (step) => {
    if (step === 'copied') await goesOn(simulation, closing ? 5 : pagesBetween);
    if (step === cut) throw new Error('cut off');
  });
  try {
    const { shards: found } = await mover.status();
    const from = found.findIndex(({ groups }) => groups.includes(group));
    const to = found[(from + 1) % found.length];
    const moving = mover.move([group], to?.address ?? '');
    if (cut === undefined) return void (await moving);
    await moving.then(
      () => Promise.reject(new Error('the move was not cut off')),
      () => undefined,
    );
  } finally {
    await mover.close();
  }
  const other = await open(() => Promise.resolve());
  try {
    await other.resume();
  } finally {
    await other.close();
  }
}
