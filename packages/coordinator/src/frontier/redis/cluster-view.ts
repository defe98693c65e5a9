import { addressOf } from './address.ts';
import { slotCount } from './slots.ts';

/** One node as some node of the cluster describes it. */
export interface ClusterNode {
  id: string;
  address: string;
  primary: boolean;
  /** The primary's id, for a replica. */
  of: string | undefined;
  /** Grows with every failover and every move of a slot: the higher claim to a slot is the newer one. */
  epoch: number;
  /** Suspected or known to be gone. */
  failed: boolean;
  slots: { from: number; to: number }[];
  /** Slots this node is giving away or taking; only told by the node about itself. */
  moving: number;
}

/** Reads the answer to CLUSTER NODES. A node that does not know its own address is where we asked it. */
export function parseClusterNodes(text: string, askedHost: string): ClusterNode[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const [id = '', where = '', flagText = '', of = '-', , , epoch = '0', , ...ranges] = line
        .trim()
        .split(' ');
      const flags = flagText.split(',');
      if (flags.includes('noaddr') || flags.includes('handshake')) return [];
      return [
        {
          id,
          address: readAddress(where, askedHost),
          primary: flags.includes('master'),
          of: of === '-' ? undefined : of,
          epoch: Number(epoch),
          failed: flags.includes('fail') || flags.includes('fail?'),
          slots: ranges.filter((range) => !range.startsWith('[')).map(readRange),
          moving: ranges.filter((range) => range.startsWith('[')).length,
        },
      ];
    });
}

/** `ip:port@busport[,hostname[,...]]`; the ip may hold colons, or be missing. */
function readAddress(where: string, askedHost: string): string {
  const [plain = ''] = where.split('@');
  const colon = plain.lastIndexOf(':');
  return addressOf({ host: plain.slice(0, colon) || askedHost, port: Number(plain.slice(colon + 1)) });
}

function readRange(text: string): { from: number; to: number } {
  const [from, to = from] = text.split('-').map(Number);
  return { from: from as number, to: to as number };
}

/**
 * Who holds each slot, by the claim of the highest epoch among all answers. One answer alone is not enough:
 * an old primary that is cut off believes in itself for ever.
 */
export function slotOwners(views: ClusterNode[][]): (string | undefined)[] {
  const owners = new Array<string | undefined>(slotCount).fill(undefined);
  const epochs = new Float64Array(slotCount).fill(-1);
  for (const node of views.flat()) {
    if (!node.primary) continue;
    for (const { from, to } of node.slots) {
      for (let slot = from; slot <= to; slot++) {
        if (node.epoch <= (epochs[slot] as number)) continue;
        epochs[slot] = node.epoch;
        owners[slot] = node.address;
      }
    }
  }
  return owners;
}
