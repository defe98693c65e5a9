import { type Clock, WebfarerError } from '@webfarer/protocol';
import type { ClusterNode } from '../topology/cluster-view.ts';
import { groupTag, isPassing, stateKey } from '../keys.ts';
import { scripts } from '../client/scripts.ts';
import type { RedisStore } from '../store.ts';
import { allKnow, type ClusterAdmin, ownersIn, selvesIn } from './cluster-admin.ts';
import type { MoveNote, MoveNotes } from './move-notes.ts';
import { copyKeys, eraseKeys, keysAt, missingAt, unlinkKeys } from './slot-keys.ts';

export const moveSteps = ['closed', 'copying', 'copied', 'emptied', 'claimed', 'opened'] as const;
export type MoveStep = (typeof moveSteps)[number];

export interface MoveContext {
  admin: ClusterAdmin;
  store: RedisStore;
  notes: MoveNotes;
  clock: Clock;
  /** Copies of each primary that must have everything. */
  replicas: number;
  /** For the control of a proof: false moves a group that is open, as it must not be. */
  closing: boolean;
  /** Told after each step, and of keys while they are copied; what it throws ends the move there. */
  onStep(group: number, step: MoveStep, keys: { done: number; all: number }): Promise<void> | void;
}

/** The nodes between which one slot moves, as they are now. */
export interface Route {
  group: number;
  slot: number;
  source: ClusterNode;
  target: ClusterNode;
}

/**
 * Moves one closed group (F7). Until the target has said that the slot is its own, the source is its owner and
 * answers CLOSED from a state key that is there to the last; from then on the target does, from its copy. So
 * nobody ever meets half a group, also after a failover of either, which forgets that a slot is on its way.
 * Every step can be repeated; the note says whether the source still counts.
 */
export async function moveGroup(context: MoveContext, note: MoveNote, route: Route): Promise<void> {
  const { notes, onStep } = context;
  const { group, slot, source, target } = route;
  let { keys } = note;
  const step = (name: MoveStep) => onStep(group, name, { done: keys, all: keys });
  await notes.hold();
  if (source.id !== target.id) {
    if (note.step === 'copying') {
      await notes.write(note);
      await close(context, group);
      await step('closed');
      keys = await copy(context, route);
      await notes.write({ ...note, step: 'copied', keys });
      await step('copied');
    }
    await empty(context, route, keys);
    await step('emptied');
    await claim(context, route);
  }
  await untilAllKnow(context, slot, target.id);
  await step('claimed');
  await cleanUp(context, note, slot);
  await open(context.store, group);
  await notes.remove(group);
  await step('opened');
}

async function close({ store, closing }: MoveContext, group: number): Promise<void> {
  if (closing) await store.run([{ key: stateKey(group), script: scripts.closeForMove, args: ['moving'] }]);
}

export async function open(store: RedisStore, group: number): Promise<void> {
  await store.run([{ key: stateKey(group), script: scripts.openAfterMove, args: [] }]);
}

/** Ends when the target and its replicas have every key of the manifest; answers how many those are. */
async function copy(context: MoveContext, { group, slot, source, target }: Route): Promise<number> {
  const { admin, notes, replicas, onStep } = context;
  await admin.ask(target.address, ['CLUSTER', 'SETSLOT', slot, 'IMPORTING', source.id]);
  // What an earlier attempt left there may be older than what the source has.
  await eraseKeys(admin, target.address, await keysAt(admin, target.address, slot));
  const names = await keysAt(admin, source.address, slot);
  await copyKeys(admin, { names, from: source.address, to: target.address }, async (done) => {
    await notes.hold();
    await onStep(group, 'copying', { done, all: names.length });
  });
  const manifest = names.filter((name) => !isPassing(name));
  const missing = await missingAt(admin, target.address, slot, manifest);
  if (missing.length > 0) throw incomplete(group, missing, target);
  const listed = admin.topology.replicasOf(target.address);
  await untilReplicated(context, target.address, Math.max(replicas, listed));
  return manifest.length;
}

