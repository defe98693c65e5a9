import type { StoredToken, TokenStore } from './tokens.ts';
import { replyArray } from '../redis/reply-array.ts';
import { storeTag } from '../redis/keys.ts';
import type { RedisStore } from '../redis/store.ts';

const key = `${storeTag}T`;

/** The tokens of all coordinators of a store. */
export function redisTokens(store: RedisStore): TokenStore {
  return {
    async all() {
      const [reply = null] = await store.run([{ key: storeTag, args: ['HVALS', key] }]);
      return (replyArray(reply) as string[]).map((text) => JSON.parse(text) as StoredToken);
    },
    async put(token) {
      const [reply = null] = await store.run([
        { key: storeTag, args: ['HSET', key, token.id, JSON.stringify(token)] },
      ]);
      if (typeof reply !== 'number') replyArray(reply);
    },
  };
}
