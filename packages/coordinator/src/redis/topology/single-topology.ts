import { addressOf, type Endpoint, splitAddress } from '../address/address.ts';
import type { NatMap } from '../address/nat-map.ts';
import { ask } from '../wire/ask.ts';
import type { Topology } from './topology.ts';

export function onlineReplicas(info: string): number {
  return [...info.matchAll(/^slave\d+:.*state=online/gm)].length;
}

export function singleTopology(endpoint: Endpoint, nat: NatMap): Topology {
  const address = nat.inner(addressOf(endpoint));
  // One server has no list of its replicas; it knows those that are connected.
  let connected = 0;
  return {
    cluster: false,
    followed: false,
    primaryOf: () => address,
    addresses: () => [address],
    primaries: () => [address],
    replicasOf: () => connected,
    fewestReplicas: () => connected,
    endpoint: (other) => ({ ...endpoint, ...splitAddress(nat.outer(other)) }),
    async refresh() {
      const [info] = await ask(endpoint, [['INFO', 'replication']]).catch(() => []);
      if (typeof info === 'string') connected = onlineReplicas(info);
    },
    emptySlots: () => 0,
    moved: () => {},
  };
}
