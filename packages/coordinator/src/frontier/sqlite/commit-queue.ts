import { type Clock, systemClock, WebfarerError } from '@webfarer/protocol';
import type { Database } from '../../sqlite/node-sqlite.ts';
import { asStorageError } from '../../sqlite/storage-error.ts';

export interface CommitQueue {
  /**
   * Runs `work` inside the next transaction; resolves when that is on disk, together with its neighbours. `patient`:
   * nobody waits for it, so the transaction may be one that somebody waits for, or `gatherMs` after the last.
   */
  run<T>(work: () => T, how?: { patient: boolean }): Promise<T>;
  /** Commits what waits, then takes no more. */
  close(): Promise<void>;
}

export interface CommitQueueOptions {
  db: Database;
  /** Writes what the memory holds into the open transaction. */
  flush(): void;
  /** The transaction is undone: memory must be read again from the file. */
  undone(): void;
  /** After a commit, outside any transaction. May ask for another one by answering work to do. */
  committed(): (() => void) | undefined;
  failpoint: (name: string) => void;
  /** For patient work; without it nothing is. */
  gatherMs?: number | undefined;
}

interface Waiting {
  work: () => unknown;
  resolve: (value: never) => void;
  reject: (error: unknown) => void;
}

/** The disk takes at most half of the time: the pause before the next commit is as long as the last one took. */
const longestPauseMs = 8;
/** One for all: building an error for each would cost more than the wait. */
const hurried = new Error('hurry');

/**
 * Durable group commit: all calls that arrive while the last commit was being written, or in a pause as
 * long as that took, share one transaction and one sync of the disk.
 */
export function createCommitQueue(options: CommitQueueOptions): CommitQueue {
  const { db, gatherMs = 0 } = options;
  const path = db.location() ?? '';
  // Pacing the disk is a matter of real time, whatever clock the frontier runs on.
  const real: Clock = systemClock();
  let waiting: Waiting[] = [];
  let running: Promise<void> | undefined;
  let syncMs = 0;
  let closed = false;
  let committedAtMs = Number.NEGATIVE_INFINITY;
  /** Somebody waits for a part of the next transaction. */
  let awaited = false;
  let hurry: AbortController | undefined;

  /** Time for more to come, as long as nobody waits. */
  async function gather(): Promise<void> {
    const leftMs = Math.ceil(committedAtMs + gatherMs - real.now());
    if (awaited || leftMs <= 0) return;
    hurry = new AbortController();
    await real.sleep(leftMs, hurry.signal).catch(() => undefined);
  }

  function hasten(): void {
    awaited = true;
    hurry?.abort(hurried);
  }

  async function drain(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (waiting.length > 0) {
      await gather();
      const batch = waiting;
      waiting = [];
      awaited = closed;
      commit(batch);
      committedAtMs = real.now();
      // A caller that waits for each answer gains nothing from a pause: only many at once do.
      const pauseMs = batch.length > 1 ? Math.min(longestPauseMs, Math.floor(syncMs)) : 0;
      if (pauseMs >= 1 && !closed) await real.sleep(pauseMs);
      else await new Promise((resolve) => setImmediate(resolve));
    }
    running = undefined;
  }

  function commit(batch: Waiting[]): void {
    const answers: (() => void)[] = [];
    try {
      transaction(() => {
        for (const { work, resolve, reject } of batch) {
          const answer = attempt(work);
          answers.push(() => (answer.ok ? resolve(answer.value as never) : reject(answer.error)));
        }
        options.failpoint('before-commit');
      });
      options.failpoint('after-commit');
      const more = options.committed();
      if (more) transaction(more);
    } catch (error) {
      refuse(batch, asStorageError(error, path));
      return;
    }
    for (const answer of answers) answer();
  }

  /** Where it is not the store's fault, one call of the batch was at fault, and the others need not suffer. */
  function refuse(batch: Waiting[], error: unknown): void {
    const isStorage =
      error instanceof WebfarerError && (error.code === 'storage' || error.code === 'folder-damaged');
    if (batch.length > 1 && !isStorage) for (const one of batch) commit([one]);
    else for (const { reject } of batch) reject(error);
  }

  function transaction(work: () => void): void {
    db.exec('BEGIN');
    try {
      work();
      options.flush();
      const before = real.now();
      db.exec('COMMIT');
      syncMs = real.now() - before;
    } catch (error) {
      // SQLite has undone some failures by itself already; then there is nothing left to roll back.
      if (db.isTransaction) db.exec('ROLLBACK');
      options.undone();
      throw error;
    }
  }

  return {
    run<T>(work: () => T, { patient } = { patient: false }): Promise<T> {
      if (closed) return Promise.reject(new WebfarerError('internal', 'the frontier is closed'));
      return new Promise<T>((resolve, reject) => {
        waiting.push({ work, resolve: resolve as (value: never) => void, reject });
        if (!patient) hasten();
        running ??= drain();
      });
    },
    async close() {
      closed = true;
      hasten();
      await running;
    },
  };
}

const mistakes: ReadonlySet<string> = new Set(['not-found', 'usage', 'cursor-stale']);

/** A mistake of the caller (unknown crawl, bad cursor) fails its call alone and is thrown before anything was changed. */
function attempt(work: () => unknown): { ok: true; value: unknown } | { ok: false; error: unknown } {
  try {
    return { ok: true, value: work() };
  } catch (error) {
    if (error instanceof WebfarerError && mistakes.has(error.code)) return { ok: false, error };
    throw error;
  }
}
