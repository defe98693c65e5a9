import type { ProofOptions, ProofResult } from '../prove.ts';
import { openCrawlStore } from '../redis/crawl-store.ts';
import { startRedis } from '../redis/servers.ts';
import { longestStall, simulateCrawl, simulated } from '../redis/simulated-crawl.ts';
import { strike, type StrikeKind, strikeKinds } from '../redis/strike.ts';
import { argument, workFolder } from './lab.ts';

const shards = [0, 1, 2];
/** Results of a group that stay in the store: the others are written to files, and judged with them. */
const backlog = 5;

/**
 * Primaries, replicas and whole shards of a strict cluster are killed and come back after a moment while two
 * processes crawl. Every URL of the graph must be settled once, and no host asked too soon.
 */
export async function prove({ quick, args }: ProofOptions): Promise<ProofResult> {
  const faults = Number(argument(args, '--count') ?? (quick ? 3 : 50));
  const work = workFolder('store-kill');
  const servers = await startRedis({ primaries: shards.length, replicasEach: 1, nodeTimeoutMs: 500 });
  try {
    const drain = { results: backlog, under: work.path };
    const store = await openCrawlStore(servers, { processes: 2, replicas: 1, drain });
    const times = { gapMs: 250, leaseTtlMs: 3_000, maxFetchMs: 500 };
    const simulation = await simulateCrawl({ ...store, hosts: 60, times });
    for (let n = 0; n < faults; n++) {
      await strike(servers, simulation, strikeKinds[n % strikeKinds.length] as StrikeKind);
      console.error(JSON.stringify({ fault: n + 1, settled: simulation.settled.length }));
    }
    const judgement = await simulation.end(60_000);
    const ofShard = (shard: number) => simulation.settled.filter(({ host }) => store.shardOf(host) === shard);
    const { records: drained } = (await store.frontiers[0]?.kept(simulated)) ?? { records: 0 };
    await store.close();
    const { finished, lost, duplicates, gapViolations } = judgement;
    return {
      tooEasy: drained === 0,
      ok: finished && lost + duplicates + gapViolations === 0 && judgement.addsUp,
      result: {
        faults,
        ...judgement,
        drained,
        stallMs: longestStall(simulation.settled),
        shardStallMs: Math.max(...shards.map((shard) => longestStall(ofShard(shard)))),
        troubles: simulation.troubles(),
        sizes: { faults, processes: 2, hosts: 60, fetches: simulation.fetches.length },
      },
    };
  } finally {
    await servers.stop();
    work.remove();
  }
}
