import { type Clock, type CrawlId, isStorageTrouble, type Pause, WebfarerError } from '@webfarer/protocol';
import { RETRY_MS, type StorageGate, type WriteGate } from './storage-gate.ts';

/**
 * Stand between the pages of each crawl and the places that its job saves them to: a folder, object storage, a server, a
 * module. A place that fails holds up the crawls that save there, and no other.
 */
export interface CrawlGates {
  of(crawl: CrawlId): WriteGate;
  /** Crawls whose captures cannot be saved at this moment: nothing new of them is begun. */
  held(): ReadonlySet<CrawlId>;
  /** What has been fetched of some crawl cannot be saved, or has not been for a moment. */
  isStuck(): boolean;
  /** What has been fetched of this crawl has neither been saved nor failed for so long that it is told as a trouble. */
  isSilent(crawl: CrawlId): boolean;
  /** Why, as it is told. */
  troubles(): { crawl: CrawlId; code: string; message: string }[];
  /** What the first of them waits for. */
  readonly pause: Pause | undefined;
  /** Nothing of the crawl is left here. */
  forget(crawl: CrawlId): void;
}

export interface CrawlGatesOptions {
  clock: Clock;
  /** Of the whole worker: where its own disk is full, that is the trouble of no single crawl. */
  worker: Pick<StorageGate, 'hasSpace'>;
  /** For how long a write is tried again before the crawl is left out here; undefined: until it succeeds. */
  patienceMs: (crawl: CrawlId) => number | undefined;
  /** Gives up waiting: what could not be saved is reported as an error. */
  signal: AbortSignal;
  /** A crawl is held, or no longer. */
  changed: (crawl: CrawlId) => void;
  /** Its captures could not be saved for too long. Whatever waits fails with the same error. */
  gaveUp: (crawl: CrawlId, error: unknown) => void;
}

interface Trouble {
  /** Writes that have failed and are tried again. */
  writes: number;
  error: WebfarerError;
  hasGivenUp: boolean;
}

/** Writes of a crawl that have not ended, and since when none has. */
interface Pending {
  writes: number;
  sinceMs: number;
}

/** Longer than any write takes that is under way. */
const SILENT_MS = 30_000;
/** Longer than a write usually takes, also on a busy machine. */
const STUCK_MS = 2_000;

export function createCrawlGates(options: CrawlGatesOptions): CrawlGates {
  const { clock, signal } = options;
  const troubles = new Map<CrawlId, Trouble>();
  const pending = new Map<CrawlId, Pending>();
  const held = new Set<CrawlId>();

  function began(crawl: CrawlId, error: WebfarerError): Trouble {
    const trouble = troubles.get(crawl) ?? { writes: 0, error, hasGivenUp: false };
    trouble.writes++;
    troubles.set(crawl, trouble);
    if (!held.has(crawl)) {
      held.add(crawl);
      options.changed(crawl);
    }
    return trouble;
  }

  function ended(crawl: CrawlId, trouble: Trouble): void {
    trouble.writes--;
    if (trouble.writes > 0 || trouble.hasGivenUp || troubles.get(crawl) !== trouble) return;
    troubles.delete(crawl);
    held.delete(crawl);
    options.changed(crawl);
  }

  function giveUp(crawl: CrawlId, trouble: Trouble): void {
    if (trouble.hasGivenUp) return;
    trouble.hasGivenUp = true;
    options.gaveUp(crawl, trouble.error);
  }

  /** Whether to try again, after a moment. */
  async function waits(crawl: CrawlId, trouble: Trouble, time: { sinceMs: number }): Promise<boolean> {
    // While this disk is full the whole worker waits, and no crawl is to blame.
    if (!(await options.worker.hasSpace())) time.sinceMs = clock.now();
    const patienceMs = options.patienceMs(crawl);
    if (patienceMs !== undefined && clock.now() - time.sinceMs >= patienceMs) giveUp(crawl, trouble);
    if (signal.aborted || trouble.hasGivenUp) return false;
    await clock.sleep(RETRY_MS, signal).catch(() => undefined);
    return !trouble.hasGivenUp;
  }

  /** Notes that it is under way: one that never ends is no error that anybody sees. */
  async function watched<T>(crawl: CrawlId, write: () => Promise<T>): Promise<T> {
    const known = pending.get(crawl) ?? { writes: 0, sinceMs: clock.now() };
    known.writes++;
    pending.set(crawl, known);
    try {
      return await write();
    } finally {
      known.writes--;
      known.sinceMs = clock.now();
      if (known.writes === 0 && pending.get(crawl) === known) pending.delete(crawl);
    }
  }

  function silent(): { crawl: CrawlId; code: string; message: string }[] {
    return [...pending].flatMap(([crawl, { writes, sinceMs }]) => {
      const seconds = Math.floor((clock.now() - sinceMs) / 1_000);
      if (troubles.has(crawl) || seconds < SILENT_MS / 1_000) return [];
      const message = `what it saves to has not answered for ${seconds} s, and captures wait: ${writes}`;
      return [{ crawl, code: 'storage', message }];
    });
  }

  const ageOf = (writes: Pending | undefined) => (writes ? clock.now() - writes.sinceMs : 0);

  async function attempt<T>(crawl: CrawlId, write: () => Promise<T>): Promise<T> {
    let trouble = troubles.get(crawl);
    if (trouble?.hasGivenUp) throw trouble.error;
    trouble = undefined;
    const time = { sinceMs: 0 };
    try {
      for (;;) {
        try {
          return await watched(crawl, write);
        } catch (error) {
          if (!isStorageTrouble(error)) throw error;
          const known = error as WebfarerError;
          if (!trouble) time.sinceMs = clock.now();
          trouble ??= began(crawl, known);
          trouble.error = known;
          if (!(await waits(crawl, trouble, time))) throw error;
        }
      }
    } finally {
      if (trouble) ended(crawl, trouble);
    }
  }

  return {
    of: (crawl) => ({ attempt: (write) => attempt(crawl, write) }),
    held: () => held,
    isStuck: () => held.size > 0 || [...pending.values()].some((writes) => ageOf(writes) >= STUCK_MS),
    isSilent: (crawl) => ageOf(pending.get(crawl)) >= SILENT_MS,
    troubles: () => [
      ...Array.from(troubles, ([crawl, { error }]) => ({ crawl, code: error.code, message: error.message })),
      ...silent(),
    ],
    get pause() {
      const [first] = troubles.values();
      return first && { cause: causeOf(first.error), text: first.error.message, retryInMs: RETRY_MS };
    },
    forget(crawl) {
      troubles.delete(crawl);
      pending.delete(crawl);
      held.delete(crawl);
    },
  };
}

function causeOf({ code }: WebfarerError): Pause['cause'] {
  return code === 'object-storage' ? 'object-storage' : 'saving';
}
