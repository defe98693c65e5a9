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
  /** 0: without a bound. */
  maxMemoryBytes: number;
  opsPerSecond: number;
  /** Since it started. */
  evictedKeys: number;
  /** Whether it logs its writes to disk. */
  logsWrites: boolean;
  /** Whether the last write of the log, its last rewrite and the last snapshot worked. */
  lastWriteOk: boolean;
  /** Of a replica: whether it is connected to its primary. */
  linkUp?: boolean;
  /** Of a replica: how far it is behind, as its primary says, and how long ago it last acknowledged. */
  lagBytes?: number;
  lagMs?: number;
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
  if (topology.cluster) return withLag(nodes);
  // One server alone does not name its replicas in a map; it counts those that follow it.
  const followers = nodes.flatMap((each) => each.followers);
  const more = await Promise.all(followers.map(({ address }) => readNode(topology, address)));
  return withLag([...nodes, ...more]);
}

/** A replica does not know how far its primary has come. */
function withLag(read: readonly Read[]): NodeInfo[] {
  const followed = new Map(read.flatMap(({ followers }) => followers.map((one) => [one.address, one])));
  return read.map(({ node }) => {
    const { lagBytes, lagMs } = followed.get(node.address) ?? {};
    if (node.role !== 'replica' || lagBytes === undefined || lagMs === undefined) return node;
    return { ...node, lagBytes, lagMs };
  });
}

interface Read {
  node: NodeInfo;
  /** Those that follow it now. */
  followers: Follower[];
}

interface Follower {
  address: string;
  lagBytes: number;
  lagMs: number;
}

async function readNode(topology: Topology, address: string): Promise<Read> {
  const node: NodeInfo = {
    address,
    reachable: false,
    role: 'unknown',
    version: '',
    usedMemoryBytes: 0,
    maxMemoryBytes: 0,
    opsPerSecond: 0,
    evictedKeys: 0,
    logsWrites: false,
    lastWriteOk: true,
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
  if (replies === undefined) return { node, followers: [] };
  const [first, ...rest] = replies;
  const info = typeof first === 'string' ? first : '';
  node.reachable = true;
  readInfo(node, info);
  if (topology.cluster) readSlots(node, topology.endpoint(address), rest.shift());
  settingNames.forEach((name, n) => {
    const pair = rest[n];
    if (Array.isArray(pair) && typeof pair[1] === 'string') node.settings[name] = pair[1];
  });
  return { node, followers: followersIn(info) };
}

function followersIn(info: string): Follower[] {
  const written = Number(fieldOf(info, 'master_repl_offset'));
  const lines = info.matchAll(/^slave\d+:ip=([^,]+),port=(\d+),state=online,offset=(\d+),lag=(\d+)/gm);
  return Array.from(lines, ([, host = '', port, offset, lag]) => ({
    address: addressOf({ host, port: Number(port) }),
    lagBytes: Math.max(0, written - Number(offset)),
    lagMs: Number(lag) * 1_000,
  }));
}

const fieldOf = (info: string, name: string): string =>
  // allow(expression): of the names that this file asks for
  new RegExp(`^${name}:(.*?)\\r?$`, 'm').exec(info)?.[1] ?? '';
/** Of what a server does with its disk. */
const writes = ['aof_last_write_status', 'aof_last_bgrewrite_status', 'rdb_last_bgsave_status'];

function readInfo(node: NodeInfo, info: string): void {
  const field = (name: string): string => fieldOf(info, name);
  node.version = field('valkey_version') || field('redis_version');
  node.usedMemoryBytes = Number(field('used_memory'));
  node.maxMemoryBytes = Number(field('maxmemory'));
  node.opsPerSecond = Number(field('instantaneous_ops_per_sec'));
  node.evictedKeys = Number(field('evicted_keys'));
  node.logsWrites = field('aof_enabled') === '1';
  node.lastWriteOk = writes.every((name) => field(name) !== 'err');
  if (field('role') === 'master') {
    node.role = 'primary';
    node.linkedReplicas = followersIn(info).length;
  } else {
    node.role = 'replica';
    node.linkUp = field('master_link_status') === 'up';
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
