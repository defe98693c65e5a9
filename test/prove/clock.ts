// watches: packages/coordinator/src/frontier/redis, packages/coordinator/src/redis, packages/coordinator/src/ledger
// watches: packages/protocol/src/base
// misses: hosts asked too soon after the clock of the store jumped
import type { ProofOptions, ProofResult } from '../prove.ts';
import { openCrawlStore } from '../redis/crawl-store.ts';
import { until } from '../redis/form-cluster.ts';
import { type RedisServers, startRedis } from '../redis/servers.ts';
import {
  gapViolations,
  type Judgement,
  longestStall,
  simulateCrawl,
  type Simulation,
} from '../redis/simulated-crawl.ts';
import { argument } from './lab.ts';

/** Seconds by which the clock of the store jumps, in turn. */
const jumps = [1, -1, 60, -60, 3600, -3600];
/** Short, so that a jump holds the crawl for a moment only: the longest hold is their sum. */
const times = { gapMs: 400, leaseTtlMs: 1_500, maxFetchMs: 250 };
const hosts = 60;
/** Most of the time hosts are kept from being asked: a clock that runs ahead shows at once. */
const blindTimes = { ...times, gapMs: 1_000 };

/**
 * The wall clock of the store jumps while two processes crawl: no host may be asked too soon, nothing be lost,
 * and the crawl must go on. Where nobody compares the clocks, a jump forward must make requests come too soon:
 * otherwise the trial shows nothing.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const count = Number(argument(args, '--count') ?? (quick ? 2 : 10));
  const judged = await crawlThrough(
    Array.from({ length: count }, (_, n) => jumps[(quick ? n + 2 : n) % jumps.length] as number),
  );
  const gapViolationsBlind = await crawlBlind();
  const { finished, lost, duplicates } = judged;
  return {
    ok: finished && lost + duplicates + judged.gapViolations === 0 && judged.addsUp,
    tooEasy: gapViolationsBlind === 0,
    result: { jumps: count, ...judged, gapViolationsBlind, sizes: { jumps: count, hosts, processes: 2 } },
  };
}

function start(): Promise<RedisServers> {
  return startRedis({ replicasEach: 1, shiftableClocks: true });
}

async function crawlThrough(all: number[]): Promise<Judgement & { stallMs: number; troubles: number }> {
  const servers = await start();
  try {
    const store = await openCrawlStore(servers, { processes: 2, replicas: 1 });
    const simulation = await simulateCrawl({ ...store, hosts, times });
    let shift = 0;
    for (const seconds of all) {
      await goOn(simulation);
      shift += seconds;
      for (const node of servers.nodes) node.shiftClock(shift);
      console.error(JSON.stringify({ jump: seconds, settled: simulation.settled.length }));
    }
    await goOn(simulation);
    const judgement = await simulation.end(30_000);
    await store.close();
    return { ...judgement, stallMs: longestStall(simulation.settled), troubles: simulation.troubles() };
  } finally {
    await servers.stop();
  }
}

/** Requests that came too soon after one jump forward, in a crawl that believes the store's clock. */
async function crawlBlind(): Promise<number> {
  const servers = await start();
  try {
    const store = await openCrawlStore(servers, { processes: 2, replicas: 1, time: 'blind' });
    const simulation = await simulateCrawl({ ...store, hosts, times: blindTimes });
    await goOn(simulation);
    for (const node of servers.nodes) node.shiftClock(60);
    await goOn(simulation);
    await simulation.end(0);
    await store.close();
    return gapViolations(simulation.fetches, blindTimes.gapMs);
  } finally {
    await servers.stop();
  }
}

/** Work between two jumps. */
const pagesBetween = 120;

async function goOn({ settled }: Simulation): Promise<void> {
  const { length } = settled;
  await until(() => Promise.resolve(settled.length >= length + pagesBetween), 'the crawl goes on', 60_000);
}
