import type { ProofOptions, ProofResult } from '../prove.ts';
import { openCrawlStore } from '../redis/crawl-store.ts';
import { until } from '../redis/form-cluster.ts';
import { type RedisNode, type RedisServers, startRedis } from '../redis/servers.ts';
import { longestStall, simulateCrawl, simulated, type Simulation } from '../redis/simulated-crawl.ts';
import { argument, workFolder } from './lab.ts';

const shards = [0, 1, 2];
const kinds = ['primary', 'shard', 'replica'] as const;
type Kind = (typeof kinds)[number];
/** How long a killed server stays away: the cluster elects another primary in some of that time, not in all. */
const awayMs = { least: 100, most: 2_500 };
/** Results of a group that stay in the store: the others are written to files, and judged with them. */
const backlog = 5;
/** Pages between two faults. */
const pagesBetween = 150;

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
      await strike(servers, simulation, kinds[n % kinds.length] as Kind);
      console.error(JSON.stringify({ fault: n + 1, settled: simulation.settled.length }));
    }
    const judgement = await simulation.end(60_000);
    const ofShard = (shard: number) => simulation.settled.filter(({ host }) => store.shardOf(host) === shard);
    const { records: drained } = (await store.frontiers[0]?.kept(simulated)) ?? { records: 0 };
    await store.close();
    const { finished, lost, duplicates, gapViolations } = judgement;
    return {
      ok: drained > 0 && finished && lost + duplicates + gapViolations === 0 && judgement.addsUp,
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

/** One fault of a cluster that is whole, with work done before it. */
async function strike(servers: RedisServers, simulation: Simulation, kind: Kind): Promise<void> {
  await until(() => isWhole(servers), 'the cluster is whole', 30_000);
  const { length } = simulation.settled;
  await until(
    () => Promise.resolve(simulation.settled.length >= length + pagesBetween),
    'the crawl goes on',
    60_000,
  );
  const chosen = Math.floor(Math.random() * shards.length);
  const victims: RedisNode[] = [];
  for (const node of servers.nodes.filter(({ shard }) => shard === chosen))
    if (kind === 'shard' || (await isPrimary(node)) === (kind === 'primary')) victims.push(node);
  await Promise.all(victims.map((node) => node.kill('SIGKILL')));
  const ms = awayMs.least + Math.random() * (awayMs.most - awayMs.least);
  await new Promise((done) => setTimeout(done, ms));
  await Promise.all(victims.map((node) => node.restart()));
}

async function isPrimary(node: RedisNode): Promise<boolean> {
  return (await node.askText('INFO', 'replication')).includes('role:master');
}

/** Every shard has one primary with its replica online, and everybody calls the cluster well. */
async function isWhole({ nodes }: RedisServers): Promise<boolean> {
  const infos = await Promise.all(nodes.map((node) => node.askText('INFO', 'replication')));
  const states = await Promise.all(nodes.map((node) => node.askText('CLUSTER', 'INFO')));
  const online = infos.filter((info) => /role:master[^]*state=online/.test(info));
  return online.length === shards.length && states.every((state) => state.includes('cluster_state:ok'));
}
