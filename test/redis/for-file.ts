import { afterAll } from 'vitest';
import { type RedisOptions, type RedisServers, startRedis } from './servers.ts';

/** Servers that all tests of a file share: started by the first that asks, stopped after the last. */
export function redisForFile(options: RedisOptions = {}): () => Promise<RedisServers> {
  let servers: Promise<RedisServers> | undefined;
  afterAll(async () => {
    await (await servers)?.stop();
  });
  return () => (servers ??= startRedis(options));
}
