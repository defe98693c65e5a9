import { listenable } from '../events/listeners.ts';
import type { Clock, Pause } from '@webfarer/protocol';
import { isOutOfMemory } from './client/delivery.ts';
import type { RedisStore } from './store.ts';
import { rejectedPassword } from './wire/sign-in.ts';

/** A store that is watched for silence. */
export interface StoreWatch {
  /** The same store. */
  store: RedisStore;
  /** Why calls have waited for long; undefined while none has. */
  readonly trouble: Pause | undefined;
  /** Called whenever it falls silent, for another reason than before, or answers again. Answers how to stop listening. */
  onChange(listener: (trouble: Pause | undefined) => void): () => void;
  /** Called after every call with how long it took, retries included. */
  onCall(listener: (ms: number, ok: boolean) => void): void;
}

/** Longer than any pipeline takes, and than a replica needs to catch up; shorter than a failover. */
const PATIENCE_MS = 2_000;
/** Answers of the last while tell a store that is slow from one that is gone, which answers nobody. */
const RECENT_MS = 1_000;
const hasAnswered = new Error('answered');

/** Other calls are answered. It names no address, so everybody may read it. */
export const slowStore: Pause = {
  cause: 'store',
  text: 'the store answers slowly, or not on every shard; retrying',
};

/**
 * Tells when calls have waited for long, well before they give up: a person should hear why a crawl stands still.
 * One shard that is away is enough, because its calls wait.
 */
export function watchStore(store: RedisStore, clock: Clock): StoreWatch {
  const listeners = new Set<(trouble: Pause | undefined) => void>();
  const timers = new Set<(ms: number, ok: boolean) => void>();
  /** Calls that have waited for too long, and what holds each up. */
  const late = new Map<object, string>();
  let trouble: Pause | undefined;
  let answeredAtMs = Number.NEGATIVE_INFINITY;

  function look(): void {
    const isAnswering = clock.now() - answeredAtMs < RECENT_MS;
    const found = troubleOf([...late.values()], isAnswering);
    if (found?.text === trouble?.text) return;
    trouble = found;
    for (const listener of listeners) listener(trouble);
  }

  return {
    store: {
      ...store,
      async run(calls, options) {
        const answered = new AbortController();
        const call = {};
        const begunMs = clock.now();
        let isAnswered = false;
        let why = '';
        const held = (words: string) => {
          why = words;
          if (!late.has(call)) return;
          late.set(call, why);
          look();
        };
        clock.sleep(PATIENCE_MS, answered.signal).then(
          () => {
            late.set(call, why);
            look();
          },
          () => undefined,
        );
        try {
          const replies = await store.runTelling(held, calls, options);
          isAnswered = true;
          answeredAtMs = clock.now();
          return replies;
        } finally {
          for (const timer of timers) timer(clock.now() - begunMs, isAnswered);
          answered.abort(hasAnswered);
          if (late.delete(call)) look();
        }
      },
    },
    get trouble() {
      return trouble;
    },
    onChange: listenable(listeners),
    onCall: (listener) => void timers.add(listener),
  };
}

/** A store that answers, if only to refuse, says more than one that is silent. */
function troubleOf(words: readonly string[], isAnswering: boolean): Pause | undefined {
  if (words.length === 0) return undefined;
  if (words.some(isOutOfMemory))
    return { cause: 'store-full', text: 'the store is out of memory: raise its maxmemory, or add shards' };
  const rejected = words.map(rejectedPassword).find((text) => text !== undefined);
  if (rejected !== undefined)
    return { cause: 'store', text: `the store refuses this process: ${rejected}; retrying` };
  const lacking = words.map(lackingShard).find((shard) => shard !== undefined);
  if (lacking !== undefined)
    return {
      cause: 'store-replicas',
      text: `shard ${lacking}; its hosts wait until the missing ones are back, other shards continue`,
    };
  if (isAnswering) return slowStore;
  return { cause: 'store', text: 'the store is unreachable; retrying' };
}

/** Which shard has too few replicas and how many it has, taken from the error of the call that waited. */
function lackingShard(why: string): string | undefined {
  const [, counted, counts] = /^(\S+): (\d+ of \d+ replicas)/.exec(why) ?? [];
  if (counted !== undefined) return `${counted} has ${counts}`;
  const [, refused] = /^(\S+): NOREPLICAS/.exec(why) ?? [];
  return refused && `${refused} has too few replicas and refuses writes`;
}
