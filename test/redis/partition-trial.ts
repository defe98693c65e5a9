import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openStore, type RedisStore } from '../../packages/coordinator/src/redis/store.ts';
import { systemClock } from '../../packages/protocol/src/index.ts';
import { cut, cutHost, heal } from './cut.ts';
import { until } from './form-cluster.ts';
import { type RedisNode, type RedisServers, startRedis } from './servers.ts';
import { countMissing, startWriting } from './writing.ts';

/** Some partitions of one shard, with one way of writing. */
export interface Phase {
  shard: number;
  partitions: number;
  /** R of WAIT; undefined writes without WAIT. */
  wait: number | undefined;
  /** How many of the shard's replicas stay with the old primary and the client. */
  staying: number;
}

export interface PhaseResult {
  partitions: number;
  acknowledged: number;
  lost: number;
}

/** Runs inside a network of its own; prints the results of the phases as JSON. */
export interface TrialPlan {
  replicasEach: number[];
  phases: Phase[];
}

async function main(plan: TrialPlan): Promise<PhaseResult[]> {
  const servers = await startRedis({
    primaries: plan.replicasEach.length,
    replicasEach: plan.replicasEach,
    nodeTimeoutMs: 700,
    host: cutHost,
  });
  try {
    const results: PhaseResult[] = [];
    for (const phase of plan.phases) {
      results.push(await runPhase(servers, phase));
      console.error(JSON.stringify({ ...phase, ...results.at(-1) }));
    }
    return results;
  } finally {
    await servers.stop();
  }
}

async function runPhase(servers: RedisServers, phase: Phase): Promise<PhaseResult> {
  const store = await openStore({ url: servers.url, replicas: phase.wait ?? 0, clock: systemClock() });
  const result: PhaseResult = { partitions: 0, acknowledged: 0, lost: 0 };
  try {
    for (let n = 0; n < phase.partitions; n++) {
      const acknowledged = await partition(servers, store, phase);
      result.partitions += 1;
      result.acknowledged += acknowledged.length;
      result.lost += await countMissing(store, acknowledged);
    }
    return result;
  } finally {
    await store.close();
  }
}

/** Writes before, during and after one partition that makes another node primary. Answers what was acknowledged. */
async function partition(servers: RedisServers, store: RedisStore, phase: Phase): Promise<string[]> {
  const shard = servers.nodes.filter((node) => node.shard === phase.shard);
  const primary = await primaryOf(shard);
  const replicas = shard.filter((node) => node !== primary);
  const staying = replicas.slice(0, phase.staying);
  const electable = replicas.slice(phase.staying);
  const here = [primary, ...staying];
  const work = startWriting(store, tagAt(store, primary));
  try {
    await work.reach(500);
    cut(
      here.map(({ host }) => host),
      servers.nodes.filter((node) => !here.includes(node)).map(({ host }) => host),
    );
    await until(() => Promise.resolve(electable.some(callsItselfPrimary)), 'a failover behind the cut');
    heal();
    await until(() => isWhole(servers, phase.shard), 'the shard is whole again');
    await work.reach(work.acknowledged.length + 500);
  } finally {
    heal();
    await work.stop();
  }
  return work.acknowledged;
}

async function primaryOf(shard: RedisNode[]): Promise<RedisNode> {
  for (const node of shard) {
    if ((await node.askText('INFO', 'replication')).includes('role:master')) return node;
  }
  throw new Error('the shard has no primary');
}

/** Read from its file: no packet of ours reaches the other side. */
function callsItselfPrimary({ folder }: RedisNode): boolean {
  return readFileSync(join(folder, 'nodes.conf'), 'utf8').includes('myself,master');
}

/** One primary, with all others of the shard as replicas in step, and everybody calls the cluster well. */
async function isWhole(servers: RedisServers, shard: number): Promise<boolean> {
  const infos = await Promise.all(servers.nodes.map((node) => node.askText('INFO', 'replication')));
  const states = await Promise.all(servers.nodes.map((node) => node.askText('CLUSTER', 'INFO')));
  const own = infos.filter((_, n) => servers.nodes[n]?.shard === shard);
  const primaries = own.filter((info) => info.includes('role:master'));
  const online = primaries.reduce((sum, info) => sum + (info.match(/state=online/g) ?? []).length, 0);
  const isLinked = own.every(
    (info) => info.includes('role:master') || info.includes('master_link_status:up'),
  );
  const isWell = states.every((state) => state.includes('cluster_state:ok'));
  return primaries.length === 1 && online === own.length - 1 && isLinked && isWell;
}

/** A hash tag whose slot is at this node. */
function tagAt(store: RedisStore, { host, port }: RedisNode): string {
  for (let n = 0; n < 10_000; n++) {
    if (store.primaryOf(`{g${n}}`) === `${host}:${port}`) return `{g${n}}`;
  }
  throw new Error(`the store knows no slot at ${host}:${port}`);
}

console.log(JSON.stringify(await main(JSON.parse(process.argv[2] ?? '') as TrialPlan)));