/** WAIT speaks of everything the server wrote before the command in front of it. */
async function untilReplicated(
  { admin, clock }: MoveContext,
  address: string,
  replicas: number,
): Promise<void> {
  const begun = clock.now();
  for (;;) {
    const [, count] = await admin.ask(address, ['PING'], ['WAIT', replicas, 1_000]);
    if (Number(count) >= replicas) return;
    if (clock.now() - begun > patienceMs)
      throw stopped(`only ${Number(count)} of ${replicas} replicas of ${address} have the copy`);
  }
}

/** Everything but the state, which answers CLOSED to the last. A missing key is asked for elsewhere, never taken as none. */
async function empty({ admin, notes, store }: MoveContext, route: Route, keys: number): Promise<void> {
  const { group, slot, source, target } = route;
  const copied = (await keysAt(admin, target.address, slot)).filter((name) => !isPassing(name));
  if (copied.length !== keys)
    throw stopped(`${target.address} has ${copied.length} of the ${keys} keys of group ${group}`);
  // Both are forgotten by a failover.
  await admin.ask(target.address, ['CLUSTER', 'SETSLOT', slot, 'IMPORTING', source.id]);
  await admin.ask(source.address, ['CLUSTER', 'SETSLOT', slot, 'MIGRATING', target.id]);
  const names = await keysAt(admin, source.address, slot);
  const rest = names.filter((name) => name !== stateKey(group));
  await unlinkKeys(admin, source.address, rest, () => notes.hold());
  await store.run([{ key: groupTag(group), args: ['PING'] }]);
}

async function claim({ admin }: MoveContext, { slot, target }: Route): Promise<void> {
  await admin.ask(target.address, ['CLUSTER', 'SETSLOT', slot, 'NODE', target.id]);
}

const patienceMs = 20_000;

/** Before the group opens: otherwise a failover of the target could make the old owner the owner again. */
async function untilAllKnow({ admin, clock }: MoveContext, slot: number, id: string): Promise<void> {
  const begun = clock.now();
  while (!allKnow(await admin.views(), slot, id)) {
    if (clock.now() - begun > patienceMs) throw stopped(`not all nodes know which node holds slot ${slot}`);
    await clock.sleep(20);
  }
}

/**
 * A server that loses a slot throws away what it still has of it, without telling its replicas and its log
 * (seen with 7.0.15); after a restart it would take the slot for one on its way. So the rest is made and
 * erased once more, which both are told.
 */
async function cleanUp({ admin, clock }: MoveContext, note: MoveNote, slot: number): Promise<void> {
  const begun = clock.now();
  for (;;) {
    const views = await admin.views();
    const owner = ownersIn(views)[slot];
    const selves = selvesIn(views);
    const source = primaryFor(selves, note.from);
    if (source === undefined || owner === undefined || source.id === owner.id) return;
    const shard = selves.filter(({ id, of }) => id === source.id || of === source.id);
    const left = new Set([stateKey(note.group)]);
    for (const { address } of shard) for (const name of await keysAt(admin, address, slot)) left.add(name);
    await admin.ask(source.address, ['CLUSTER', 'SETSLOT', slot, 'IMPORTING', owner.id]);
    await eraseKeys(admin, source.address, [...left], true);
    await admin.ask(source.address, ['CLUSTER', 'SETSLOT', slot, 'STABLE']);
    const counts = await Promise.all(
      shard.map(({ address }) => admin.ask(address, ['CLUSTER', 'COUNTKEYSINSLOT', slot])),
    );
    if (counts.every(([count]) => count === 0)) return;
    if (clock.now() - begun > patienceMs)
      throw stopped(`${source.address} and its replicas still have keys of slot ${slot}`);
    await clock.sleep(50);
  }
}

/** The node itself while it is primary, or the one that stands in its place after a failover. */
export function primaryFor(view: ClusterNode[], id: string): ClusterNode | undefined {
  const node = view.find((each) => each.id === id);
  return node === undefined || node.primary ? node : view.find((each) => each.id === node.of);
}

function incomplete(group: number, missing: string[], { address }: ClusterNode): WebfarerError {
  return stopped(
    `${missing.length} keys of group ${group} did not arrive at ${address}, such as ${missing[0] ?? ''}`,
  );
}

export function stopped(what: string, cause?: unknown): WebfarerError {
  return new WebfarerError('storage', `the move has stalled: ${what}`, {
    next: 'Nothing is lost; the group stays closed, and crawls wait for it. Fix that, then run:  webfarer store move --resume --store URL',
    cause,
  });
}
