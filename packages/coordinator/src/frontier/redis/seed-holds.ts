import type { Clock } from '@webfarer/protocol';
import { storeTag } from '../../redis/keys.ts';
import { scripts } from '../../redis/client/scripts.ts';
import type { RedisStore } from '../../redis/store.ts';

/**
 * Whoever is still offering seeds holds the crawl open by a mark in the store, and says so again while it goes on. The
 * mark of one that died runs out soon: nobody waits for seeds that will never come.
 */
export interface SeedHolds {
  /** Counted, as callers begin and end it; the mark is there while the count is above 0. */
  change(c: string, by: 1 | -1): Promise<void>;
  /** All holds of a crawl are void, whoever has them. */
  drop(c: string): Promise<void>;
  /** Says nothing more, as if this process had died. */
  close(): void;
}

/** Four that are late in a row let the mark of a living process run out; then its seeds run the crawl again. */
const usual = { holdMs: 10_000, beatMs: 2_000 };
const ended = new Error('the seeds are offered');

interface SeedHoldsOptions {
  clock: Clock;
  /** Names this process. */
  life: string;
  times?: typeof usual;
}

export function seedHolds(
  store: RedisStore,
  { clock, life, times: { holdMs, beatMs } = usual }: SeedHoldsOptions,
): SeedHolds {
  const counts = new Map<string, number>();
  const beats = new Map<string, AbortController>();

  async function mark(c: string, forMs: number): Promise<void> {
    await store.run([{ key: storeTag, script: scripts.seeding, args: [c, life, forMs] }]);
  }

  async function beat(c: string, signal: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(beatMs, signal);
      await mark(c, holdMs).catch(() => undefined);
    }
  }

  function end(c: string): void {
    counts.delete(c);
    beats.get(c)?.abort(ended);
    beats.delete(c);
  }

  return {
    async change(c, by) {
      const count = (counts.get(c) ?? 0) + by;
      if (count <= 0) {
        end(c);
        return await mark(c, 0);
      }
      counts.set(c, count);
      await mark(c, holdMs);
      if (beats.has(c)) return;
      const stop = new AbortController();
      beats.set(c, stop);
      // A clock that cannot sleep belongs to a test.
      beat(c, stop.signal).catch(() => undefined);
    },
    async drop(c) {
      end(c);
      await store.run([{ key: storeTag, args: ['DEL', holdsKey(c)] }]);
    },
    close() {
      for (const c of beats.keys()) end(c);
    },
  };
}

/** Sorted set: who holds the crawl open, by when that runs out. */
export function holdsKey(c: string): string {
  return `${storeTag}${c}h`;
}
