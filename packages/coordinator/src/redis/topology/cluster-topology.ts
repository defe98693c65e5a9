import type { Clock } from '@webfarer/protocol';
import { addressOf, type Endpoint, splitAddress } from '../address/address.ts';
import type { NatMap } from '../address/nat-map.ts';
import { ask } from '../wire/ask.ts';
import {
  type Claim,
  type ClusterNode,
  fewestReplicas,
  mergeClaims,
  parseClusterNodes,
  replicaLists,
} from './cluster-view.ts';
import { slotCount, slotOf } from './slots.ts';
import type { Topology } from './topology.ts';

/** How many nodes a round asks: one alone may be cut off from the rest without knowing it. */
const askedPerRound = 5;
/** After the first answer the others have this long. */
const stragglerMs = 250;

export function clusterTopology(seeds: Endpoint[], nat: NatMap, clock: Clock): Topology {
  const [shared] = seeds as [Endpoint];
  const known = new Set(seeds.map(addressOf).map(nat.inner));
  const claims = new Array<Claim | undefined>(slotCount).fill(undefined);
  const lists = new Map<string, ReadonlySet<string>>();
  let fewest = 0;
  let isHeard = false;
  let round: Promise<void> | undefined;
  let rounds = 0;
  const endpoint = (address: string): Endpoint => ({ ...shared, ...splitAddress(nat.outer(address)) });

  const askAll = async (): Promise<void> => {
    const views = await firstAnswers(some([...known], askedPerRound, rounds++), endpoint, clock);
    for (const { address } of views.flat()) if (address !== '') known.add(address);
    mergeClaims(claims, views);
    if (views.length === 0) return;
    isHeard = true;
    const listed = replicaLists(views);
    for (const [address, replicas] of listed) lists.set(address, replicas);
    fewest = fewestReplicas(views, listed);
  };

  return {
    cluster: true,
    followed: false,
    primaryOf: (key) => claims[slotOf(key)]?.address,
    addresses: () => [...known],
    primaries: () => [...new Set(claims.flatMap((claim) => (claim ? [claim.address] : [])))],
    replicasOf: (address) => lists.get(address)?.size ?? 0,
    fewestReplicas: () => fewest,
    endpoint,
    emptySlots: () => (isHeard ? claims.filter((claim) => claim === undefined).length : 0),
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
