import { systemClock } from '@webfarer/protocol';
import { groupOf, siteOf } from '@webfarer/protocol/url';
import type { ComparedFrontier, ComparedStore } from '../model/compare.model.ts';
import type { TestClock } from '../suite/clock.fixture.ts';
import type { BacklogOptions } from './draining/backlog.ts';
import { alwaysDrained } from './draining/drained.fixture.ts';
import { groupTag, storeTag } from '../../redis/keys.ts';
import { openRedisFrontier } from './redis-frontier.ts';
import { openStore, type RedisStore } from '../../redis/store.ts';

const groups = 4;
const tags = [storeTag, ...Array.from({ length: groups }, (_, group) => groupTag(group))];

/** A server or cluster, emptied for each sequence. With a backlog, results are drained at every step. */
export async function comparedRedis(
  url: string,
  replicas: number,
  backlog?: BacklogOptions,
): Promise<ComparedStore & { close(): Promise<void> }> {
  let refusing = false;
  const fault = () => {
    if (refusing) throw new Error('refused');
  };
  const store = await openStore({ url, replicas, clock: systemClock(), fault });

  async function on(clock: TestClock): Promise<ComparedFrontier> {
    // The connections stay open for the next sequence.
    const lasting: RedisStore = { ...store, close: async () => {} };
    const options = { store: lasting, clock, time: 'given', groups } as const;
    const real = await openRedisFrontier(backlog ? { ...options, backlog } : options);
    const frontier = backlog ? alwaysDrained(real) : real;
    return {
      frontier: {
        ...frontier,
        async forget(id, order, after) {
          const step = await frontier.forget(id, order, after);
          // There is no other process that would have to hear of it.
          return after === '' ? { urls: step.urls, next: step.next } : step;
        },
      },
      async erase(id) {
        await real.erase([{ id, nonce: '' }]);
        return true;
      },
      restart: () => on(clock),
      refuse(refuses) {
        refusing = refuses;
      },
    };
  }

  return {
    answersFromMemory: true,
    groupOf: (host) => groupOf(siteOf(host)) % groups,
    async open(clock) {
      await emptyStore(store);
      return await on(clock);
    },
    close: () => store.close(),
  };
}

/** Every primary that has a group of a small store. */
export async function emptyStore(store: RedisStore): Promise<void> {
  await store.run(tags.map((key) => ({ key, args: ['FLUSHALL'] })));
}
