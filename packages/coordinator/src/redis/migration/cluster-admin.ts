import type { Clock } from '@webfarer/protocol';
import { type Claim, type ClusterNode, mergeClaims, parseClusterNodes } from '../topology/cluster-view.ts';
import { type Connection, openConnection } from '../wire/connection.ts';
import { type Command, type Reply, ReplyError } from '../wire/resp.ts';
import { slotCount } from '../topology/slots.ts';
import { openTopology } from '../topology/open-topology.ts';
import type { Topology } from '../topology/topology.ts';

/** What every node that answers says of the cluster, by the address of the node. */
export type Views = Map<string, ClusterNode[]>;

/** Commands to single nodes, which the frontier never needs: only whoever moves groups does. */
export interface ClusterAdmin {
  topology: Topology;
  views(): Promise<Views>;
  /** Answers in order, error answers among them. */
  replies(address: string, commands: Command[]): Promise<Reply[]>;
  /** Answers in order; the first error answer is thrown. */
  ask(address: string, ...commands: Command[]): Promise<Reply[]>;
  close(): void;
}

/** A node may be busy with a large key. */
const times = { connectMs: 2_000, answerMs: 60_000 };

export async function openAdmin(url: string, clock: Clock): Promise<ClusterAdmin> {
  const topology = await openTopology(url, clock);
  const connections = new Map<string, Connection>();

  async function to(address: string): Promise<Connection> {
    const kept = connections.get(address);
    if (kept?.dead === false) return kept;
    const connection = await openConnection(topology.endpoint(address), times);
    connections.set(address, connection);
    return connection;
  }

  const replies = async (address: string, commands: Command[]) =>
    await (await to(address)).pipeline(commands);

  async function ask(address: string, ...commands: Command[]): Promise<Reply[]> {
    const answers = await replies(address, commands);
    for (const reply of answers)
      if (reply instanceof ReplyError) throw new Error(`${address} answered: ${reply.text}`);
    return answers;
  }

  async function viewOf(address: string): Promise<ClusterNode[] | undefined> {
    const [text] = await ask(address, ['CLUSTER', 'NODES']).catch(() => []);
    return typeof text === 'string' ? parseClusterNodes(text, topology.endpoint(address)) : undefined;
  }

  return {
    topology,
    replies,
    ask,
    async views() {
      await topology.refresh();
      if (!topology.cluster) return oneServer(topology);
      const found = await Promise.all(
        topology.addresses().map(async (address) => [address, await viewOf(address)] as const),
      );
      return new Map(found.flatMap(([address, view]) => (view === undefined ? [] : [[address, view]])));
    },
    close() {
      for (const connection of connections.values()) connection.end('done');
    },
  };
}

/** One server alone holds everything. */
function oneServer(topology: Topology): Views {
  const [address = ''] = topology.addresses();
  const alone = { id: address, primary: true, of: '', failed: false, electable: false, epoch: 0, moving: [] };
  return new Map([[address, [{ ...alone, address, slots: [{ from: 0, to: slotCount - 1 }] }]]]);
}

/** Who holds each slot, by the newest claim. */
export function ownersIn(views: Views): (Claim | undefined)[] {
  const claims = Array<Claim | undefined>(slotCount).fill(undefined);
  mergeClaims(claims, [...views.values()]);
  return claims;
}

/** What each node says of itself: the rest is hearsay. */
export function selvesIn(views: Views): ClusterNode[] {
  return [...views].flatMap(([address, view]) => view.filter((node) => node.address === address));
}

/** Whether every node that answers has heard that the slot is this node's. */
export function allKnow(views: Views, slot: number, id: string): boolean {
  return [...views.values()].every((view) =>
    view.some((node) => node.id === id && node.slots.some(({ from, to }) => slot >= from && slot <= to)),
  );
}
