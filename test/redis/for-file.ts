import { afterAll } from 'vitest';
import { storeTag } from '../../packages/coordinator/src/redis/keys.ts';
import { openStore, type RedisStore, type StoreOptions } from '../../packages/coordinator/src/redis/store.ts';
import { systemClock } from '../../packages/protocol/src/index.ts';
import { type RedisOptions, type RedisServers, startRedis } from './servers.ts';

/** Servers that all tests of a file share: started by the first that asks, stopped after the last. */
export function redisForFile(options: RedisOptions = {}): () => Promise<RedisServers> {
  let servers: Promise<RedisServers> | undefined;
  afterAll(async () => {
    await (await servers)?.stop();
  });
  return () => (servers ??= startRedis(options));
}

export interface StoresForFile {
  connect(servers: RedisServers, options?: Partial<StoreOptions>): Promise<RedisStore>;
  /** As several processes would open a store in which there is nothing yet. */
  connectEmpty(servers: RedisServers, processes: number): Promise<RedisStore[]>;
}

/** Connections that are closed after the last test of a file. */
export function storesForFile(): StoresForFile {
  const stores: RedisStore[] = [];
  const clock = systemClock();
  afterAll(async () => {
    for (const store of stores.splice(0)) await store.close();
  });

  async function connect({ url }: RedisServers, options: Partial<StoreOptions> = {}): Promise<RedisStore> {
    const store = await openStore({ url, replicas: 0, clock, ...options });
    stores.push(store);
    return store;
  }

  return {
    connect,
    async connectEmpty(servers, processes) {
      const opened = await Promise.all(Array.from({ length: processes }, () => connect(servers)));
      await opened[0]?.run([{ key: storeTag, args: ['FLUSHALL'] }]);
      return opened;
    },
  };
}
