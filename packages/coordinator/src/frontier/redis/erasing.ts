import { type Clock, type CrawlId, WebfarerError } from '@webfarer/protocol';
import { scripts } from '../../redis/client/scripts.ts';
import { groupsReader } from '../../redis/crawl-groups.ts';
import { crawlIn, hostIn, patternOf, storeTag } from '../../redis/keys.ts';
import { type MoveNotes, moveNotes } from '../../redis/migration/move-notes.ts';
import type { RedisStore } from '../../redis/store.ts';
import { groupRunner } from '../../redis/group-runner.ts';
import { replyArray } from '../../redis/reply-array.ts';

/** A crawl that is to be erased. */
export interface DeletedCrawl {
  id: CrawlId;
  /** Tells it from another crawl of the same id; '' means any, for a crawl that is not in the catalog. */
  nonce: string;
}

export interface Erasing {
  store: RedisStore;
  clock: Clock;
  /** For tests that simulate time: `given`. */
  time: 'store' | 'given' | 'blind';
  /** Told how many keys are gone so far. */
  onKeys: (erased: number) => void;
}

/** Erased by one command. */
const keysAtOnce = 500;
/** A crawl has no new keys once it is out of the list; more passes are for what moved or failed over meanwhile. */
const passes = 5;

/**
 * Erases crawls and everything the store keeps of them; answers how many keys. May be cut off at any point and done
 * again, by any process. Other processes may still work on them: the list forgets a crawl first, so that a new one of
 * its id is another one; then every group that it has come into, so that whatever is reported later is refused and nothing is written; then
 * its keys go, in bounded steps (F13, F16). All crawls together cost one scan over the keys of the store.
 */
export async function eraseCrawls(
  { store, clock, time, onKeys }: Erasing,
  crawls: readonly DeletedCrawl[],
): Promise<number> {
  const notes = moveNotes(store, clock);
  // A group on its way would be met by halves.
  await notes.holdToErase();
  try {
    const listed = new Map<string, string>();
    for (const crawl of crawls)
      for (const [c, groups] of await unregister(store, crawl)) listed.set(c, groups);
    if (listed.size === 0) return 0;
    const numbers = [...listed.keys()];
    const forgetIn = await forgetter({ store, clock, time });
    for (const [c, groups] of listed) await forgetIn.groups(c, groups);
    const erased = await eraseKeys({ store, notes, onKeys, forgetIn }, numbers);
    const lists = [`${storeTag}t`, `${storeTag}tg`];
    await store.run(lists.map((list) => ({ key: storeTag, args: ['HDEL', list, ...numbers] })));
    return erased;
  } finally {
    await notes.letGo().catch(() => undefined);
  }
}

/** Numbers, and the groups that each has come into. */
async function unregister(store: RedisStore, { id, nonce }: DeletedCrawl): Promise<[string, string][]> {
  const [reply = null] = await store.run([{ key: storeTag, script: scripts.unregister, args: [id, nonce] }]);
  const flat = replyArray(reply) as string[];
  return flat.flatMap((c, i): [string, string][] => (i % 2 === 0 ? [[c, flat[i + 1] ?? 'all']] : []));
}

interface KeyErasing extends Pick<Erasing, 'store' | 'onKeys'> {
  notes: MoveNotes;
  forgetIn: Forgetter;
}

async function eraseKeys(
  { store, notes, onKeys, forgetIn }: KeyErasing,
  numbers: readonly string[],
): Promise<number> {
  const wanted = new Set(numbers);
  let erased = 0;
  for (let pass = 1; ; pass++) {
    let found = 0;
    for await (const keys of store.scan(patternOf(numbers))) {
      const own = keys.filter((key) => wanted.has(crawlIn(key) ?? ''));
      if (own.length === 0) continue;
      await notes.holdToErase();
      await forgetIn.hosts(own);
      erased += await unlink(store, own);
      found += own.length;
      onKeys(erased);
    }
    if (found === 0) return erased;
    if (pass === passes) throw notAll();
  }
}

async function unlink(store: RedisStore, keys: string[]): Promise<number> {
  let erased = 0;
  for (let from = 0; from < keys.length; from += keysAtOnce) {
    const replies = await store.run(
      keys.slice(from, from + keysAtOnce).map((key) => ({ key, args: ['UNLINK', key] })),
    );
    for (const reply of replies) erased += Number(reply);
  }
  return erased;
}

interface Forgetter {
  /** The crawl is no more in these groups. */
  groups(c: string, groups: string): Promise<void>;
  /** Hosts that these keys are about name their crawls no more. */
  hosts(keys: string[]): Promise<void>;
}

async function forgetter({
  store,
  clock,
  time,
}: Pick<Erasing, 'store' | 'clock' | 'time'>): Promise<Forgetter> {
  const [count] = await store.run([{ key: storeTag, args: ['HGET', `${storeTag}v`, 'groups'] }]);
  const runner = groupRunner({
    store,
    clock,
    time,
    longestHoldMs: () => 0,
    seen: () => {},
    doubtful: () => {},
  });
  const script = scripts.forget;
  const readGroups = groupsReader(Number(count));
  return {
    async groups(c, groups) {
      await runner.run(readGroups(groups).list.map((group) => ({ group, script, args: [c] })));
    },
    async hosts(keys) {
      const places = Map.groupBy(
        keys.map((key) => hostIn(key)).filter((place) => place !== undefined),
        ({ c, group }) => `${c} ${group}`,
      );
      await runner.run(
        [...places.values()].flatMap((all) => {
          const [first] = all;
          return first
            ? [{ group: first.group, script, args: [first.c, ...all.map(({ host }) => host)] }]
            : [];
        }),
      );
    },
  };
}

function notAll(): WebfarerError {
  return new WebfarerError('storage', 'keys of a deleted crawl keep turning up', {
    next: 'A part of the store is being moved, or comes back after a failure. The deletion resumes by itself in a coordinator; otherwise run the same command again later.',
  });
}
