import type { Clock } from '@webfarer/protocol';
import { addressOf, parseStoreUrl, splitAddress } from './address.ts';
import { type Claim, type ClusterNode, mergeClaims, parseClusterNodes } from './cluster-view.ts';
import { ConnectionLost, type ConnectionTimes, type Endpoint, openConnection } from './connection.ts';
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
  if (!isCluster) return singleTopology(seeds[0] as Endpoint);
  const topology = clusterTopology(seeds, clock);
  await topology.refresh();
  return topology;
}

async function saysCluster(seed: Endpoint): Promise<boolean> {
  const [info] = await ask(seed, [['INFO', 'cluster']]);
  if (typeof info === 'string') return info.includes('cluster_enabled:1');
  const why = info instanceof ReplyError ? info.text : 'no text';
  throw new ConnectionLost(`${addressOf(seed)}: ${why}`, { sent: true });
}

function singleTopology(endpoint: Endpoint): Topology {
  const address = addressOf(endpoint);
  return {
    cluster: false,
    primaryOf: () => address,
    addresses: () => [address],
    primaries: () => [address],
    endpoint: (other) => ({ ...endpoint, ...splitAddress(other) }),
    refresh: () => Promise.resolve(),
    moved: () => {},
  };
}

function clusterTopology(seeds: Endpoint[], clock: Clock): Topology {
  const [shared] = seeds as [Endpoint];
  const known = new Set(seeds.map(addressOf));
  const claims = new Array<Claim | undefined>(slotCount).fill(undefined);
  let round: Promise<void> | undefined;
  const endpoint = (address: string): Endpoint => ({ ...shared, ...splitAddress(address) });

  const askAll = async (): Promise<void> => {
    const views = await firstAnswers(some([...known], askedPerRound), endpoint, clock);
    for (const { address } of views.flat()) known.add(address);
    mergeClaims(claims, views);
  };

  return {
    cluster: true,
    primaryOf: (key) => claims[slotOf(key)]?.address,
    addresses: () => [...known],
    primaries: () => [...new Set(claims.flatMap((claim) => (claim ? [claim.address] : [])))],
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

/** Some of them at random: over several rounds every node is asked. */
function some(addresses: string[], count: number): string[] {
  const left = [...addresses];
  const chosen: string[] = [];
  while (chosen.length < count && left.length > 0)
    chosen.push(...left.splice(Math.floor(Math.random() * left.length), 1));
  return chosen;
}
