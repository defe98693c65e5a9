import { addressOf } from '../address/address.ts';
import { slotCount } from './slots.ts';

/** One node as some node of the cluster describes it. */
export interface ClusterNode {
  id: string;
  address: string;
  primary: boolean;
  /** Id of the primary it follows; empty for a primary. */
  of: string;
  /** The cluster has agreed that it is gone. */
  failed: boolean;
  /** Whether a replica may become primary; false where its operator ruled that out. */
  electable: boolean;
  /** Grows with every failover and every move of a slot: the higher claim to a slot is the newer one. */
  epoch: number;
  slots: { from: number; to: number }[];
  /** Slots this node is giving away or taking; only told by the node about itself. */
  moving: number[];
}

/** Who was asked: a node that does not know its own address is there. */
export interface Asked {
  host: string;
  /** Certificates name hosts, not addresses. */
  tls: boolean;
}

/** Reads the answer to CLUSTER NODES. */
export function parseClusterNodes(text: string, asked: Asked): ClusterNode[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const [id = '', where = '', flagText = '', of = '', , , epoch = '0', , ...ranges] = line
        .trim()
        .split(' ');
      const flags = flagText.split(',');
      if (flags.includes('handshake')) return [];
      return [
        {
          id,
          // A node that has lost its address may come back, and then it may be elected.
          address: flags.includes('noaddr') ? '' : readAddress(where, asked),
          primary: flags.includes('master'),
          of: of === '-' ? '' : of,
          failed: flags.includes('fail'),
          electable: !flags.includes('nofailover'),
          epoch: Number(epoch),
          slots: ranges.filter((range) => !range.startsWith('[')).map(readRange),
          moving: ranges
            .filter((range) => range.startsWith('['))
            .map((range) => Number.parseInt(range.slice(1), 10)),
        },
      ];
    });
}

/** `ip:port@busport[,hostname[,...]]`; the ip may hold colons, or be missing. */
function readAddress(where: string, asked: Asked): string {
  const [plain = '', rest = ''] = where.split('@');
  const [, hostname = ''] = rest.split(',');
  const colon = plain.lastIndexOf(':');
  const host = (asked.tls && hostname) || plain.slice(0, colon) || asked.host;
  return addressOf({ host, port: Number(plain.slice(colon + 1)) });
}

function readRange(text: string): { from: number; to: number } {
  const [from, to = from] = text.split('-').map(Number);
  return { from: from as number, to: to as number };
}

/** Who holds a slot, by the highest epoch ever heard of. */
export interface Claim {
  /** The node's id; empty where only its address is known. */
  id: string;
  address: string;
  epoch: number;
}

/**
 * Takes over what views say about the slots. Only a higher epoch replaces a claim: one answer alone may come
 * from an old primary that is cut off and believes in itself for ever.
 */
export function mergeClaims(claims: (Claim | undefined)[], views: ClusterNode[][]): void {
  for (const { id, address, epoch, primary, slots } of views.flat()) {
    if (!primary || address === '') continue;
    const claim: Claim = { id, address, epoch };
    for (const { from, to } of slots) {
      for (let slot = from; slot <= Math.min(to, slotCount - 1); slot++) {
        const held = claims[slot];
        const isNewer = held === undefined || epoch > held.epoch;
        // The same claim may come from a new address, and replaces a hint of the same age.
        if (isNewer || (epoch === held.epoch && (held.id === id || held.id === ''))) claims[slot] = claim;
      }
    }
  }
}

/** Ids of the replicas of each primary that could be elected, by the primary's address. */
export type ReplicaLists = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * What views say together: a replica counts where any view lists it, whether it is reachable or not. One that is gone
 * for good counts until every node has been told to forget it.
 */
export function replicaLists(views: ClusterNode[][]): ReplicaLists {
  const lists = new Map<string, Set<string>>();
  for (const view of views) {
    const primaries = new Map(view.filter(({ primary }) => primary).map(({ id, address }) => [id, address]));
    for (const address of primaries.values()) if (!lists.has(address)) lists.set(address, new Set());
    for (const { id, of, electable } of view) {
      if (electable) lists.get(primaries.get(of) ?? '')?.add(id);
    }
  }
  lists.delete('');
  return lists;
}

/**
 * The smallest number of replicas that any shard has. A primary that failed and has lost its slots comes back as a
 * replica of the one that took its place, so it counts for the shard that has the fewest.
 */
export function fewestReplicas(views: ClusterNode[][], lists: ReplicaLists): number {
  const nodes = views.flat();
  const holders = new Set(nodes.filter(({ slots }) => slots.length > 0).map(({ address }) => address));
  const counts = [...holders].map((address) => lists.get(address)?.size ?? 0);
  const deposed = new Set(
    nodes.filter(({ primary, failed, slots }) => primary && failed && slots.length === 0).map(({ id }) => id),
  );
  for (const _ of deposed) {
    counts.sort((a, b) => a - b);
    counts[0] = (counts[0] ?? 0) + 1;
  }
  return counts.length === 0 ? 0 : Math.min(...counts);
}
