import { storeTag } from '../../redis/keys.ts';
import type { RedisStore } from '../../redis/store.ts';

/**
 * Whoever comes first may do a duty of the whole store until the time is over, by the store's clock; if it dies,
 * another one does. There is no leader. A duty must be harmless when two do it, or nobody does it once: a failover
 * may forget a claim, and a claim may be kept whose answer was lost.
 */
export async function claimDuty(
  store: RedisStore,
  { duty, by, forMs }: { duty: string; by: string; forMs: number },
): Promise<boolean> {
  const args = ['SET', `${storeTag}K:${duty}`, by, 'NX', 'PX', forMs];
  const [kept] = await store.run([{ key: storeTag, args }], { durable: false });
  return kept === 'OK';
}
