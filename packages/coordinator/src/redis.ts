/** The frontier on Redis or Valkey: an entry of its own, so that a crawl on one machine loads none of it. */
export {
  openRedisFrontier,
  type RedisFrontier,
  type RedisFrontierOptions,
} from './frontier/redis/redis-frontier.ts';
export { parseStoreUrl } from './frontier/redis/address.ts';
export { type JoinedStore, joinStore, readStore, type ResultFolders } from './frontier/redis/join-store.ts';
export type { DrainOptions } from './frontier/redis/draining/drainer.ts';
export { absentWords, bringSegments, type KeptResults } from './frontier/redis/draining/segments.ts';
export { openKeeper, type StoreCrawls, type StoreKeeper } from './frontier/redis/forgetting.ts';
export { openStore, type RedisStore, type StoreOptions } from './frontier/redis/store.ts';
export type { MoveStep } from './frontier/redis/moving/move-group.ts';
export { type Mover, openMover } from './frontier/redis/moving/mover.ts';
export type { StoreStatus } from './frontier/redis/moving/store-status.ts';
