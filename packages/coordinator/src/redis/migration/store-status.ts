import { asideKey, groupTag } from '../keys.ts';
import { slotOf } from '../topology/slots.ts';
import { askEachGroup, type ClosedGroup, closedGroups } from './closed-groups.ts';
import { type ClusterAdmin, ownersIn, selvesIn } from './cluster-admin.ts';
import type { MoveNote } from './move-notes.ts';

export interface ShardStatus {
  address: string;
  /** Replicas that answer, and those that the cluster lists. */
  replicas: number;
  listedReplicas: number;
  groups: number[];
  keys: number;
  memoryBytes: number;
}

export interface StoreStatus {
  shards: ShardStatus[];
  /** Moves under way, or cut off. */
  moves: { group: number; to: string; step: MoveNote['step'] }[];
  closed: ClosedGroup[];
  /** Groups whose slot is on its way although no move is noted. */
  halfMoved: number[];
  /** Groups with texts that could not be read and were set aside, and how many. */
  setAside: { group: number; texts: number }[];
}

export interface StatusSources {
  admin: ClusterAdmin;
  notes: MoveNote[];
  groups: number;
}

export async function statusOf({ admin, notes, groups }: StatusSources): Promise<StoreStatus> {
  const views = await admin.views();
  const owners = ownersIn(views);
  const selves = selvesIn(views);
  const all = Array.from({ length: groups }, (_, group) => group);
  const moving = new Set(selves.flatMap((node) => node.moving));
  const noted = new Set(notes.map(({ group }) => group));
  const addressOf = (id: string) => selves.find((node) => node.id === id)?.address ?? 'a node that has left';
  const listed = (address: string) => admin.topology.replicasOf(address);
  const shards = selves
    .filter(({ primary }) => primary)
    .map(async ({ id, address }) => ({
      address,
      replicas: admin.topology.cluster ? selves.filter(({ of }) => of === id).length : listed(address),
      listedReplicas: listed(address),
      groups: all.filter((group) => owners[slotOf(groupTag(group))]?.id === id),
      ...(await sizeOf(admin, address)),
    }));
  return {
    shards: await Promise.all(shards),
    moves: notes.map(({ group, to, step }) => ({ group, to: addressOf(to), step })),
    closed: await closedGroups(admin, groups),
    halfMoved: all.filter((group) => moving.has(slotOf(groupTag(group))) && !noted.has(group)),
    setAside: await setAsideIn(admin, groups),
  };
}

async function setAsideIn(admin: ClusterAdmin, groups: number): Promise<StoreStatus['setAside']> {
  const counts = await askEachGroup(admin, groups, (group) => ['HGET', asideKey(group), '#']);
  return counts.flatMap(({ group, reply }) =>
    typeof reply === 'string' ? [{ group, texts: Number(reply) }] : [],
  );
}

async function sizeOf(
  admin: ClusterAdmin,
  address: string,
): Promise<Pick<ShardStatus, 'keys' | 'memoryBytes'>> {
  const [keys, info] = await admin.ask(address, ['DBSIZE'], ['INFO', 'memory']);
  return {
    keys: Number(keys),
    memoryBytes: Number(/^used_memory:(\d+)/m.exec(typeof info === 'string' ? info : '')?.[1] ?? 0),
  };
}
