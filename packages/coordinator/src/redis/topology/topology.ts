import type { Endpoint } from '../address/address.ts';

/** Who holds what in a store, and how to connect to them. */
export interface Topology {
  readonly cluster: boolean;
  /** Whether another server can become the primary without an error here: then it is asked for again and again. */
  readonly followed: boolean;
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
  /** Slots that nobody is known to hold. */
  emptySlots(): number;
  /** Asks again; calls during a round share it. Where nobody answers the map stays as it was. */
  refresh(): Promise<void>;
  /** `from` said that it does not hold the slot but `to` does: believed until the next round says otherwise. */
  moved(slot: number, from: string, to: string): void;
}
