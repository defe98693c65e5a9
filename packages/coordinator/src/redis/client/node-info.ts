import { addressOf } from '../address/address.ts';
import { type Asked, parseClusterNodes } from '../topology/cluster-view.ts';
import type { Reply } from '../wire/resp.ts';
import { ask } from '../wire/ask.ts';
import type { Topology } from '../topology/topology.ts';

/** Settings that decide what the store can promise (F6). */
export const settingNames = [
  'appendonly',
  'appendfsync',
  'no-appendfsync-on-rewrite',
  'maxmemory-policy',
  'min-replicas-to-write',
  'cluster-replica-validity-factor',
  'cluster-allow-replica-migration',
] as const;
export type SettingName = (typeof settingNames)[number];

export interface NodeInfo {
  address: string;
  reachable: boolean;
  role: 'primary' | 'replica' | 'unknown';
  /** Address of the primary, for a replica. */
  of?: string;
  version: string;
  usedMemoryBytes: number;
  /** Replicas a primary has in step now. */
  linkedReplicas: number;
  /** Replicas of a primary that could be elected, as the cluster lists them: those that are unreachable, too. */
  listedReplicas: number;
  /** How many slots it holds, in a cluster. */
  slots: number;
  /** Slots it is giving away or taking: their groups must be closed (F7). */
  movingSlots: number[];
  settings: Partial<Record<SettingName, string>>;
}

export async function readNodes(topology: Topology): Promise<NodeInfo[]> {
  await topology.refresh();
  const nodes = await Promise.all(topology.addresses().map((address) => readNode(topology, address)));
  if (topology.cluster) return nodes.map(({ node }) => node);
  // One server alone does not name its replicas in a map; it counts those that follow it.
  const followers = nodes.flatMap(({ replicas }) => replicas);
  const more = await Promise.all(followers.map((address) => readNode(topology, address)));
  return [...nodes, ...more].map(({ node }) => node);
}

interface Read {
  node: NodeInfo;
  /** Addresses of those that follow it now. */
  replicas: string[];
}

async function readNode(topology: Topology, address: string): Promise<Read> {
  const node: NodeInfo = {
    address,
    reachable: false,
    role: 'unknown',
    version: '',
    usedMemoryBytes: 0,
    linkedReplicas: 0,
    listedReplicas: topology.replicasOf(address),
    slots: 0,
    movingSlots: [],
    settings: {},
  };
  const questions = [
    ['INFO'],
    ...(topology.cluster ? [['CLUSTER', 'NODES']] : []),
    ...settingNames.map((name) => ['CONFIG', 'GET', name]),
  ];
  const replies = await ask(topology.endpoint(address), questions).catch(() => undefined);
  if (replies === undefined) return { node, replicas: [] };
  const [first, ...rest] = replies;
  const info = typeof first === 'string' ? first : '';
  node.reachable = true;
  readInfo(node, info);
  if (topology.cluster) readSlots(node, topology.endpoint(address), rest.shift());
  settingNames.forEach((name, n) => {
    const pair = rest[n];
    if (Array.isArray(pair) && typeof pair[1] === 'string') node.settings[name] = pair[1];
  });
  return { node, replicas: followersIn(info) };
}

function followersIn(info: string): string[] {
  return [...info.matchAll(/^slave\d+:ip=([^,]+),port=(\d+),state=online/gm)].map(([, host = '', port]) =>
    addressOf({ host, port: Number(port) }),
  );
}

function readInfo(node: NodeInfo, info: string): void {
  const field = (name: string): string => new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
  node.version = field('valkey_version') || field('redis_version');
  node.usedMemoryBytes = Number(field('used_memory'));
  if (field('role') === 'master') {
    node.role = 'primary';
    node.linkedReplicas = followersIn(info).length;
  } else {
    node.role = 'replica';
    node.of = addressOf({ host: field('master_host'), port: Number(field('master_port')) });
  }
}

/** A node tells only of itself which slots are on their way. */
function readSlots(node: NodeInfo, asked: Asked, text: Reply | undefined): void {
  if (typeof text !== 'string') return;
  const own = parseClusterNodes(text, asked).find(({ address }) => address === node.address);
  node.slots = own?.slots.reduce((sum, { from, to }) => sum + to - from + 1, 0) ?? 0;
  node.movingSlots = own?.moving ?? [];
}

/** A node that does not answer gives nothing away for now. */
export async function readMoving(topology: Topology): Promise<Set<number>> {
  if (!topology.cluster) return new Set();
  const found = topology.addresses().map(async (address) => {
    const asked = topology.endpoint(address);
    const [text] = await ask(asked, [['CLUSTER', 'NODES']]).catch(() => []);
    return typeof text === 'string' ? parseClusterNodes(text, asked).flatMap(({ moving }) => moving) : [];
  });
  return new Set((await Promise.all(found)).flat());
}
