import type { CrawlId } from '@webfarer/protocol';
import { replyArray } from '../redis/reply-array.ts';
import { scripts } from '../redis/client/scripts.ts';
import { storeTag } from '../redis/keys.ts';
import type { RedisStore } from '../redis/store.ts';
import { type CountHistory, firstLevel, historyIn, restsLevel } from './count-history.ts';
import { countsText, levelSize, mostRests, slotMs } from './samples.ts';

export interface RedisHistoryOptions {
  store: RedisStore;
  /** Undefined: the store has no such crawl. */
  look: (crawl: CrawlId) => Promise<{ c: string; nonce: string } | undefined>;
  /** For tests; else the clock of the store counts, which is the same for all its coordinators. */
  nowMs: (() => number) | undefined;
}

/** The history of the crawls of a store: one hash for each, a field for each level. */
export function redisHistory({ store, look, nowMs }: RedisHistoryOptions): CountHistory {
  return {
    async note(crawl, counts, { last = false, restedMs = 0 } = {}) {
      const found = await look(crawl);
      if (!found) return;
      const now = nowMs ? Math.floor(nowMs()) : '';
      const { c, nonce } = found;
      const how = [last ? 1 : 0, Math.floor(restedMs), mostRests];
      const args = [c, nonce, now, slotMs, levelSize, countsText(counts), ...how];
      // A sample that a failover loses leaves a gap: nobody waits for replicas.
      const [reply = null] = await store.run([{ key: storeTag, script: scripts.countSample, args }], {
        durable: false,
      });
      replyArray(reply);
    },
    async samples(crawl) {
      const found = await look(crawl);
      if (!found) return [];
      const asked = [
        ['HGETALL', `${storeTag}${found.c}h`],
        ['HGET', `${storeTag}${found.c}`, restsLevel],
      ].map((args) => ({ key: storeTag, args }));
      const [reply = null, rests = null] = await store.run(asked, { durable: false });
      const flat = replyArray(reply) as string[];
      const levels = new Map<string, string>();
      for (let at = 0; at < flat.length; at += 2) levels.set(flat[at] ?? firstLevel, flat[at + 1] ?? '');
      if (typeof rests === 'string') levels.set(restsLevel, rests);
      return historyIn(levels);
    },
  };
}
