import type { Clock } from '@webfarer/protocol';
import { addressOf, parseStoreUrl, splitAddress } from './address.ts';
import {
  type Claim,
  type ClusterNode,
  fewestReplicas,
  mergeClaims,
  parseClusterNodes,
  replicaLists,
} from './cluster-view.ts';
import { ConnectionLost, type ConnectionTimes, type Endpoint, openConnection } from './connection.ts';
import { denied, isDenied, sentinel } from './denied.ts';
import { type Command, type Reply, ReplyError } from './resp.ts';
import { slotCount, slotOf } from './slots.ts';

export interface Topology {
  readonly cluster: boolean;
  /** Address of the primary that holds the key's slot; undefined while nobody is known to. */
  primaryOf(key: string): string | undefined;
  /** Every node ever heard of, so that a lost one is asked again. */
  addresses(): string[];
  /** Who holds slots, as far as is known. */
  primaries(): string[];
  /** How many replicas of a primary could be elected, as the cluster lists them, reachable or not. */
  replicasOf(address: string): number;
  /** The same for the shard that has the fewest. */
  fewestReplicas(): number;
  endpoint(address: string): Endpoint;
  /** Asks again; calls during a round share it. Where nobody answers the map stays as it was. */
  refresh(): Promise<void>;
  /** `from` said that it does not hold the slot but `to` does: believed until the next round says otherwise. */
  moved(slot: number, from: string, to: string): void;
}

/** How many nodes a round asks: one alone may be cut off from the rest without knowing it. */
const askedPerRound = 5;
/** After the first answer the others have this long. */
const stragglerMs = 250;
const askTimes: ConnectionTimes = { connectMs: 1_000, answerMs: 1_000 };

/** A few questions on a connection of their own, so that no blocked pipeline is in their way. */
export async function ask(endpoint: Endpoint, commands: Command[]): Promise<Reply[]> {
  const connection = await openConnection(endpoint, askTimes);
  try {
    return await connection.pipeline(commands);
  } finally {
    connection.end('asked');
  }
}

/** Learns from the first node that answers whether this is one server or a cluster, and who holds what. */
export async function openTopology(url: string, clock: Clock): Promise<Topology> {
  const seeds = parseStoreUrl(url);
  const isCluster = await Promise.any(seeds.map(saysCluster)).catch((error: AggregateError) => {
    throw error.errors[0];
  });
  const topology = isCluster ? clusterTopology(seeds, clock) : singleTopology(seeds[0] as Endpoint);
  await topology.refresh();
  return topology;
}

async function saysCluster(seed: Endpoint): Promise<boolean> {
  const [info, server] = await ask(seed, [
    ['INFO', 'cluster'],
    ['INFO', 'server'],
  ]);
  if (isDenied(info)) throw denied(addressOf(seed), info);
  if (typeof server === 'string' && server.includes('redis_mode:sentinel')) throw sentinel(addressOf(seed));
  if (typeof info === 'string') {
    const isCluster = info.includes('cluster_enabled:1');
    const [view] = isCluster ? await ask(seed, [['CLUSTER', 'NODES']]) : [];
    if (isDenied(view)) throw denied(addressOf(seed), view);
    return isCluster;
  }
  const why = info instanceof ReplyError ? info.text : 'no text';
  throw new ConnectionLost(`${addressOf(seed)}: ${why}`, { sent: true });
}

function onlineReplicas(info: string): number {
  return [...info.matchAll(/^slave\d+:.*state=online/gm)].length;
}

function singleTopology(endpoint: Endpoint): Topology {
  const address = addressOf(endpoint);
  // One server has no list of its replicas; it knows those that are connected.
  let connected = 0;
  return {
    cluster: false,
    primaryOf: () => address,
    addresses: () => [address],
    primaries: () => [address],
    replicasOf: () => connected,
    fewestReplicas: () => connected,
    endpoint: (other) => ({ ...endpoint, ...splitAddress(other) }),
    async refresh() {
      const [info] = await ask(endpoint, [['INFO', 'replication']]).catch(() => []);
      if (typeof info === 'string') connected = onlineReplicas(info);
    },
    moved: () => {},
  };
}

function clusterTopology(seeds: Endpoint[], clock: Clock): Topology {
  const [shared] = seeds as [Endpoint];
  const known = new Set(seeds.map(addressOf));
  const claims = new Array<Claim | undefined>(slotCount).fill(undefined);
  const lists = new Map<string, ReadonlySet<string>>();
  let fewest = 0;
  let round: Promise<void> | undefined;
  let rounds = 0;
  const endpoint = (address: string): Endpoint => ({ ...shared, ...splitAddress(address) });

  const askAll = async (): Promise<void> => {
    const views = await firstAnswers(some([...known], askedPerRound, rounds++), endpoint, clock);
    for (const { address } of views.flat()) if (address !== '') known.add(address);
    mergeClaims(claims, views);
    if (views.length === 0) return;
    const listed = replicaLists(views);
    for (const [address, replicas] of listed) lists.set(address, replicas);
    fewest = fewestReplicas(views, listed);
  };

  return {
    cluster: true,
    primaryOf: (key) => claims[slotOf(key)]?.address,
    addresses: () => [...known],
    primaries: () => [...new Set(claims.flatMap((claim) => (claim ? [claim.address] : [])))],
    replicasOf: (address) => lists.get(address)?.size ?? 0,
    fewestReplicas: () => fewest,
    endpoint,
    refresh() {
      round ??= askAll().finally(() => {
        round = undefined;
      });
      return round;
    },
    moved(slot, from, to) {
      known.add(to);
      const held = claims[slot];
      if (held?.address === from) claims[slot] = { id: '', address: to, epoch: held.epoch };
    },
  };
}

/** The views of the nodes that answer; those that hang are left behind soon after the first answer. */
async function firstAnswers(
  addresses: string[],
  endpoint: (address: string) => Endpoint,
  clock: Clock,
): Promise<ClusterNode[][]> {
  const views: ClusterNode[][] = [];
  const questions = addresses.map(async (address) => {
    const asked = endpoint(address);
    const [text] = await ask(asked, [['CLUSTER', 'NODES']]);
    if (typeof text !== 'string') throw new Error('no view');
    views.push(parseClusterNodes(text, asked));
  });
  const stop = new AbortController();
  const late = Promise.any(questions)
    .then(() => clock.sleep(stragglerMs, stop.signal))
    .catch(() => {});
  await Promise.race([Promise.allSettled(questions), late]);
  stop.abort();
  return [...views];
}

/** Some of them, others in each round: over several rounds every node is asked. */
function some(addresses: string[], count: number, round: number): string[] {
  const from = addresses.length === 0 ? 0 : (round * count) % addresses.length;
  return [...addresses.slice(from), ...addresses.slice(0, from)].slice(0, count);
}
