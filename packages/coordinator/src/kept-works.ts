import { type Clock, errorCodes, WebfarerError } from '@webfarer/protocol';

/** What requests work on in steps, and what is kept of it for those who ask again. */
export interface KeptWork {
  id: string;
  usedAtMs: number;
  isReady: boolean;
  /** Steps of one work are taken one after the other. */
  turn: Promise<void>;
  close(): void;
}

export interface KeptWorks<T extends KeptWork> {
  get(id: string): T | undefined;
  find(isMeant: (work: T) => boolean): T | undefined;
  has(work: T): boolean;
  /** Ends those that were not asked for the longest, where there are too many. */
  add(work: T): void;
  /** One step, unless it is ready. Where that fails for good, the work is ended, so that the next request begins anew. */
  take(work: T, step: (work: T) => Promise<void>): Promise<void>;
  dropOld(): void;
  dropWhere(isMeant: (work: T) => boolean): void;
  close(): void;
}

interface KeptWorksOptions {
  clock: Clock;
  mostKept: number;
  /** After the last request for it. */
  keptMs: number;
}

/** What crawls say of people's pages is not kept for longer than somebody looks at it. */
export function createKeptWorks<T extends KeptWork>(options: KeptWorksOptions): KeptWorks<T> {
  const { clock, mostKept, keptMs } = options;
  const kept = new Map<string, T>();
  const closing = new AbortController();
  let isWatching = false;

  function drop(work: T): void {
    if (kept.get(work.id) !== work) return;
    kept.delete(work.id);
    // Not under a step that is being taken.
    void work.turn.then(() => work.close());
  }

  function dropOld(): void {
    const oldMs = clock.now() - keptMs;
    for (const each of kept.values()) if (each.usedAtMs < oldMs) drop(each);
  }

  function watchOld(): void {
    if (isWatching) return;
    isWatching = true;
    void (async () => {
      try {
        while (kept.size > 0) {
          await clock.sleep(keptMs / 3, closing.signal);
          dropOld();
        }
      } catch {
        // Closed meanwhile.
      }
      isWatching = false;
    })();
  }

  return {
    get: (id) => kept.get(id),
    find: (isMeant) => [...kept.values()].find((each) => isMeant(each)),
    has: ({ id }) => kept.has(id),
    add(work) {
      const oldest = [...kept.values()].toSorted((a, b) => a.usedAtMs - b.usedAtMs);
      for (const each of oldest.slice(0, Math.max(0, kept.size + 1 - mostKept))) drop(each);
      kept.set(work.id, work);
      watchOld();
    },
    async take(work, step) {
      work.usedAtMs = clock.now();
      const mine = work.turn.then(() => (work.isReady ? undefined : step(work)));
      work.turn = mine.catch(() => undefined);
      try {
        await mine;
      } catch (error) {
        const isPassing = error instanceof WebfarerError && errorCodes[error.code].retryable;
        if (!isPassing) drop(work);
        throw error;
      }
    },
    dropOld,
    dropWhere(isMeant) {
      for (const each of kept.values()) if (isMeant(each)) drop(each);
    },
    close() {
      closing.abort();
      for (const each of kept.values()) drop(each);
    },
  };
}
