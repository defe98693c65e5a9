import type { RedisStore } from '../../packages/coordinator/src/redis/store.ts';
import { until } from './form-cluster.ts';

export interface Writing {
  /** Keys whose write was acknowledged, growing. */
  acknowledged: string[];
  /** Resolves when that many are acknowledged. */
  reach(count: number): Promise<void>;
  /** Resolves when the writers have ended; rejects where a write was refused. */
  stop(): Promise<void>;
}

const writers = 4;
const batch = 10;
let rounds = 0;

/** Writers that set one new key after the other, all in the slot of the tag, and note what is acknowledged. */
export function startWriting(store: RedisStore, tag: string): Writing {
  const acknowledged: string[] = [];
  const round = rounds++;
  let over = false;
  const all = Array.from({ length: writers }, async (_, writer) => {
    for (let n = 0; !over; n++) {
      const keys = Array.from({ length: batch }, (_value, k) => `${tag}:${round}:${writer}:${n}:${k}`);
      await store.run(keys.map((key) => ({ key, args: ['SET', key, 1] })));
      acknowledged.push(...keys);
    }
  });
  const ended = Promise.all(all);
  // Told by `stop`, not to the process.
  ended.catch(() => {});
  return {
    acknowledged,
    reach: (count) => until(() => Promise.resolve(acknowledged.length >= count), 'writes are acknowledged'),
    async stop() {
      over = true;
      await ended;
    },
  };
}

export async function countMissing(store: RedisStore, keys: string[]): Promise<number> {
  const replies = await store.run(keys.map((key) => ({ key, args: ['EXISTS', key] })));
  return replies.filter((reply) => reply !== 1).length;
}
