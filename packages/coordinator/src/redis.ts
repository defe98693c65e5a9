/** The frontier on Redis or Valkey: an entry of its own, so that a crawl on one machine loads none of it. */
export {
  openRedisFrontier,
  type RedisFrontier,
  type RedisFrontierOptions,
} from './frontier/redis/redis-frontier.ts';
export type { DeletedCrawl } from './frontier/redis/erasing.ts';
export { openRedisCatalog } from './catalog/redis-catalog.ts';
export { parseStoreUrl } from './redis/address/address.ts';
export { aclLine } from './redis/refusals/rights.ts';
export {
  inspectStore,
  type JoinedStore,
  joinStore,
  readStore,
  type ResultFolders,
  type StoreInspection,
} from './store/join-store.ts';
export type { DrainOptions } from './frontier/redis/draining/drainer.ts';
export { absentWords, bringSegments, type KeptResults } from './frontier/redis/draining/kept-results.ts';
export { openKeeper, type StoreCrawls, type StoreKeeper } from './frontier/redis/forgetting.ts';
export { type ByteReply, type ByteStore, openByteStore } from './redis/byte-store.ts';
export { openStore, type RedisStore, type StoreOptions } from './redis/store.ts';
export type { MoveStep } from './redis/migration/move-group.ts';
export { type Mover, openMover } from './redis/migration/mover.ts';
export {
  type ShardSnapshot,
  type SnapshotOptions,
  snapshotStore,
  type StoreSnapshot,
} from './redis/snapshot/snapshot-store.ts';
export type { StoreStatus } from './redis/migration/store-status.ts';
