import { type Clock, type CrawlId, type CrawlState, WebfarerError } from '@webfarer/protocol';
import type { Catalog } from '../../catalog/catalog.ts';
import { deletedEntries } from '../../catalog/deletion.ts';
import { openRedisCatalog } from '../../catalog/redis-catalog.ts';
import type { EarlierTokens } from '../../tokens/earlier-tokens.ts';
import { lookAround, refuseOpenStore } from '../../redis/look-around.ts';
import { storeTag } from '../../redis/keys.ts';
import { redisTokens } from '../../tokens/redis-tokens.ts';
import { redisRegistry } from '../../registry/redis-registry.ts';
import type { Registry } from '../../registry/registry.ts';
import { openStore, type RedisStore } from '../../redis/store.ts';
import { type DeletedCrawl, eraseCrawls } from './erasing.ts';
import { replyArray } from '../../redis/reply-array.ts';

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
  readonly registry: Registry;
  /** Erases a crawl that nobody works on; answers how many keys. May be cut off at any point and done again. */
  forget(name: string, onKeys?: (erased: number) => void): Promise<number>;
  readonly earlierTokens: EarlierTokens;
  close(): Promise<void>;
}

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
    list: () => listCrawls(store, catalog),
    earlierTokens: redisTokens(store),
    catalog,
    registry: redisRegistry(store),
    async forget(name, onKeys = () => {}) {
      const { crawls } = await listCrawls(store, catalog);
      if (crawls.some((crawl) => crawl.name === name && crawl.alive)) throw inUse(name);
      const deleted = await takeOut(store, catalog, name);
      if (deleted.length === 0) throw noSuch(name);
      const erased = await eraseCrawls({ store, clock, time: 'store', onKeys }, deleted);
      for (const { nonce } of deleted) await catalog.remove(nonce);
      return erased;
    },
    close: () => store.close(),
  };
}

/** Marks the crawl as deleted; answers what is to be erased, with what was cut off before. */
async function takeOut(store: RedisStore, catalog: Catalog, name: string): Promise<DeletedCrawl[]> {
  for (;;) {
    const entry = await catalog.find(name);
    if (!entry) break;
    await catalog.change(entry.id, entry.version, { wanted: 'deleted' });
  }
  const entries = (await deletedEntries(catalog)).filter((entry) => entry.name === name);
  if (entries.length > 0) return entries;
  // Not in the catalog, but the frontier has it: one that was never written down, or half erased by an earlier version.
  const id = name as CrawlId;
  const [number, noted = null] = await store.run([
    { key: storeTag, args: ['HGET', `${storeTag}i`, id] },
    { key: storeTag, args: ['HVALS', `${storeTag}t`] },
  ]);
  const isNoted = (replyArray(noted) as string[]).some((text) => nameIn(text) === name);
  return typeof number === 'string' || isNoted ? [{ id, nonce: '' }] : [];
}

const nameIn = (note: string) => note.split('\n')[0] ?? '';

async function listCrawls(store: RedisStore, catalog: Catalog): Promise<StoreCrawls> {
  const [listed = null, noted = null, time = null] = await store.run([
    { key: storeTag, args: ['HGETALL', `${storeTag}i`] },
    { key: storeTag, args: ['HVALS', `${storeTag}t`] },
    { key: storeTag, args: ['TIME'] },
  ]);
  const nowMs = Number(replyArray(time)[0]) * 1_000;
  const flat = replyArray(listed) as string[];
  const names = flat.filter((_, i) => i % 2 === 0);
  const numbers = flat.filter((_, i) => i % 2 === 1);
  const looks = await store.run(
    numbers.flatMap((c) => [
      { key: storeTag, args: ['HGET', storeTag + c, 'state'] },
      { key: storeTag, args: ['EXISTS', `${storeTag}${c}a`] },
      { key: storeTag, args: ['ZSCORE', `${storeTag}A`, c] },
    ]),
  );
  const crawls = names.map((name, i) => {
    const [state, asked, askedUntilMs] = looks.slice(3 * i, 3 * i + 3);
    return { name, state: state as CrawlState, alive: asked === 1 || Number(askedUntilMs) > nowMs };
  });
  const deleted = (await deletedEntries(catalog)).map(({ name }) => name);
  return {
    crawls: crawls.toSorted((a, b) => a.name.localeCompare(b.name)),
    halfErased: [...new Set([...deleted, ...(replyArray(noted) as string[]).map(nameIn)])],
  };
}

function noSuch(name: string): WebfarerError {
  return new WebfarerError('not-found', `the store has no crawl named ${name}`, {
    next: 'List them:  webfarer store crawls --store URL',
  });
}

function inUse(name: string): WebfarerError {
  return new WebfarerError('usage', `${name} is in use`, {
    next: 'Stop all its processes. It can be erased 5 s after the last one has ended.',
  });
}
