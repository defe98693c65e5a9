import { join } from 'node:path';
import { groupTag, storeTag } from '../../packages/coordinator/src/redis/keys.ts';
import {
  openRedisFrontier,
  type RedisFrontier,
  type RedisFrontierOptions,
} from '../../packages/coordinator/src/frontier/redis/redis-frontier.ts';
import { openStore } from '../../packages/coordinator/src/redis/store.ts';
import { type HostKey, systemClock } from '../../packages/protocol/src/index.ts';
import { groupOf, siteOf } from '../../packages/protocol/src/url/index.ts';
import type { RedisServers } from './servers.ts';

/** Fewer than in real stores: a proof opens several crawls. */
const groups = 64;

export interface CrawlStore {
  /** One for each process that is imagined. */
  frontiers: RedisFrontier[];
  groupOf(host: HostKey): number;
  /** The shard that holds a host, as the servers were started. */
  shardOf(host: HostKey): number;
  /** The shard with what belongs to the whole store. */
  commonShard: number;
  close(): Promise<void>;
}

/** Opens servers as several processes would, each with connections of its own. */
export async function openCrawlStore(
  { url, nodes }: RedisServers,
  {
    processes,
    replicas,
    time = 'store',
    drain,
  }: {
    processes: number;
    replicas: number;
    /** Results beyond so many of a group are written to files, by each process in a folder of its own under this one. */
    drain?: { results: number; under: string };
  } & Pick<RedisFrontierOptions, 'time'>,
): Promise<CrawlStore> {
  const clock = systemClock();
  const stores = await Promise.all(
    Array.from({ length: processes }, () => openStore({ url, replicas, clock })),
  );
  const frontiers = await Promise.all(
    stores.map((store, n) => {
      const options = { store, clock, groups, time };
      if (!drain) return openRedisFrontier(options);
      const owner = `process-${n}`;
      const home = { owner, folder: join(drain.under, owner), machine: 'here', claimMs: 2_000 };
      return openRedisFrontier({ ...options, backlog: { results: drain.results, drain: home } });
    }),
  );
  const shardAt = (key: string): number => {
    const address = stores[0]?.primaryOf(key);
    return nodes.find(({ host, port }) => `${host}:${port}` === address)?.shard ?? 0;
  };
  const placeOf = (host: HostKey): number => groupOf(siteOf(host)) % groups;
  const shards = Array.from({ length: groups }, (_, group) => shardAt(groupTag(group)));
  return {
    frontiers,
    groupOf: placeOf,
    shardOf: (host) => shards[placeOf(host)] ?? 0,
    commonShard: shardAt(storeTag),
    async close() {
      for (const frontier of frontiers) await frontier.close();
    },
  };
}
