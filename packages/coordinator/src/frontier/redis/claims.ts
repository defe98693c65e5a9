import type { Script } from '../../redis/client/call.ts';
import { scripts } from '../../redis/client/scripts.ts';
import { storeTag } from '../../redis/keys.ts';
import type { RedisStore } from '../../redis/store.ts';
import type { GroupUpkeep } from '../group-upkeep.ts';

/**
 * Whoever comes first may do a duty of the whole store until it gives the claim back or the time is over, by the store's
 * clock; if it dies, another one does. There is no leader. A duty must be harmless when two do it, or nobody does it once:
 * a failover may forget a claim, and a claim may be kept whose answer was lost.
 */
export function dutyClaims(store: RedisStore, by: string): Pick<GroupUpkeep, 'claim' | 'release'> {
  const run = async (script: Script, args: (string | number)[]) =>
    (await store.run([{ key: storeTag, script, args }], { durable: false }))[0];
  return {
    claim: async (duty, forMs) => (await run(scripts.claimDuty, [duty, by, forMs])) === 1,
    release: async (duty) => void (await run(scripts.releaseDuty, [duty, by])),
  };
}
