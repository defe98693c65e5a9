import type { Clock } from '@webfarer/protocol';

/** What requests work on in steps, and what is kept of it for those who ask again. */
export interface KeptWork {
  /** Other coordinators name the same work the same. */
  id: string;
  usedAtMs: number;
  isReady: boolean;
  /** Steps of one work are taken one after the other. */
  turn: Promise<void>;
  close(): void;
}

export interface KeptWorks<T extends KeptWork> {
  get(id: string): T | undefined;
  /** The first that is begun and not ready. */
  unready(isMeant: (work: T) => boolean): T | undefined;
  has(work: T): boolean;
  /** Ends those that were not asked for the longest, where there are too many. */
  add(work: T): void;
  /** One step, unless it is ready. */
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
    unready: (isMeant) => [...kept.values()].find((each) => !each.isReady && isMeant(each)),
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
      await mine;
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
