import { storeTag } from '../redis/keys.ts';
import { replyArray } from '../redis/reply-array.ts';
import type { RedisStore } from '../redis/store.ts';
import type { EarlierTokens, StoredToken } from './earlier-tokens.ts';

const key = `${storeTag}T`;

/** Where earlier versions kept the tokens of all coordinators of a store. */
export function redisTokens(store: RedisStore): EarlierTokens {
  return {
    async all() {
      const [reply = null] = await store.run([{ key: storeTag, args: ['HVALS', key] }]);
      return (replyArray(reply) as string[]).map((text) => JSON.parse(text) as StoredToken);
    },
    async forget(tokens) {
      const args = ['HDEL', key, ...tokens.map(({ id }) => id)];
      const [reply = null] = await store.run([{ key: storeTag, args }]);
      if (typeof reply !== 'number') replyArray(reply);
    },
  };
}
