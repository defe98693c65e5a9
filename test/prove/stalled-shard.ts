// watches: packages/coordinator/src/redis, packages/coordinator/src/frontier/redis
// misses: one stalled shard that slows the hosts of the others
import type { ProofOptions, ProofResult } from '../prove.ts';
import { type CrawlStore, openCrawlStore } from '../redis/crawl-store.ts';
import { type RedisNode, type RedisServers, startRedis } from '../redis/servers.ts';
import { simulateCrawl, type Simulation } from '../redis/simulated-crawl.ts';

// ci: rated, because it compares rates.

/** Of the rate before, while one shard stands still. */
const leastRate = 0.8;
const hosts = 90;

/**
 * The primary of one shard stands still and its replica does not take over, while two processes crawl hosts of
 * all shards. The hosts of the others must hardly notice, and nothing may be lost.
 */
export async function prove({ quick }: ProofOptions): Promise<ProofResult> {
  // Nobody is called dead, so nobody is elected.
  const servers = await startRedis({ primaries: 3, replicasEach: 1, nodeTimeoutMs: 120_000 });
  try {
    const store = await openCrawlStore(servers, { processes: 2, replicas: 1 });
    const times = { gapMs: 250, leaseTtlMs: 3_000, maxFetchMs: 500 };
    const simulation = await simulateCrawl({ ...store, hosts, times });
    // Who meets a silent shard waits for it once, a second at most: in a shorter stall that alone would be a fifth.
    const stallMs = quick ? 15_000 : 30_000;
    // The shard with what belongs to the whole store is the one that is missed most.
    const others = [0, 1, 2].filter((shard) => shard !== store.commonShard);
    const stalled = quick ? [store.commonShard] : [store.commonShard, ...others];
    const rates: number[] = [];
    for (const shard of stalled) rates.push(await stall({ servers, store, simulation, shard, stallMs }));
    const judgement = await simulation.end(60_000);
    await store.close();
    const { finished, lost, duplicates, gapViolations } = judgement;
    const otherShardsRate = Math.min(...rates);
    return {
      tooSlow: otherShardsRate < leastRate,
      ok: finished && lost + duplicates + gapViolations === 0 && judgement.addsUp,
      result: {
        otherShardsRate,
        rates,
        ...judgement,
        troubles: simulation.troubles(),
        sizes: { stalls: stalled.length, stallMs, hosts, processes: 2 },
      },
    };
  } finally {
    await servers.stop();
  }
}

interface Stall {
  servers: RedisServers;
  store: CrawlStore;
  simulation: Simulation;
  shard: number;
  stallMs: number;
}

/** The rate of the hosts of the other shards during the stall, as a part of their rate before it. */
async function stall({ servers, store, simulation, shard, stallMs }: Stall): Promise<number> {
  const calmMs = Math.min(stallMs, 10_000);
  const settledIn = async (ms: number): Promise<number> => {
    const from = simulation.settled.length;
    await new Promise((done) => setTimeout(done, ms));
    const others = simulation.settled.slice(from).filter(({ host }) => store.shardOf(host) !== shard);
    return others.length / ms;
  };
  // The crawl gets under way, or over the stall before.
  await settledIn(2_000);
  const before = await settledIn(calmMs);
  const primary = servers.nodes.find((node) => node.role === 'primary' && node.shard === shard) as RedisNode;
  await primary.kill('SIGSTOP');
  const during = await settledIn(stallMs);
  await primary.kill('SIGCONT');
  console.error(JSON.stringify({ shard, beforePerSecond: before * 1000, duringPerSecond: during * 1000 }));
  return Math.round((during / before) * 1000) / 1000;
}
