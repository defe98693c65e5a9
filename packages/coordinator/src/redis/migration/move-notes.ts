import { type Clock, WebfarerError } from '@webfarer/protocol';
import { replyArray } from '../reply-array.ts';
import { storeTag } from '../keys.ts';
import { operationId } from '../client/operation.ts';
import type { RedisStore } from '../store.ts';

/** What is written down of a group on its way, so that anybody can take it on from there. */
export interface MoveNote {
  group: number;
  /** Ids of the nodes; after a failover the one that follows in their place is meant. */
  from: string;
  to: string;
  /** `copied`: the target has all of it on every copy, and the source may be emptied. */
  step: 'copying' | 'copied';
  /** The manifest: keys that do not run out by themselves. */
  keys: number;
}

export interface MoveNotes {
  all(): Promise<MoveNote[]>;
  write(note: MoveNote): Promise<void>;
  remove(group: number): Promise<void>;
  /** One mover at a time; renewed by calling it again. */
  hold(): Promise<void>;
  /** Keeps movers away; any number of processes may erase crawls at the same time. */
  holdToErase(): Promise<void>;
  letGo(): Promise<void>;
}

const key = `${storeTag}m`;
const moverKey = `${storeTag}mover`;
/** Longer than any step; a mover that died is forgotten after it. */
const holdMs = 90_000;
/** Stands for whoever erases crawls, for longer than a step of that takes. */
const erasers = 'erasers';
const eraseMs = 30_000;

export function moveNotes(store: RedisStore, clock: Clock): MoveNotes {
  const me = operationId();
  let heldAt = Number.NEGATIVE_INFINITY;
  const run = async (...args: (string | number)[]) => {
    const [reply = null] = await store.run([{ key: storeTag, args }]);
    return reply;
  };

  return {
    async all() {
      const pairs = replyArray(await run('HGETALL', key)) as string[];
      return pairs.filter((_, n) => n % 2 === 1).map((text) => JSON.parse(text) as MoveNote);
    },
    async write(note) {
      await run('HSET', key, note.group, JSON.stringify(note));
    },
    async remove(group) {
      await run('HDEL', key, group);
    },
    async hold() {
      if (clock.now() - heldAt < holdMs / 10) return;
      await run('SET', moverKey, me, 'NX', 'PX', holdMs);
      const holder = await run('GET', moverKey);
      if (holder !== me) throw othersMove();
      heldAt = clock.now();
      await run('PEXPIRE', moverKey, holdMs);
    },
    async holdToErase() {
      await run('SET', moverKey, erasers, 'NX', 'PX', eraseMs);
      if ((await run('GET', moverKey)) !== erasers) throw othersMove();
      await run('PEXPIRE', moverKey, eraseMs);
    },
    async letGo() {
      const holder = await run('GET', moverKey);
      if (holder === me || holder === erasers) await run('DEL', moverKey);
    },
  };
}

function othersMove(): WebfarerError {
  return new WebfarerError('storage', 'another process is moving groups of this store', {
    next: 'Wait until it ends. If it died, run the same command again in 90 s; until then its lock is valid.',
  });
}
