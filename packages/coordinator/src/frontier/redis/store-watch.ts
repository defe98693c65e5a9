import type { Clock } from '@webfarer/protocol';
import { isOutOfMemory } from './delivery.ts';
import type { RedisStore } from './store.ts';

/** A store that is watched for silence. */
export interface StoreWatch {
  /** The same store. */
  store: RedisStore;
  readonly silent: boolean;
  /** Called whenever it falls silent or answers again. `isFull`: it has no memory left. */
  onChange(listener: (silent: boolean, isFull: boolean) => void): void;
}

/** Longer than any pipeline takes, and than a replica needs to catch up; shorter than a failover. */
const PATIENCE_MS = 3_000;
const hasAnswered = new Error('answered');

/**
 * Tells when calls have waited for long, well before they give up: a person should hear why a crawl stands still.
 * One shard that is away is enough, because its calls wait.
 */
export function watchStore(store: RedisStore, clock: Clock): StoreWatch {
  const listeners = new Set<(silent: boolean, isFull: boolean) => void>();
  /** Calls that have waited for too long. */
  let late = 0;

  function count(by: 1 | -1, isFull = false): void {
    const before = late > 0;
    late += by;
    if (before !== late > 0) for (const listener of listeners) listener(late > 0, isFull);
  }

  return {
    store: {
      ...store,
      async run(calls, options) {
        const answered = new AbortController();
        let isLate = false;
        let why = '';
        const held = (words: string) => {
          why = words;
        };
        clock.sleep(PATIENCE_MS, answered.signal).then(
          () => {
            isLate = true;
            count(1, isOutOfMemory(why));
          },
          () => undefined,
        );
        try {
          return await store.run(calls, { ...options, held });
        } finally {
          answered.abort(hasAnswered);
          if (isLate) count(-1);
        }
      },
    },
    get silent() {
      return late > 0;
    },
    onChange: (listener) => void listeners.add(listener),
  };
}
