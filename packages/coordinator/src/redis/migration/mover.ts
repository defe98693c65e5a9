import { type Clock, WebfarerError } from '@webfarer/protocol';
import { lookAround, refuseOpenStore } from '../look-around.ts';
import { groupTag, storeTag } from '../keys.ts';
import { slotOf } from '../topology/slots.ts';
import { openStore, type RedisStore } from '../store.ts';
import { type ClusterAdmin, openAdmin, ownersIn, selvesIn, type Views } from './cluster-admin.ts';
import { closedGroups, type ClosedGroup } from './closed-groups.ts';
import { type MoveContext, moveGroup, open, primaryFor, type Route, stopped } from './move-group.ts';
import { type MoveNote, moveNotes } from './move-notes.ts';
import { type StoreStatus, statusOf } from './store-status.ts';

export interface MoverOptions {
  url: string;
  /** A store on another machine need not ask for a password. */
  insecure?: boolean;
  clock: Clock;
  onStep?: MoveContext['onStep'];
  /** Default true; see MoveContext. */
  closing?: boolean;
}

export interface Mover {
  /** Moves groups one after the other; answers those that had to move. */
  move(groups: readonly number[], to: string): Promise<number[]>;
  /** Groups whose slots are in this range; slots of no group hold nothing and stay where they are. */
  groupsIn(first: number, last: number): number[];
  /** Ends moves that were cut off, and opens what is closed for no reason any more. */
  resume(): Promise<{ moved: number[]; opened: number[]; stuck: ClosedGroup[] }>;
  status(): Promise<StoreStatus>;
  close(): Promise<void>;
}

export async function openMover(options: MoverOptions): Promise<Mover> {
  const { url, clock } = options;
  refuseOpenStore({ url, insecure: options.insecure ?? false });
  const { replicas } = await lookAround(url, clock);
  const admin = await openAdmin(url, clock);
  const store = await openStore({ url, replicas, everyReplica: true, clock });
  const context: MoveContext = {
    admin,
    store,
    notes: moveNotes(store, clock),
    clock,
    replicas,
    closing: options.closing ?? true,
    onStep: options.onStep ?? (() => {}),
  };
  const close = async (): Promise<void> => {
    admin.close();
    await store.close();
  };
  try {
    return { ...overContext(context, await groupsOf(store)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function groupsOf(store: RedisStore): Promise<number> {
  const [groups] = await store.run([{ key: storeTag, args: ['HGET', `${storeTag}v`, 'groups'] }]);
  if (typeof groups === 'string') return Number(groups);
  throw new WebfarerError('not-found', 'no crawl has been kept in this store yet', {
    next: 'Start one:  webfarer crawl example.org --store URL',
  });
}

function overContext(context: MoveContext, groups: number): Omit<Mover, 'close'> {
  const { admin, notes, store } = context;

  /** One mover at a time, from the first step to the last. */
  async function alone<T>(work: () => Promise<T>): Promise<T> {
    await notes.hold();
    try {
      return await work();
    } finally {
      await notes.letGo().catch(() => undefined);
    }
  }

  async function carryOut(note: MoveNote): Promise<void> {
    const route = await routeOf(admin, note);
    try {
      await moveGroup(context, note, route);
    } catch (error) {
      if (error instanceof WebfarerError) throw error;
      throw stopped((error as Error).message, error);
    }
  }

  return {
    move: (wanted, to) =>
      alone(async () => {
        if (!admin.topology.cluster) throw nowhere();
        for (const group of wanted) checkGroup(group, groups);
        const target = targetAt(await admin.views(), to);
        const noted = new Map((await notes.all()).map((note) => [note.group, note]));
        const moved: number[] = [];
        for (const group of wanted) {
          const owner = ownersIn(await admin.views())[slotOf(groupTag(group))];
          const before = noted.get(group);
          if (before?.step === 'copied') throw halfWay(group);
          if (owner?.id === target && before === undefined) continue;
          await carryOut({ group, from: owner?.id ?? '', to: target, step: 'copying', keys: 0 });
          moved.push(group);
        }
        return moved;
      }),
    groupsIn: (first, last) =>
      Array.from({ length: groups }, (_, group) => group).filter((group) => {
        const slot = slotOf(groupTag(group));
        return slot >= first && slot <= last;
      }),
    resume: () =>
      alone(async () => {
        const moved: number[] = [];
        for (const note of await notes.all()) {
          await carryOut(note);
          moved.push(note.group);
        }
        const closed = await closedGroups(admin, groups);
        const moving = new Set(selvesIn(await admin.views()).flatMap((node) => node.moving));
        const isStuck = ({ slot }: ClosedGroup) => moving.has(slot);
        const free = closed.filter((each) => !isStuck(each));
        for (const { group } of free) await open(store, group);
        return { moved, opened: free.map(({ group }) => group), stuck: closed.filter(isStuck) };
      }),
    status: async () => await statusOf({ admin, notes: await notes.all(), groups }),
  };
}

async function routeOf(admin: ClusterAdmin, note: MoveNote): Promise<Route> {
  const slot = slotOf(groupTag(note.group));
  const views = await admin.views();
  const owner = ownersIn(views)[slot];
  const selves = selvesIn(views);
  const source = selves.find(({ id }) => id === owner?.id);
  const target = primaryFor(selves, note.to);
  if (source === undefined) throw stopped(`no reachable node holds slot ${slot}`);
  if (target === undefined) throw stopped(`the node that group ${note.group} is moving to does not respond`);
  return { group: note.group, slot, source, target };
}

function targetAt(views: Views, to: string): string {
  const selves = selvesIn(views);
  const node = selves.find(({ address }) => address === to);
  const primaries = selves.filter(({ primary }) => primary).map(({ address }) => address);
  const next = `Choose one of: ${primaries.join(', ')}`;
  if (node === undefined)
    throw new WebfarerError('usage', `${to} is not a node of this cluster, or does not respond`, { next });
  if (!node.primary)
    throw new WebfarerError('usage', `${to} is a replica; groups move to primaries`, { next });
  return node.id;
}

function checkGroup(group: number, groups: number): void {
  if (Number.isInteger(group) && group >= 0 && group < groups) return;
  throw new WebfarerError('usage', `there is no group ${group}`, {
    next: `Groups are numbered 0 to ${groups - 1}; list them with:  webfarer store status --store URL`,
  });
}

function nowhere(): WebfarerError {
  return new WebfarerError('usage', 'the store is a single server, so there is no other shard', {
    next: 'Groups move between the primaries of a Redis or Valkey Cluster: name one with --store.',
  });
}

function halfWay(group: number): WebfarerError {
  return new WebfarerError('storage', `group ${group} is already moving and must arrive first`, {
    next: 'webfarer store move --resume --store URL, then move it on.',
  });
}
