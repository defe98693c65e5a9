import { until } from './form-cluster.ts';
import type { RedisNode, RedisServers } from './servers.ts';
import type { Simulation } from './simulated-crawl.ts';

export const strikeKinds = ['primary', 'shard', 'replica'] as const;
export type StrikeKind = (typeof strikeKinds)[number];
/** How long a killed server stays away: the cluster elects another primary in some of that time, not in all. */
const awayMs = { least: 100, most: 2_500 };
/** Pages between two faults. */
const pagesBetween = 150;

/** One fault of a cluster that is whole, with work done before it. */
export async function strike(servers: RedisServers, simulation: Simulation, kind: StrikeKind): Promise<void> {
  await until(() => isWhole(servers), 'the cluster is whole', 30_000);
  const { length } = simulation.settled;
  await until(
    () => Promise.resolve(simulation.settled.length >= length + pagesBetween),
    'the crawl goes on',
    60_000,
  );
  const shards = shardsOf(servers);
  const chosen = Math.floor(Math.random() * shards);
  const victims: RedisNode[] = [];
  for (const node of servers.nodes.filter(({ shard }) => shard === chosen))
    if (kind === 'shard' || (await isPrimary(node)) === (kind === 'primary')) victims.push(node);
  await Promise.all(victims.map((node) => node.kill('SIGKILL')));
  const ms = awayMs.least + Math.random() * (awayMs.most - awayMs.least);
  await new Promise((done) => setTimeout(done, ms));
  await Promise.all(victims.map((node) => node.restart()));
}

/** Kills a primary and brings it back once its replica has taken over, however long the cluster needs for that. */
export async function failOver(servers: RedisServers, withinMs: number): Promise<void> {
  await until(() => isWhole(servers), 'the cluster is whole', withinMs);
  const shard = Math.floor(Math.random() * shardsOf(servers));
  const nodes = servers.nodes.filter((node) => node.shard === shard);
  const roles = await Promise.all(nodes.map(isPrimary));
  const [primary] = nodes.filter((_, n) => roles[n]);
  if (!primary) throw new Error(`the shard ${shard} has no primary`);
  await primary.kill('SIGKILL');
  const others = nodes.filter((node) => node !== primary);
  const isElected = async () => (await Promise.all(others.map(isPrimary))).includes(true);
  await until(isElected, 'a replica has taken over', withinMs);
  await primary.restart();
}

async function isPrimary(node: RedisNode): Promise<boolean> {
  return (await node.askText('INFO', 'replication')).includes('role:master');
}

function shardsOf({ nodes }: RedisServers): number {
  return new Set(nodes.map(({ shard }) => shard)).size;
}

/** Every shard has one primary with its replica online, and everybody calls the cluster well. */
async function isWhole(servers: RedisServers): Promise<boolean> {
  const { nodes } = servers;
  const infos = await Promise.all(nodes.map((node) => node.askText('INFO', 'replication')));
  const states = await Promise.all(nodes.map((node) => node.askText('CLUSTER', 'INFO')));
  const online = infos.filter((info) => /role:master[^]*state=online/.test(info));
  return online.length === shardsOf(servers) && states.every((state) => state.includes('cluster_state:ok'));
}
