import { type Clock, type CrawlState, WebfarerError } from '@webfarer/protocol';
import type { TokenStore } from '../../link/tokens.ts';
import type { Catalog } from '../../catalog/catalog.ts';
import { openRedisCatalog } from '../../catalog/redis-catalog.ts';
import { redisTokens } from '../../redis/redis-tokens.ts';
import { groupRunner, replyArray } from './group-runner.ts';
import { lookAround, refuseOpenStore } from '../../redis/join-store.ts';
import { hostIn, isKeyOf, patternOf, storeTag } from '../../redis/keys.ts';
import { type MoveNotes, moveNotes } from '../../redis/migration/move-notes.ts';
import { scripts } from '../../redis/client/scripts.ts';
import { openStore, type RedisStore } from '../../redis/store.ts';

export interface ListedCrawl {
  name: string;
  state: CrawlState;
  /** Somebody asks for its URLs at the moment. */
  alive: boolean;
}

export interface StoreCrawls {
  crawls: ListedCrawl[];
  /** Names of those whose erasing was cut off. */
  halfErased: string[];
}

export interface StoreKeeper {
  list(): Promise<StoreCrawls>;
  readonly catalog: Catalog;
  /** Erases a crawl and everything of it; answers how many keys. May be cut off at any point and done again. */
  forget(name: string, onKeys?: (erased: number) => void): Promise<number>;
  readonly tokens: TokenStore;
  close(): Promise<void>;
}

/** Erased by one command. */
const keysAtOnce = 500;
/** A crawl has no new keys once it is out of the list; more passes are for what moved or failed over meanwhile. */
const passes = 5;

export async function openKeeper(options: {
  url: string;
  insecure?: boolean;
  clock: Clock;
}): Promise<StoreKeeper> {
  const { url, clock, insecure = false } = options;
  refuseOpenStore({ url, insecure });
  const { replicas } = await lookAround(url, clock);
  const store = await openStore({ url, replicas, everyReplica: true, clock });
  const catalog = await openRedisCatalog(store, { nowMs: clock.now() });
  return {
    list: () => listCrawls(store),
    tokens: redisTokens(store),
    catalog,
    async forget(name, onKeys = () => {}) {
      const notes = moveNotes(store, clock);
      // A group on its way would be met by halves.
      await notes.hold();
      try {
        const erased = await erase({ store, clock, notes, name, onKeys });
        await dropEntry(catalog, name);
        return erased;
      } finally {
        await notes.letGo().catch(() => undefined);
      }
    },
    close: () => store.close(),
  };
}

async function listCrawls(store: RedisStore): Promise<StoreCrawls> {
  const [listed = null, noted = null] = await store.run([
    { key: storeTag, args: ['HGETALL', `${storeTag}i`] },
    { key: storeTag, args: ['HVALS', `${storeTag}t`] },
  ]);
  const flat = replyArray(listed) as string[];
  const crawls: ListedCrawl[] = [];
  for (let i = 0; i < flat.length; i += 2) {
    const c = flat[i + 1] ?? '';
    const [state, alive] = await store.run([
      { key: storeTag, args: ['HGET', storeTag + c, 'state'] },
      { key: storeTag, args: ['EXISTS', `${storeTag}${c}a`] },
    ]);
    crawls.push({ name: flat[i] ?? '', state: state as CrawlState, alive: alive === 1 });
  }
  return {
    crawls: crawls.sort((a, b) => a.name.localeCompare(b.name)),
    halfErased: replyArray(noted) as string[],
  };
}

interface Erasing {
  store: RedisStore;
  clock: Clock;
  notes: MoveNotes;
  name: string;
  onKeys: (erased: number) => void;
}

/**
 * First the list forgets it, so a new crawl of the name is another one; then every group, so that whoever still
 * works on it is told that it is gone and nothing new is written; then its keys go, in bounded steps (F13, F16).
 */
async function erase({ store, clock, notes, name, onKeys }: Erasing): Promise<number> {
  const [reply = null] = await store.run([{ key: storeTag, script: scripts.unregister, args: [name] }]);
  const [c, answer] = replyArray(reply) as [string, string];
  if (c === '') throw noSuch(name);
  if (answer === 'BUSY') throw inUse(name);
  const forgetIn = await forgetter(store, clock, c);
  await forgetIn.everyGroup();
  let erased = 0;
  for (let pass = 1; ; pass++) {
    let found = 0;
    for await (const keys of store.scan(patternOf(c))) {
      await notes.hold();
      const own = keys.filter((key) => isKeyOf(c, key));
      await forgetIn.hosts(own);
      erased += await unlink(store, own);
      found += own.length;
      onKeys(erased);
    }
    if (found === 0) break;
    if (pass === passes) throw notAll(name);
  }
  await store.run([{ key: storeTag, args: ['HDEL', `${storeTag}t`, c] }]);
  return erased;
}

async function dropEntry(catalog: Catalog, name: string): Promise<void> {
  const entry = await catalog.find(name);
  if (!entry) return;
  await catalog.change(entry.id, entry.version, { wanted: 'deleted' });
  await catalog.remove(entry.nonce);
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

async function forgetter(store: RedisStore, clock: Clock, c: string) {
  const [count] = await store.run([{ key: storeTag, args: ['HGET', `${storeTag}v`, 'groups'] }]);
  const runner = groupRunner({
    store,
    clock,
    time: 'store',
    longestHoldMs: () => 0,
    seen: () => {},
    doubtful: () => {},
  });
  const script = scripts.forget;
  return {
    async everyGroup(): Promise<void> {
      await runner.run(Array.from({ length: Number(count) }, (_, group) => ({ group, script, args: [c] })));
    },
    async hosts(keys: string[]): Promise<void> {
      const byGroup = new Map<number, string[]>();
      for (const key of keys) {
        const place = hostIn(c, key);
        if (place) byGroup.set(place.group, [...(byGroup.get(place.group) ?? []), place.host]);
      }
      await runner.run([...byGroup].map(([group, hosts]) => ({ group, script, args: [c, ...hosts] })));
    },
  };
}

function noSuch(name: string): WebfarerError {
  return new WebfarerError('not-found', `the store has no crawl named ${name}`, {
    next: 'See which there are:  webfarer store crawls --store URL',
  });
}

function inUse(name: string): WebfarerError {
  return new WebfarerError('usage', `somebody works on ${name} at the moment`, {
    next: 'Stop all its processes; 5 s after the last one it can be erased.',
  });
}

function notAll(name: string): WebfarerError {
  return new WebfarerError('storage', `keys of ${name} keep turning up`, {
    next: 'A part of the store is being moved, or comes back after a failure. Run the same command again later.',
  });
}
